"""What a chapter shows: Markdown tables and paragraphs, escaped, the same in every engine."""

import re
from collections.abc import Sequence

import polars as pl

from helpers import say
from helpers.printed import parse

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~^@!])")


class Markdown(str):
    """Text that a notebook shows as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def prose(*sentences: str) -> Markdown:
    """A paragraph of sentences already written as Markdown."""
    return Markdown(" ".join(sentences))


def table(
    frame: pl.DataFrame,
    widths: Sequence[int] | None = None,
    digits: int = 2,
    markdown: Sequence[str] = (),
) -> Markdown:
    """A data frame as a Markdown pipe table.

    Parameters
    ----------
    frame : polars.DataFrame
        Column names become the header. Numbers, also printed ones, are right-aligned; missing
        cells read "–".
    widths : sequence of int, optional
        Relative widths of the columns; needed where cells hold sentences, which then wrap.
    digits : int
        Decimals of floats.
    markdown : sequence of str
        Columns that hold Markdown already; all others are escaped.

    Returns
    -------
    Markdown
        Shown by JupyterLab, Quarto and the embedded engine alike; says so when there is no row.

    Raises
    ------
    ValueError
        If `widths` does not give one figure for each column.
    """
    if widths is not None and len(widths) != frame.width:
        raise ValueError(f"{len(widths)} widths for {frame.width} columns")
    if frame.is_empty():
        return Markdown("Nothing to list.")
    right = [_is_numeric(frame[name]) for name in frame.columns]
    dashes = [max(3, width) for width in widths or [3] * frame.width]
    rule = [
        "-" * (n - 1) + ":" if flush else "-" * n for n, flush in zip(dashes, right, strict=True)
    ]
    cells = [
        [_cell(value, digits, name in markdown) for name, value in row.items()]
        for row in frame.iter_rows(named=True)
    ]
    lines = [[escape(name) for name in frame.columns], rule, *cells]
    return Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _is_numeric(column: pl.Series) -> bool:
    """Whether a column holds numbers, as numbers or as printed."""
    if column.dtype != pl.String:
        return column.dtype.is_numeric()
    return all(parse(text).value is not None for text in column if text)


def _cell(value: object, digits: int, is_markdown: bool) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, float):
        return say.number(value, digits)
    if isinstance(value, int) and not isinstance(value, bool):
        return say.number(value, 0)
    return str(value) if is_markdown else escape(str(value))
