"""Pages over simulated data say so: in a banner, in their title and in every caption."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from helpers.book import cells
from helpers.book.sources import FENCE, FRONT
from helpers.stamp import BANNER, SIMULATED, marked

_TITLE = re.compile(r"^#[ \t]+(.*?)([ \t]*\{[^{}]*\})?[ \t]*$", re.MULTILINE)
_END = re.compile(r"^(.*?)([ \t]*\{[^{}]*\})?[ \t]*$")
_CAPTION = re.compile(r"^(?:Table)?:[ \t]+\S")
_IMAGE = re.compile(r"!\[((?:[^\[\]]|\[[^\[\]]*\])*)\](\([^()]*\)(?:\{[^{}]*\})?)")
_DIV = re.compile(r"^:{3,}[ \t]*(.*)$")
_NO_CAPTION = ("|", "+", "!", ":::", "`", "<", "$")
"""How lines begin that end a figure without being its caption."""


def mark(notebook: Any) -> None:  # noqa: ANN401
    """Mark a page (a notebook about to be staged) as one of simulated data; it is changed."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            options = _mark_options(cell)
            for output in cell.outputs:
                _mark_output(output, as_is=options.get("output") == "asis")
        else:
            cell.source = captions(cell.source)
    _entitle(notebook)


def captions(text: str) -> str:
    """Mark the captions in Markdown: below tables, of images, at the end of figure divs."""
    lines: list[str] = []
    floats: list[bool] = []  # of each open div: whether it is a figure or table
    fence, in_caption = "", False
    for line in [*text.split("\n"), ""]:
        if in_caption and not line.strip():
            lines[-1] = _ended(lines[-1])
            in_caption = False
        bar = FENCE.match(line)
        if fence or bar:
            closes = bar and bar[1].startswith(fence) and line.strip() == bar[1]
            fence = "" if fence and closes else fence or (bar[1] if bar else "")
        elif div := _DIV.match(line):
            if div[1]:
                floats.append("#fig-" in div[1] or "#tbl-" in div[1])
            elif floats and floats.pop():
                _mark_last(lines)
        elif _CAPTION.match(line) and ("#tbl-" in line or _last(lines)[:1] in {"|", "+"}):
            in_caption = True
        else:
            line = _IMAGE.sub(_image, line)
        lines.append(line)
    return "\n".join(lines[:-1])


def _entitle(notebook: Any) -> None:  # noqa: ANN401
    """Mark the title and put the banner below it."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            return
        if front := FRONT.match(cell.source):
            values = yaml.safe_load(front[1]) or {}
            if "title" in values:
                values["title"] = marked(str(values["title"]))
                told = yaml.safe_dump(values, allow_unicode=True, sort_keys=False)
                cell.source = f"---\n{told}---\n\n{BANNER}\n{cell.source[front.end() :]}"
                return
        if title := _TITLE.search(cell.source):
            line = f"# {_ended(title[0].lstrip('# '))}"
            before, after = cell.source[: title.start()], cell.source[title.end() :]
            cell.source = f"{before}{line}\n\n{BANNER}{after}"
            return


def _mark_options(cell: Any) -> dict[str, Any]:  # noqa: ANN401
    """Mark the caption that a cell's `#|` lines give its figure or table."""
    options, code = cells.options(cell, cells.Place("", 0, Path()))
    label = str(options.get("label", ""))
    names = [name for name in options if name in {"fig-cap", "tbl-cap"}]
    if label.startswith(("fig-", "tbl-")) and not names:
        names = [f"{label[:3]}-cap"]
    if names:
        options |= {name: marked(str(options.get(name, "")).strip()) for name in names}
        lines = [f"#| {name}: {json.dumps(v, ensure_ascii=False)}" for name, v in options.items()]
        cell.source = "\n".join([*lines, code])
    return options


def _mark_output(output: Any, as_is: bool) -> None:  # noqa: ANN401
    """Mark captions that a cell wrote itself."""
    if as_is and output.output_type == "stream" and output.name == "stdout":
        output.text = captions(output.text)
    data = output.get("data", {})
    if "text/markdown" in data:
        data["text/markdown"] = captions(cells.joined(data["text/markdown"]))
    if "text/html" in data:
        html = cells.joined(data["text/html"])
        data["text/html"] = html.replace("</caption>", f" ({SIMULATED})</caption>")


def _ended(line: str) -> str:
    """Mark the end of a title or caption, in front of its attributes."""
    end = _END.match(line)
    return f"{marked(end[1])}{end[2] or ''}" if end else line


def _last(lines: list[str]) -> str:
    return next((line for line in reversed(lines) if line.strip()), "")


def _mark_last(lines: list[str]) -> None:
    """Mark the last paragraph of a div, or give it one."""
    last = _last(lines)
    if last.startswith(_NO_CAPTION) and SIMULATED not in last:
        lines += ["", f"({SIMULATED})"]
    elif SIMULATED not in last:
        place = max(i for i, line in enumerate(lines) if line.strip())
        lines[place] = _ended(lines[place])


def _image(image: re.Match[str]) -> str:
    caption, rest = image.groups()
    return f"![{marked(caption) if caption or '#fig-' in rest else ''}]{rest}"
