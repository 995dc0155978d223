"""What stands with each figure and table: its values as a file, its chapter's key, its data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helpers.book import cells
from helpers.book.keys import ABSENT, key
from helpers.book.sources import STAGED
from helpers.show import CSV
from helpers.stamp import SIMULATED

TABLES = "tables"
"""Folder of the book for tables as CSV."""

SHORT = 12
"""Digits of a key or digest that are shown: enough to tell two apart."""


def add(notebook: Any, made_of: Mapping[str, str], simulated: bool) -> dict[str, str]:  # noqa: ANN401
    """Put a line below each labelled figure and table of a chapter.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed chapter; it is changed, and loses the values that tables hand on.
    made_of : mapping of str to str
        Ingredients of the chapter's key.
    simulated : bool
        Whether its data are simulated, which the names of its files then say.

    Returns
    -------
    dict of str to str
        Path in the book, such as "tables/tbl-counts.csv", to the content of the file.
    """
    import nbformat

    files: dict[str, str] = {}
    labels = [_label(cell) for cell in notebook.cells]
    beside = []
    for cell, label in zip(notebook.cells, labels, strict=True):
        beside.append(cell)
        values = [cells.joined(taken) for taken in _take(cell)]
        if not label:
            continue
        first = ""
        if label.startswith("tbl-") and len(values) == 1:
            name = f"{label}-{SIMULATED}.csv" if simulated else f"{label}.csv"
            files[f"{TABLES}/{name}"] = values[0]
            first = _screen(f"[{name}]({TABLES}/{name})")
        elif (numbers := f"tbl-{label[4:]}") in labels:
            first = f"Numbers in @{numbers} · "
        line = nbformat.v4.new_markdown_cell(small(f"{first}{_origin(made_of)}"))
        line.metadata.tags = [STAGED]
        beside.append(line)
    notebook.cells = beside
    return files


def small(line: str) -> str:
    """A line of small print: how something was made."""
    # Quarto's PDF reads the size from the style, its pages and ours from the class.
    return f'::: {{.provenance style="font-size: 0.8em"}}\n{line}\n:::'


def data_digest(made_of: Mapping[str, str]) -> str:
    """Digest of all that a chapter reads: data and results of others; empty if it reads nothing."""
    read = {
        name: value
        for name, value in made_of.items()
        if name.startswith(("data ", "results ")) and value != ABSENT
    }
    return next(iter(read.values())) if len(read) == 1 else key(read) if read else ""


def _label(cell: Any) -> str:  # noqa: ANN401
    """Label of a cell that shows a figure or a table."""
    if cell.cell_type != "code":
        return ""
    options, _ = cells.options(cell, cells.Place("", 0, Path()))
    label = str(options.get("label", ""))
    return label if label.startswith(("fig-", "tbl-")) and options.get("include", True) else ""


def _take(cell: Any) -> list[str | list[str]]:  # noqa: ANN401
    """Take the values out of what a cell shows."""
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    return [data.pop(CSV) for data in shown if CSV in data]


def _screen(text: str) -> str:
    return f'[{text} ·]{{.content-visible when-format="html"}} '


def _origin(made_of: Mapping[str, str]) -> str:
    told = f"Chapter key `{key(made_of)[:SHORT]}`"
    data = data_digest(made_of)[:SHORT]
    return f"{told} · Data `{data}`" if data else told
