"""The short page of a chapter that cannot run, since its study lacks what the chapter needs."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from helpers import say, show
from helpers.book import cells
from helpers.book.chapters import Cell, Chapter
from helpers.book.sources import FRONT
from helpers.book.studies import Card

_TITLE = re.compile(r"^#[ \t]+\S.*$", re.MULTILINE)
_HEADING = re.compile(r"^##+[ \t]+.*\{[^{}]*#(sec-[\w-]+)[^{}]*\}[ \t]*$", re.MULTILINE)
_LABEL = re.compile(r"#((?:fig|tbl|eq)-[\w-]+)")


def page(chapter: Chapter, study: Card, lacks: Iterable[str], others: Iterable[str]) -> Any:  # noqa: ANN401
    """Write the page: the chapter's title, what its study lacks, and how to add it.

    Parameters
    ----------
    chapter : Chapter
        The chapter that did not run.
    study : Card
        Its study.
    lacks : iterable of str
        Tables (`benchmarks`) and columns (`ratings.position`).
    others : iterable of str
        The text of all other pages. What they refer to in this chapter is kept as an empty figure,
        table, equation or section, so that their references lead here.

    Returns
    -------
    nbformat.NotebookNode
        A notebook of Markdown cells.
    """
    import nbformat

    texts = [_title(chapter), _notice(study, lacks), *_kept(chapter, "\n".join(others))]
    made = [nbformat.v4.new_markdown_cell(text) for text in texts]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel})


def _title(chapter: Chapter) -> str:
    first = next((cell.source for cell in chapter.cells if cell.cell_type != "code"), "")
    if (front := FRONT.match(first)) and "title:" in front[1]:
        return front[0]
    title = _TITLE.search(first)
    return title[0] if title else f"# {chapter.stem}"


def _notice(study: Card, lacks: Iterable[str]) -> str:
    lines = [_advice(study, *name.split(".", 1)) for name in lacks]
    return "\n".join(
        [
            '::: {.callout-note title="Not in this study"}',
            f"This chapter needs what the study “{show.escape(study.title)}” does not have:",
            "",
            *(f"- {line}" for line in lines),
            "",
            "Add it to the study's folder and build the book again.",
            ":::",
        ]
    )


def _advice(study: Card, table: str, column: str = "") -> str:
    if column and table in study.has:
        return f"`{table}.csv` has nothing in a column `{column}`."
    known = study.may_have.get(table, [])
    columns = say.listing([f"`{name}`" for name in known])
    return f"`{table}.csv`, a table with the columns {columns}."


def _kept(chapter: Chapter, others: str) -> Iterator[str]:
    """Yield an empty stand-in for everything here that another page refers to."""
    told: set[str] = set()
    for cell in chapter.cells:
        for label, text in _labelled(cell, chapter):
            if label not in told and re.search(rf"[@#]{re.escape(label)}(?![\w-])", others):
                told.add(label)
                yield text
    stem = re.escape(chapter.stem)
    for anchor in dict.fromkeys(re.findall(rf"\b{stem}\.(?:ipynb|html)#([\w.-]+)", others)):
        if anchor not in told and f"#{anchor}" not in _title(chapter):
            yield f"[]{{#{anchor}}}"


def _labelled(cell: Cell, chapter: Chapter) -> Iterator[tuple[str, str]]:
    """Yield the labels that a cell defines, each with its stand-in."""
    if cell.cell_type == "code":
        raw = {"source": cell.source}
        options, _ = cells.options(raw, cells.Place(chapter.name, 0, Path()))
        label = str(options.get("label", ""))
        caption = options.get(f"{label[:3]}-cap", "")
        if label.startswith(("fig-", "tbl-")):
            yield label, _stand_in(label, str(caption))
        return
    for heading in _HEADING.finditer(cell.source):
        yield heading[1], heading[0]
    for label in _LABEL.findall(cell.source):
        yield label, _stand_in(label, "")


def _stand_in(label: str, caption: str) -> str:
    if label.startswith("eq-"):
        return f"$$ \\text{{not in this study}} $$ {{#{label}}}"
    told = caption or "Not in this study"
    if label.startswith("tbl-"):
        return f"| Not in this study |\n|---|\n| – |\n\n: {told} {{#{label}}}"
    return f"::: {{#{label}}}\nNot in this study.\n\n{told}\n:::"
