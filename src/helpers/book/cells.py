"""Code cells of a notebook as a reader sees them: options resolved, outputs in one form each."""

import base64
import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from helpers.errors import HelpersError

Target = Literal["html", "typst"]
Kind = Literal["markdown", "html", "image", "text", "stderr"]

DEFAULTS: dict[str, Any] = {
    "echo": True,
    "output": True,
    "warning": True,
    "include": True,
    "code-fold": False,
    "code-summary": "Code",
}
CONSTRUCTS = json.loads((Path(__file__).parent / "assets/constructs.json").read_text("utf-8"))
"""What the book's sources may use."""
OPTIONS = set(CONSTRUCTS["cell options"])
TAGS: dict[str, dict[str, bool]] = {
    "remove-cell": {"include": False},
    "hide-cell": {"include": False},
    "hide-code": {"echo": False},
    "hide-output": {"output": False},
    "hide-warnings": {"warning": False},
}
IMAGES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg"}
# The order in which Quarto picks one form of an output that has several.
PREFERENCE: dict[Target, list[str]] = {
    "html": ["text/html", "text/markdown", *IMAGES, "text/plain"],
    "typst": ["text/markdown", *IMAGES, "text/html", "text/plain"],
}
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Left behind by plotting calls whose value nobody assigned: [<matplotlib...>], Text(0.5, 1, ...).
LEFTOVER = re.compile(r"^(?:[<(\[].*[>)\]]|Text\(.*)$", re.DOTALL)
# How an object without a text of its own prints.
UNPRINTABLE = re.compile(r"^<[\w.]+ object.*>$", re.DOTALL)


@dataclass(frozen=True)
class Output:
    """One stored output in the form that is shown; `path` and `width` belong to images."""

    kind: Kind
    text: str = ""
    path: str = ""
    width: int = 0


@dataclass(frozen=True)
class Cell:
    """A code cell as the reader sees it; empty text and zeros stand for what it does not have."""

    number: int
    code: str
    fold: Literal["no", "closed", "open"]
    summary: str
    outputs: list[Output]
    label: str
    caption: str
    alt: str
    margin: bool
    columns: int


@dataclass(frozen=True)
class Place:
    """Where a cell stands, for messages, and where its images go.

    `figures` is a folder beside the pages; images are stored below it by notebook and cell.
    """

    notebook: str
    number: int
    figures: Path

    def __str__(self) -> str:
        return f"{self.notebook}, cell {self.number}"


def read(
    raw: Mapping[str, Any], place: Place, target: Target, defaults: Mapping[str, Any]
) -> Cell | None:
    """Read a code cell.

    Parameters
    ----------
    raw : mapping
        The cell as stored in the notebook.
    place : Place
        Where it stands.
    target : {"html", "typst"}
        What it is read for.
    defaults : mapping
        Options in force where the cell says nothing.

    Returns
    -------
    Cell or None
        None when the cell is hidden altogether.

    Raises
    ------
    HelpersError
        For an unknown option, an output that cannot be shown, or a figure or table without one.
    """
    given, code = options(raw, place)
    chosen = {**defaults, **given}
    if not chosen["include"]:
        return None
    label = str(chosen.get("label", ""))
    outputs = _outputs(raw, place, target, chosen) if chosen["output"] else []
    if label.startswith(("fig-", "tbl-")) and not outputs:
        raise HelpersError(f"{place}: {label} shows nothing; display a figure or a table there")
    if chosen.get("column", "margin") != "margin":
        raise HelpersError(f"{place}: column: {chosen['column']}; only margin is supported")
    fold = {"show": "open"}.get(chosen["code-fold"], "closed") if chosen["code-fold"] else "no"
    return Cell(
        number=place.number,
        code=code if chosen["echo"] else "",
        fold="no" if target == "typst" else fold,  # type: ignore[arg-type]
        summary=str(chosen["code-summary"]),
        outputs=outputs,
        label=label,
        caption=str(chosen.get("fig-cap") or chosen.get("tbl-cap") or ""),
        alt=str(chosen.get("fig-alt", "")),
        margin="column" in chosen,
        columns=int(chosen.get("layout-ncol", 1)),
    )


def options(raw: Mapping[str, Any], place: Place) -> tuple[dict[str, Any], str]:
    """Return the options that a cell's tags and `#|` lines give, and its code without them."""
    lines = joined(raw["source"]).splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("#|")), len(lines))
    try:
        given = yaml.safe_load("\n".join(line[2:].removeprefix(" ") for line in lines[:end])) or {}
    except yaml.YAMLError as error:
        raise HelpersError(f"{place}: its #| lines are not valid YAML: {error}") from None
    if not isinstance(given, dict):
        raise HelpersError(f"{place}: write its #| lines as `#| option: value`")
    for name in given:
        if name not in OPTIONS:
            near = difflib.get_close_matches(str(name), OPTIONS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(sorted(OPTIONS))}"
            raise HelpersError(f"{place}: unknown option {name}; {hint}")
    tagged: dict[str, Any] = {}
    for tag in raw.get("metadata", {}).get("tags", []):
        tagged |= TAGS.get(tag, {})
    return tagged | given, "\n".join(lines[end:]).strip("\n")


def joined(text: str | list[str]) -> str:
    """Return text that a notebook stores as one string or as a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def store_image(place: Place, name: str, mime: str, data: str) -> str:
    """Write an image that a notebook holds; return its path relative to the pages."""
    path = place.figures / Path(place.notebook).stem / f"{name}.{IMAGES[mime]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    is_text = mime == "image/svg+xml" and "<svg" in data
    path.write_bytes(data.encode() if is_text else base64.b64decode(data))
    return path.relative_to(place.figures.parent).as_posix()


def _outputs(
    raw: Mapping[str, Any], place: Place, target: Target, chosen: Mapping[str, Any]
) -> list[Output]:
    stored = raw.get("outputs", [])
    drawn = any(IMAGES.keys() & output.get("data", {}).keys() for output in stored)
    name = str(chosen.get("label") or f"cell-{place.number}")
    shown: list[Output] = []
    for index, output in enumerate(stored):
        if output["output_type"] == "error":
            raise HelpersError(f"{place}: stored an error, {output['ename']}: {output['evalue']}")
        if output["output_type"] == "stream":
            if stream := _stream(output, chosen):
                shown.append(stream)
        elif not (drawn and _is_leftover(output)):
            numbered = name if len(stored) == 1 else f"{name}-{index + 1}"
            shown.append(_display(output, numbered, place, target))
    return shown


def _stream(output: Mapping[str, Any], chosen: Mapping[str, Any]) -> Output | None:
    text = ANSI.sub("", joined(output["text"]))
    if output["name"] == "stderr":
        return Output("stderr", text) if chosen["warning"] else None
    return Output("markdown" if chosen["output"] == "asis" else "text", text)


def _is_leftover(output: Mapping[str, Any]) -> bool:
    text = joined(output["data"].get("text/plain", "")).strip()
    return (
        output["output_type"] == "execute_result"
        and list(output["data"]) == ["text/plain"]
        and bool(LEFTOVER.match(text))
    )


def _display(output: Mapping[str, Any], name: str, place: Place, target: Target) -> Output:
    data = output["data"]
    form = _form(data, target)
    if form is None:
        what = "the PDF cannot show" if target == "typst" else "cannot show"
        raise HelpersError(
            f"{place}: {what} {', '.join(data)}; display it as Markdown, a table or an image too"
        )
    text = joined(data[form])
    if form in IMAGES:
        width = output.get("metadata", {}).get(form, {}).get("width", 0)
        return Output("image", path=store_image(place, name, form, text), width=width)
    kinds: dict[str, Kind] = {"text/html": "html", "text/markdown": "markdown"}
    return Output(kinds.get(form, "text"), ANSI.sub("", text))


def _form(data: Mapping[str, Any], target: Target) -> str | None:
    """Return the form in which an output is shown; on paper, HTML counts for its tables alone."""
    for mime in PREFERENCE[target]:
        if mime not in data:
            continue
        text = joined(data[mime])
        if target == "html" or mime in IMAGES or mime == "text/markdown":
            return mime
        if "<table" in text if mime == "text/html" else not UNPRINTABLE.match(text):
            return mime
    return None
