"""What a chapter shows: figures, tables and paragraphs, escaped, the same in every engine."""

import base64
import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from helpers import say
from helpers.printed import parse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CSV = "text/csv"
"""The form in which a table hands on its values; the build makes a file of it."""

LARGE = 700_000
"""Characters beyond which a figure is stored as pixels, since its lines would take too long."""

_SPACE = re.compile(
    r"[^\S\xa0\u2009\u202f]+"
)  # all but the spaces that keep a number and its unit together
_SPECIAL = re.compile(
    r"[\\`*_{}\[\]<>#|$~^@!&\"']"  # marks, entities, and quotes that would be curled
    r"|-(?=-)|(?<=-)-|\.(?=\.)|(?<=\.)\."  # dashes and ellipses in the making
    r"|^[-+:=%](?=\s|$)"  # beginnings of blocks
)
_ITEM = re.compile(r"^(\(?\w{1,9})([.)])(?=\s|$)")  # "1. ", "(a) ": the beginning of a list


class Markdown(str):
    """Text that a notebook shows as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line, whichever engine reads it."""
    marked = _SPECIAL.sub(r"\\\g<0>", _SPACE.sub(" ", text).strip(" "))
    return _ITEM.sub(r"\1\\\2", marked)


def prose(*sentences: str) -> Markdown:
    """A paragraph of sentences already written as Markdown."""
    return Markdown(" ".join(sentences))


REASON = "helpers-reason"
"""In the metadata of an output: that it says why there is no figure."""


class Reason(Markdown):
    """Why there is no figure, in its place; the build takes other paragraphs there for mistakes."""

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"text/markdown": str(self), "text/plain": str(self)}, {REASON: True}


class Table(Markdown):
    """A table for readers, with the values behind it."""

    csv: str

    def __new__(cls, text: str, csv: str) -> "Table":
        """Join what is shown and the same values as CSV."""
        made = super().__new__(cls, text)
        made.csv = csv
        return made

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/markdown": str(self), CSV: self.csv, "text/plain": str(self)}


def table(
    frame: pl.DataFrame,
    widths: Sequence[int] | None = None,
    digits: int | Mapping[str, int] = 2,
    markdown: Sequence[str] = (),
    p_values: Sequence[str] = (),
    intervals: Mapping[str, tuple[str, str]] | None = None,
) -> Table:
    """A data frame as a Markdown pipe table, with its full values as CSV.

    Parameters
    ----------
    frame : polars.DataFrame
        Column names become the header. Numbers, also printed ones, are right-aligned; missing
        cells read "–".
    widths : sequence of int, optional
        Relative widths of the columns; needed where cells hold sentences, which then wrap.
    digits : int or mapping of str to int
        Decimals of floats, of all columns or of those named (others get two).
    markdown : sequence of str
        Columns that hold Markdown already; all others are escaped.
    p_values : sequence of str
        Columns of p-values, shown as in journals: ".012", "< .001".
    intervals : mapping of str to (str, str), optional
        Headers such as "95 % CI", each with two columns of ends that are shown as "[0.42, 0.51]"
        where the lower one stands. The CSV keeps both.

    Returns
    -------
    Table
        Shown by JupyterLab, Quarto and the embedded engine alike; says so when there is no row.

    Raises
    ------
    ValueError
        If `widths` does not give one figure for each column shown.
    """
    columns = _columns(frame, digits, markdown, p_values, intervals or {})
    if widths is not None and len(widths) != len(columns):
        raise ValueError(f"{len(widths)} widths for {len(columns)} columns")
    csv = _csv(frame, markdown)
    if frame.is_empty():
        return Table("Nothing to list.", csv)
    dashes = [max(3, width) for width in widths or [3] * len(columns)]
    rule = [
        "-" * (n - 1) + ":" if right else "-" * n
        for n, (_, right, _) in zip(dashes, columns, strict=True)
    ]
    rows = zip(*(cells for _, _, cells in columns), strict=True)
    lines = [[escape(name) for name, _, _ in columns], rule, *rows]
    return Table("\n".join(f"| {' | '.join(line)} |" for line in lines), csv)


def _columns(
    frame: pl.DataFrame,
    digits: int | Mapping[str, int],
    markdown: Sequence[str],
    p_values: Sequence[str],
    intervals: Mapping[str, tuple[str, str]],
) -> list[tuple[str, bool, list[str]]]:
    """The columns as shown: header, whether flush right, cells."""
    ends = {low: (head, high) for head, (low, high) in intervals.items()}
    uppers = {high for _, high in ends.values()}
    columns = []
    for name in frame.columns:
        decimals = digits if isinstance(digits, int) else digits.get(name, 2)
        if name in ends:
            head, high = ends[name]
            pairs = zip(frame[name], frame[high], strict=True)
            columns.append((head, True, [_interval(low, up, decimals) for low, up in pairs]))
        elif name in p_values:
            cells = ["–" if p is None else say.p_value(p, "") for p in frame[name]]
            columns.append((name, True, cells))
        elif name not in uppers:
            cells = [_cell(value, decimals, name in markdown) for value in frame[name].to_list()]
            columns.append((name, _is_numeric(frame[name]), cells))
    return columns


def _interval(low: float | None, high: float | None, digits: int) -> str:
    return "–" if low is None or high is None else escape(say.interval(low, high, digits))


def _csv(frame: pl.DataFrame, markdown: Sequence[str]) -> str:
    """Every value in full, without what only marks it up."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    plain = frame.with_columns(
        *(pl.col(name).str.replace_all(r"[*`\\@]", "") for name in markdown),
        *(pl.Series(name, map(str, frame[name].to_list()), pl.String) for name in nested),
    )
    return plain.write_csv()


def figure(drawn: Any) -> "Picture | Markdown":  # noqa: ANN401
    """A figure as the book stores it: lines and letters on no background, the same bytes each time.

    Parameters
    ----------
    drawn : plotnine.ggplot, or matplotlib's Figure or Axes, or a grid of seaborn
        See `helpers.look` for its colours. It is closed, so that it is not shown twice. Markdown
        that says why there is nothing to draw is shown as it is.

    Returns
    -------
    Picture or Markdown
        Shown by JupyterLab, Quarto and the embedded engine alike.
    """
    if isinstance(drawn, Markdown):
        return Reason(drawn)
    import matplotlib.pyplot as plt  # late: slow to import, and tables do not need it
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    own = drawn if isinstance(drawn, Figure) else getattr(drawn, "figure", None)
    with rc_context({"svg.hashsalt": "book", "svg.fonttype": "path", "text.parse_math": False}):
        canvas = own if isinstance(own, Figure) else drawn.draw()
        picture = Picture(canvas)
    plt.close(canvas)
    return picture


class Picture:
    """A figure that a notebook shows, as SVG; as PNG where that would be too large."""

    def __init__(self, canvas: "Figure") -> None:
        self.bundle: dict[str, Any] = {"text/plain": "figure"}
        self.metadata: dict[str, Any] = {}
        svg = io.StringIO()
        canvas.savefig(svg, format="svg", transparent=True, metadata={"Date": None})
        if len(svg.getvalue()) <= LARGE:
            self.bundle["image/svg+xml"] = svg.getvalue()
            return
        png = io.BytesIO()
        canvas.savefig(png, format="png", transparent=True, dpi=192, metadata={"Software": None})
        self.bundle["image/png"] = base64.b64encode(png.getvalue()).decode()
        self.metadata["image/png"] = {"width": round(96 * canvas.get_figwidth())}

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.bundle, self.metadata


def _is_numeric(column: pl.Series) -> bool:
    """Whether a column holds numbers, as numbers or as printed."""
    if column.dtype != pl.String:
        return column.dtype.is_numeric()
    texts = [text for text in column if text]
    return bool(texts) and all(parse(text).value is not None for text in texts)


def _cell(value: object, digits: int, is_markdown: bool) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, float):
        return say.number(value, digits)
    if isinstance(value, int) and not isinstance(value, bool):
        return say.number(value, 0)
    return str(value) if is_markdown else escape(str(value))
