"""Quarto sources as plain data: what the embedded renderer reads from a staged book.

Everything that Quarto's own reader does before Markdown is parsed happens here, so that both
engines see the same text: chapter lists, front matter, includes, notebook cells with their options
and stored outputs. What is left is Markdown with numbered holes where the code cells go.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from helpers.book import cells
from helpers.book.cells import Cell, Place, Target
from helpers.errors import HelpersError
from helpers.paths import inside

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
SHORTCODE = re.compile(r"^\s*\{\{<\s*(\S+)\s*(.*?)\s*>\}\}\s*$")
STAGED = "staged"
"""Tag of cells that staging adds; messages count the others alone, as their author does."""
PAGEBREAK = "```{=typst}\n#pagebreak(weak: true)\n```"


@dataclass(frozen=True)
class Chapter:
    """One chapter: Markdown in which the div `.notebook-cell` with number n stands for cell n."""

    stem: str
    file: str
    part: str
    appendix: bool
    title: str
    text: str
    cells: list[Cell]


@dataclass(frozen=True)
class Book:
    """What the renderer needs to know of a book, for one target."""

    target: Target
    title: str
    subtitle: str
    authors: list[str]
    date: str
    lang: str
    bibliography: list[str]
    csl: str
    toc_depth: int
    downloads: bool
    chapters: list[Chapter]

    def as_json(self) -> str:
        """Return the book as JSON text, with the field names used here."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read(stage: Path, figures: Path, target: Target) -> Book:
    """Read a staged Quarto book.

    Parameters
    ----------
    stage : Path
        Folder with `_quarto.yml` and, in its root, the chapters that it lists.
    figures : Path
        Folder for the images stored in notebooks, beside the pages that will show them.
    target : {"html", "typst"}
        What the book is read for: cell options may differ, and so does the form of an output.

    Returns
    -------
    Book
        Plain data, ready for the Lua half of the renderer.

    Raises
    ------
    HelpersError
        Naming the file, and the cell, of anything that one of the two engines would not render.
    """
    config = settings(stage)
    book = config.get("book") or {}
    defaults = cells.DEFAULTS | _execution(config, target)
    html = _format(config, "html")
    reading = _Reading(stage, figures, target)
    return Book(
        target=target,
        title=str(book.get("title", "Untitled")),
        subtitle=str(book.get("subtitle", "")),
        authors=[
            str(author["name"] if isinstance(author, dict) else author)
            for author in _list(book.get("author"))
        ],
        date=str(book.get("date", "")),
        lang=str(config.get("lang", "en")),
        bibliography=[str(inside(name, stage)) for name in _list(config.get("bibliography"))],
        csl=str(inside(config["csl"], stage)) if config.get("csl") else "",
        toc_depth=int(html.get("toc-depth", 3)),
        downloads="pdf" in _list(book.get("downloads")),
        chapters=[_chapter(reading, *entry, defaults) for entry in _listed(book)],
    )


def settings(stage: Path) -> dict[str, Any]:
    """Return the staged `_quarto.yml`."""
    path = stage / "_quarto.yml"
    if not path.is_file():
        raise HelpersError(f"{stage}: has no _quarto.yml, so there is no book to render")
    return _mapping(path.read_text("utf-8-sig"), "_quarto.yml")


def _listed(book: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield (file, part, whether an appendix) for each chapter, in reading order."""
    for key, appendix in (("chapters", False), ("appendices", True)):
        for item in _list(book.get(key)):
            if isinstance(item, str):
                yield item, "Appendices" if appendix else "", appendix
            elif isinstance(item, dict) and "part" in item:
                if str(item["part"]).endswith((".qmd", ".md")):
                    raise HelpersError(f"_quarto.yml: part {item['part']}: give a title, no file")
                for file in _list(item.get("chapters")):
                    yield str(file), str(item["part"]), appendix
            else:
                raise HelpersError(
                    f"_quarto.yml: {key} has {item}; write a file, or part: with chapters:"
                )


@dataclass(frozen=True)
class _Reading:
    """What a book is read from, where its images go, and what it is read for."""

    stage: Path
    figures: Path
    target: Target


def _chapter(
    reading: _Reading, file: str, part: str, appendix: bool, defaults: Mapping[str, Any]
) -> Chapter:
    path = inside(file, reading.stage)
    if not path.is_file():
        raise HelpersError(f"_quarto.yml: chapter {file} is not there")
    source = path.read_text("utf-8-sig")
    code: list[Cell] = []
    if path.suffix == ".ipynb":
        notebook = _notebook(source, file)
        first = notebook[0] if notebook and notebook[0]["cell_type"] != "code" else {"source": ""}
        front, first["source"] = _split_front(cells.joined(first["source"]), file)
        chosen = {**defaults, **_execution(front, reading.target)}
        text, code = _join(reading, notebook, file, chosen)
    else:
        front, text = _split_front(source, file)
    return Chapter(
        stem=path.stem,
        file=file,
        part=part,
        appendix=appendix,
        title=str(front.get("title", "")),
        text=_expand(reading, text, path),
        cells=code,
    )


def _join(
    reading: _Reading, notebook: list[dict[str, Any]], file: str, defaults: Mapping[str, Any]
) -> tuple[str, list[Cell]]:
    """Join the cells to one text, as Quarto does, so that a div may span several of them."""
    pieces: list[str] = []
    code: list[Cell] = []
    number = 0
    for raw in notebook:
        number += STAGED not in raw["metadata"].get("tags", [])
        place = Place(file, number, reading.figures)
        if raw["cell_type"] != "code":
            pieces.append(_attached(raw, place))
        elif cell := cells.read(raw, place, reading.target, defaults):
            code.append(cell)
            pieces.append(f'::: {{.notebook-cell number="{number}"}}\n:::')
    return "\n\n".join(pieces), code


def _attached(raw: Mapping[str, Any], place: Place) -> str:
    """Return a Markdown cell's text with the images pasted into it written out and linked."""
    text = cells.joined(raw["source"])
    for name, forms in raw.get("attachments", {}).items():
        mime = next((mime for mime in forms if mime in cells.IMAGES), None)
        if mime is None:
            raise HelpersError(f"{place}: attachment {name} is not an image the book can show")
        stem = f"cell-{place.number}-" + re.sub(r"\W+", "-", Path(name).stem)
        image = cells.store_image(place, stem, mime, cells.joined(forms[mime]))
        text = text.replace(f"attachment:{name}", image)
    return text


def _expand(reading: _Reading, text: str, path: Path, within: tuple[Path, ...] = ()) -> str:
    """Replace the shortcodes that stand on a line of their own, outside code blocks."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = FENCE.match(line)
        code = SHORTCODE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif code and not fence and code[1] == "include":
            line = _included(reading, code[2].strip("\"'"), path, (*within, path))
        elif code and not fence and code[1] == "pagebreak":
            line = PAGEBREAK if reading.target == "typst" else ""
        elif code and not fence:
            raise HelpersError(f"{path.name}: the book may not use the shortcode {code[1]}")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _included(reading: _Reading, name: str, path: Path, within: tuple[Path, ...]) -> str:
    included = inside(path.parent / name, reading.stage)
    if included in within:
        raise HelpersError(f"{path.name}: includes itself through {name}")
    if not included.is_file():
        raise HelpersError(f"{path.name}: includes {name}, which is not there")
    return _expand(reading, included.read_text("utf-8-sig"), included, within)


def _notebook(source: str, file: str) -> list[dict[str, Any]]:
    try:
        return list(json.loads(source)["cells"])
    except (ValueError, KeyError, TypeError):
        raise HelpersError(f"{file}: is not a notebook of format 4") from None


def _split_front(text: str, file: str) -> tuple[dict[str, Any], str]:
    """Split YAML front matter from the text below it."""
    front = FRONT.match(text)
    return (_mapping(front[1], file), text[front.end() :]) if front else ({}, text)


def _execution(level: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """Return the cell options that one level of configuration sets for all its cells."""
    merged: dict[str, Any] = {}
    for source in (level, level.get("execute"), _format(level, target)):
        if isinstance(source, dict):
            merged |= source | (source.get("execute") or {})
    return {name: merged[name] for name in cells.DEFAULTS if name in merged}


def _format(level: Mapping[str, Any], target: str) -> dict[str, Any]:
    formats = level.get("format")
    chosen = formats.get(target) if isinstance(formats, dict) else None
    return chosen if isinstance(chosen, dict) else {}


def _mapping(text: str, file: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise HelpersError(f"{file}: is not valid YAML: {error}") from None
    if not isinstance(found, dict):
        raise HelpersError(f"{file}: expected `name: value` lines at the top level")
    return found


def _list(value: Any) -> list[Any]:  # noqa: ANN401 (whatever YAML holds)
    return value if isinstance(value, list) else [] if value is None else [value]
