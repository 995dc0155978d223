"""A paper's printed tables, and the figures its text quotes, read as printed."""

import csv
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from helpers.errors import HelpersError, did_you_mean
from helpers.printed import EDGE, DecimalSign, Interval, Printed, ambiguous, parse

TEXT = "text"
"""What stands for the text and the captions where tables are named."""

QUOTE_COLUMNS = ("place", "about", "printed", "table", "column", "rows", "statistic")
STATISTICS = ("", "cell", "count", "distinct", "span", "members", "set", "position", "min", "max")


class UnknownNameError(HelpersError):
    """Something is asked for that the paper does not have.

    Attributes
    ----------
    name : str
        What it was called.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class NotAFigureError(HelpersError):
    """What is printed where a check needs a figure is none: the check cannot be made.

    Attributes
    ----------
    table : str
        Name of the table, or "text".
    item : str
        The row, or what the quote is about.
    printed : str
        The cell as printed.
    """

    def __init__(self, table: str, item: str, place: str, printed: str, problem: str) -> None:
        shown = f"“{printed}”" if printed else "the cell is empty, which"
        super().__init__(f"{place}: {shown} {problem}")
        self.table = table
        self.item = item
        self.printed = printed


@dataclass(frozen=True)
class Quote:
    """A figure or fact that the text or a caption prints.

    Attributes
    ----------
    place : str
        Where it stands.
    about : str
        What it is a figure of; quotes with the same `about` speak of the same quantity.
    printed : str
        As printed; several items are separated by semicolons.
    table, column : str
        The table and column that print the same, or empty.
    rows : tuple of str
        Labels of the rows meant; empty for all.
    statistic : str
        What of these cells is quoted: one of `STATISTICS`.
    decimal : {".", ","}
        The decimal sign of the text.
    """

    place: str
    about: str
    printed: str
    table: str
    column: str
    rows: tuple[str, ...]
    statistic: str
    decimal: DecimalSign = "."

    @property
    def figure(self) -> Printed:
        """The quoted cell, read as a number where it is one."""
        return parse(self.printed, self.decimal)

    @property
    def number(self) -> Printed:
        """The same, for what must be a number.

        Raises
        ------
        NotAFigureError
            If it is none.
        """
        if self.figure.value is None:
            raise self.unusable("is not a number")
        return self.figure

    def count(self, least: int = 0) -> int:
        """How many of something the quote says there are.

        Raises
        ------
        NotAFigureError
            If it is no whole number, or one below `least`.
        """
        value = self.number.number
        if not value.is_integer() or self.figure.comparison != "=" or value < least:
            raise self.unusable(f"is not a count of {least} or more")
        return int(value)

    def unusable(self, problem: str) -> NotAFigureError:
        """The error that this quote cannot be used in a check."""
        place = f"{self.place}, {self.about}"
        return NotAFigureError(TEXT, self.about, place, self.printed, problem)


@dataclass(frozen=True)
class Table:
    """A printed table: column names, and rows of cells as printed; the first column labels."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    decimal: DecimalSign = "."

    @property
    def title(self) -> str:
        """How the paper calls it, "Table 4"."""
        return f"Table {int(self.name.removeprefix('table'))}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The first cell of each row, as printed (a label may repeat)."""
        return tuple(row[0] for row in self.rows)

    @property
    def items(self) -> tuple[str, ...]:
        """The rows in words: the label, with the column's name where it is a bare number."""
        return tuple(
            label if self.read(label).value is None else f"{self.columns[0]} {label}"
            for label in self.labels
        )

    def read(self, cell: str) -> Printed:
        """A cell, read as a number where it is one."""
        return parse(cell, self.decimal)

    def column(self, name: str) -> tuple[str, ...]:
        """Cells of a column, top to bottom.

        Raises
        ------
        UnknownNameError
            If there is no such column.
        """
        index = _find(name, self.columns, f"{self.name}.csv: no column")
        return tuple(row[index] for row in self.rows)

    def select(self, rows: Sequence[str]) -> tuple[int, ...]:
        """Positions of the rows with these labels, in the table's order; all for no label.

        Raises
        ------
        UnknownNameError
            If a label is not in the table.
        """
        for label in rows:
            _find(label, self.labels, f"{self.name}.csv: no row")
        return tuple(i for i, label in enumerate(self.labels) if not rows or label in rows)


@dataclass(frozen=True)
class Paper:
    """All that is transcribed of one paper."""

    folder: Path
    tables: dict[str, Table]
    quotes: tuple[Quote, ...]

    def table(self, name: str) -> Table:
        """The table of this name.

        Raises
        ------
        UnknownNameError
            If it was not transcribed.
        """
        _find(name, tuple(self.tables), f"{self.folder.name}: no table")
        return self.tables[name]

    def quote(self, about: str) -> Quote:
        """The first quote about this.

        Raises
        ------
        UnknownNameError
            If the text quotes nothing about it.
        """
        abouts = tuple(quote.about for quote in self.quotes)
        return self.quotes[_find(about, abouts, "text.csv: nothing about")]

    def with_signs(self, signs: Mapping[str, DecimalSign]) -> "Paper":
        """The paper read with these decimal signs, by name of the table, or "text"."""
        tables = {name: replace(t, decimal=signs.get(name, ".")) for name, t in self.tables.items()}
        quotes = tuple(replace(q, decimal=signs.get(TEXT, ".")) for q in self.quotes)
        return replace(self, tables=tables, quotes=quotes)

    def with_commas(self) -> Iterator[tuple[str, str, str]]:
        """Numbers with a comma, which the decimal sign gives a meaning: table, place and cell."""
        for name, table in self.tables.items():
            for number, row in enumerate(table.rows, start=2):
                for column, cell in zip(table.columns, row, strict=True):
                    if ambiguous(cell):
                        yield name, f"{name}.csv, row {number}, column {column}", cell
        for number, quote in enumerate(self.quotes, start=2):
            if ambiguous(quote.printed):
                yield TEXT, f"text.csv, row {number}, column printed", quote.printed

    def cells(self, table: str, column: str, rows: Sequence[str] = ()) -> list[Printed]:
        """Cells of a column, read as numbers where they are numbers."""
        printed = self.table(table)
        cells = printed.column(column)
        return [printed.read(cells[i]) for i in printed.select(rows)]

    def cell(self, table: str, column: str, index: int) -> Printed:
        """A cell as the table prints it, for what must be a number.

        Raises
        ------
        NotAFigureError
            If the cell holds no number.
        """
        one = self.table(table)
        printed = one.read(one.column(column)[index])
        if printed.value is None:
            raise self.unusable(table, column, index, "is not a number")
        return printed

    @functools.cached_property
    def _quoted(self) -> dict[tuple[str, str, str], list[Printed]]:
        """Figures of single cells that the text quotes."""
        quoted: dict[tuple[str, str, str], list[Printed]] = {}
        for quote in self.quotes:
            if quote.statistic == "cell" and len(quote.rows) == 1:
                place = (quote.table, quote.column, quote.rows[0])
                quoted.setdefault(place, []).append(quote.figure)
        return quoted

    def finest(self, table: str, column: str, index: int) -> Printed:
        """The figure of a cell with most digits: as the table prints it, or as the text quotes it.

        A quote that contradicts the cell is not used; the audit reports it by itself.

        Raises
        ------
        NotAFigureError
            If the cell holds no number.
        """
        best = self.cell(table, column, index)
        label = self.table(table).labels[index]
        for quote in self._quoted.get((table, column, label), []):
            if _refines(quote, best):
                best = quote
        return best

    def figure(self, table: str, column: str, index: int) -> Printed:
        """The same for a cell that a formula needs, so that a bound will not do.

        Raises
        ------
        NotAFigureError
            If the cell holds no number, or a bound such as "<0.001".
        """
        best = self.finest(table, column, index)
        if best.comparison in "<>":
            raise self.unusable(table, column, index, "is a bound and not a figure")
        return best

    def unusable(self, table: str, column: str, index: int, problem: str) -> NotAFigureError:
        """The error that a cell cannot be used in a check; it names the cell's place."""
        printed = self.table(table)
        item = printed.items[index]
        place = f"{printed.title}, row {item}, column {column}"
        return NotAFigureError(table, item, place, printed.column(column)[index], problem)

    def shown(self, table: str, column: str, index: int) -> str:
        """A cell as printed, with a finer printing of it in the text beside."""
        cell, finest = self.table(table).column(column)[index], self.finest(table, column, index)
        return cell if finest.text == cell else f"{cell} ({finest.text} in the text)"

    def interval(self, table: str, column: str, index: int) -> Interval:
        """What a numeric cell can stand for, by its finest printing (see `finest`)."""
        return self.finest(table, column, index).interval


def table(paper: Paper, name: str) -> pl.DataFrame:
    """A table as printed, cell by cell."""
    one = paper.table(name)
    return pl.DataFrame(list(one.rows), schema=list(one.columns), orient="row")


def quotes(paper: Paper) -> pl.DataFrame:
    """Figures and facts that text and captions print, as printed."""
    rows = [(quote.about, quote.printed, quote.place) for quote in paper.quotes]
    return pl.DataFrame(rows, schema=["About", "Printed", "Place"], orient="row")


def _refines(quote: Printed, cell: Printed) -> bool:
    if quote.value is None or {quote.comparison, cell.comparison} != {"="}:
        return False
    return quote.decimals > cell.decimals and quote.interval.overlap(cell.interval) > EDGE


def _find(name: str, known: Sequence[str], complaint: str) -> int:
    """Position of `name` among `known`, or an error that suggests the nearest."""
    if name in known:
        return list(known).index(name)
    hint = did_you_mean(name, known) or f"; there are: {', '.join(known)}"
    raise UnknownNameError(name, f"{complaint} “{name}”{hint}")


def _read_csv(path: Path) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [tuple(cell.strip() for cell in row) for row in csv.reader(file) if row]
    except UnicodeDecodeError as error:
        raise HelpersError(
            f"{path.name}: not UTF-8 (byte {error.start}); save it as UTF-8"
        ) from None
    if len(lines) < 2:
        raise HelpersError(f"{path.name}: expected a header and at least one row")
    header, rows = lines[0], lines[1:]
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise HelpersError(
                f"{path.name}, row {number}: {len(row)} cells, expected {len(header)} as in the "
                "header"
            )
    if len(set(header)) < len(header):
        raise HelpersError(f"{path.name}: a column name is there twice")
    return header, tuple(rows)


def _quote(row: dict[str, str], number: int) -> Quote:
    if row["statistic"] not in STATISTICS:
        known = ", ".join(STATISTICS[1:])
        raise HelpersError(
            f"text.csv, row {number}, column statistic: “{row['statistic']}”, expected one of "
            f"{known}, or nothing"
        )
    if bool(row["table"]) != bool(row["statistic"]):
        raise HelpersError(f"text.csv, row {number}: table and statistic go together")
    rows = tuple(part.strip() for part in row.pop("rows").split(";") if part.strip())
    if row["statistic"] == "position" and len(rows) != 1:
        raise HelpersError(
            f"text.csv, row {number}, column rows: “{'; '.join(rows)}”, expected the label of the "
            "one row whose position is quoted"
        )
    return Quote(**row, rows=rows, decimal=".")


def load(folder: Path) -> Paper:
    """Read a folder of transcribed tables.

    Parameters
    ----------
    folder : Path
        Holds `table01.csv` and so on, as many as there are, and `text.csv` with the columns
        `QUOTE_COLUMNS`. Every cell is kept as printed.

    Returns
    -------
    Paper
        The tables by name, and the quotes in order.

    Raises
    ------
    HelpersError
        If a file is missing, ragged, empty or not UTF-8, or a quote's columns are off, or quotes
        point to tables, columns or rows that are not there.
    """
    files = sorted(folder.glob("table[0-9][0-9].csv"))
    if not files:
        raise HelpersError(f"{folder}: holds no table01.csv, table02.csv, …")
    tables = {path.stem: Table(path.stem, *_read_csv(path)) for path in files}
    text = folder / "text.csv"
    if not text.exists():
        return Paper(folder, tables, ())
    header, rows = _read_csv(text)
    if header != QUOTE_COLUMNS:
        raise HelpersError(f"text.csv: columns {', '.join(header)}; expected {QUOTE_COLUMNS}")
    quotes = tuple(
        _quote(dict(zip(header, row, strict=True)), number)
        for number, row in enumerate(rows, start=2)
    )
    paper = Paper(folder, tables, quotes)
    if faults := list(_astray(paper)):
        raise HelpersError("\n".join(faults))
    return paper


def _astray(paper: Paper) -> Iterator[str]:
    """Faults of quotes that point to what no table has."""
    for number, quote in enumerate(paper.quotes, start=2):
        if quote.table:
            try:
                table = paper.table(quote.table)
                table.column(quote.column)
                table.select(quote.rows)
            except HelpersError as fault:
                yield f"text.csv, row {number}: {fault}"
