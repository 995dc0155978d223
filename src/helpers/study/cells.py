"""Sheets of text turned into typed tables: columns found, cells converted, ids looked up."""

from collections.abc import Mapping

import polars as pl

from helpers.errors import near
from helpers.study.convert import CONVERTERS, DATE, explain
from helpers.study.faults import SHOWN, Cell, Findings, ask, counted, listed, show
from helpers.study.schema import Column, Table
from helpers.study.sheet import Sheet

MARKS = ("_row", "_faulty", "_twice", "_unread")  # columns that are not the file's own
SURE = 0.85  # likeness at which a strange column is taken for a misspelt optional one


def read_table(
    table: Table, sheet: Sheet, known: Mapping[str, pl.Series], found: Findings, names_known: bool
) -> pl.DataFrame:
    """Turn the text of a sheet into the columns that its table asks for.

    Parameters
    ----------
    table : Table
        What the file should hold.
    sheet : Sheet
        What it holds.
    known : mapping of str to Series
        Ids of the tables read before, by table; an id of a table that is not among them is taken
        as it is.
    found : Findings
        Receives faults and notices.
    names_known : bool
        Whether the table names all its columns; if not, strange columns are passed over silently.

    Returns
    -------
    DataFrame
        The columns found, typed (a wrong cell is null, an unknown id is kept), and four more:
        `_row`, the row's number in the file, `_faulty`, whether its key is wrong, `_twice`, whether
        its key occurs again, and `_unread`, whether a `relative` column is wrong.
    """
    places = _places(table, sheet, found, names_known)
    rows = sheet.cells["row"].alias("_row")
    values = [rows]
    faulty, unread = (
        pl.Series(name, [False]).new_from_index(0, rows.len()) for name in ("_faulty", "_unread")
    )
    for column in table.columns:
        if column.name not in places:
            continue
        text = sheet.cells[str(places[column.name])].alias(column.name)
        value, wrong, expected = CONVERTERS[column.type](text, column)
        _report(table.file, column, text, rows, wrong, expected, found)
        if not column.blank:
            wrong |= _blank(table.file, column, text, rows, found)
        if column.type == "number":
            _marks(table.file, column, text.set(wrong, None), rows, found)
        if column.of in known:
            wrong |= _unknown(table.file, column, value, rows, known[column.of], found)
        elif column.type == "id" and not column.of:
            _lookalikes(table.file, column, value, rows, found)
        values.append(value)
        if column.name in table.key:
            faulty |= wrong
        if column.name in table.relative:
            unread |= wrong
    frame = pl.DataFrame([*values, faulty, unread])
    if set(table.key) <= places.keys():
        return _unique(table, frame, found)
    return frame.with_columns(_twice=pl.lit(value=False))


def _places(table: Table, sheet: Sheet, found: Findings, names_known: bool) -> dict[str, int]:
    """Find each column of the table in the header; note missing, misspelt and strange ones."""
    names = [column.name for column in table.columns]
    places = {name: sheet.header.index(name) for name in names if name in sheet.header}
    for name in places:
        if (times := sheet.header.count(name)) > 1:
            found.fault(table.file, f"{times} columns of this name; keep one", name)
    strange = [name for name in sheet.header if name and name not in names]
    asked_for = set(names) - places.keys()
    absent = []
    for column in table.columns:
        if column.name in places:
            continue
        meant = near(column.name, strange, 0.75 if column.needed else SURE)
        if meant is not None:
            strange.remove(meant)
            remedy = f"rename {show(meant)} to {show(column.name)}"
            found.fault(table.file, f"column is missing; {remedy}", column.name)
            asked_for.remove(column.name)
        elif column.needed:
            absent.append(column)
    unused = listed([show(name) for name in strange]) if names_known else ""
    for column in absent:
        hint = "; add it, cells may be blank" if column.blank else "; add it"
        rename = f", or rename one of {unused}" if unused else ""
        found.fault(table.file, f"column is missing{hint}{rename}", column.name)
        unused = ""  # once, however many are missing
    if strange and names_known:
        asked = [f"{show(name)}{ask(name, asked_for)}" for name in strange]
        found.notice(f"{table.file}: {listed(asked)} ignored, no column of this kind of study")
    unnamed = [place for place, name in enumerate(sheet.header) if not name]
    filled = [p for p in unnamed if sheet.cells[str(p)].null_count() < sheet.cells.height]
    if filled:
        found.notice(f"{table.file}: {counted(len(filled), 'column')} without a name ignored")
    return places


def _report(
    file: str,
    column: Column,
    text: pl.Series,
    rows: pl.Series,
    wrong: pl.Series,
    expected: str,
    found: Findings,
) -> None:
    """Note the wrong cells of a column, those with the same explanation together."""
    if not wrong.any():
        return
    cells = pl.DataFrame({"row": rows.filter(wrong), "text": text.filter(wrong)})
    why = {value: explain(value, column.type) for value in cells["text"].unique()}
    cells = cells.with_columns(why=pl.col("text").replace_strict(list(why), list(why.values())))
    blank = " or a blank cell" if column.blank and not column.options else ""
    for (reason,), group in cells.group_by(["why"], maintain_order=True):
        shown = [
            Cell((row,), show(value) + (ask(value, column.options) if column.options else ""))
            for row, value in group.select("row", "text").head(SHOWN).iter_rows()
        ]
        problem = f"expected {expected}; {reason}" if reason else f"expected {expected}{blank}"
        found.fault(file, problem, column.name, shown, group.height)


def _blank(
    file: str, column: Column, text: pl.Series, rows: pl.Series, found: Findings
) -> pl.Series:
    blank = text.is_null()
    if blank.any():
        shown = [Cell((row,)) for row in rows.filter(blank).head(SHOWN)]
        found.fault(file, "must not be blank", column.name, shown, int(blank.sum()))
    return blank


def _marks(file: str, column: Column, text: pl.Series, rows: pl.Series, found: Findings) -> None:
    """Refuse decimal commas beside decimal points: one of them may separate thousands."""
    cells = pl.DataFrame({"row": rows, "text": text})
    commas, points = (
        cells.filter(pl.col("text").str.contains(mark, literal=True)).head(1) for mark in ",."
    )
    if commas.height and points.height:
        both = pl.concat([commas, points]).sort("row")
        shown = [Cell((row,), show(value)) for row, value in both.iter_rows()]
        found.fault(file, "decimal comma and decimal point; use one of them", column.name, shown)


def _unknown(
    file: str, column: Column, ids: pl.Series, rows: pl.Series, known: pl.Series, found: Findings
) -> pl.Series:
    wrong = ids.is_not_null() & ~ids.is_in(known.implode())
    if wrong.any():
        cells = pl.DataFrame({"row": rows.filter(wrong), "id": ids.filter(wrong)})
        strange = cells.group_by("id", maintain_order=True).agg(pl.len(), pl.col("row").first())
        shown = []
        for name, number, row in strange.select("id", "len", "row").head(SHOWN).iter_rows():
            times = f" ({number:,} rows)" if number > 1 else ""
            habit = f" ({explain(name)})" if explain(name) else ""
            shown.append(Cell((row,), f"{show(name)}{times}{ask(name, known) or habit}"))
        dates = [name for name in known if DATE.fullmatch(name)]
        hint = f"; did a spreadsheet make an id there a date, {show(dates[0])}?" if dates else ""
        found.fault(file, f"not in {column.of}.csv{hint}", column.name, shown, strange.height)
    return wrong


def _lookalikes(
    file: str, column: Column, ids: pl.Series, rows: pl.Series, found: Findings
) -> None:
    """Refuse ids that differ only by case; point at those a spreadsheet may have made a date."""
    cells = pl.DataFrame({"row": rows, "id": ids}).drop_nulls().unique("id", maintain_order=True)
    folded = cells.with_columns(key=pl.col("id").str.to_lowercase())
    for _, group in folded.filter(pl.col("key").is_duplicated()).group_by(
        "key", maintain_order=True
    ):
        shown = [Cell((row,), show(name)) for row, name in group.select("row", "id").iter_rows()]
        found.fault(file, "ids that differ only by capitals; write them alike", column.name, shown)
    dates = [name for name in cells["id"] if DATE.fullmatch(name)]
    if dates:
        named = ", ".join(show(name) for name in dates[:SHOWN])
        found.notice(f"{file}, {column.name}: {named}: is it an id, or a spreadsheet's date?")


def _unique(table: Table, frame: pl.DataFrame, found: Findings) -> pl.DataFrame:
    """Note keys that occur twice and mark their rows."""
    key = list(table.key)
    twice = pl.struct(key).is_duplicated() & pl.all_horizontal(pl.col(key).is_not_null())
    groups = (
        frame.filter(twice)
        .group_by(key, maintain_order=True)
        .agg(pl.col("_row").head(SHOWN), pl.len().alias("times"))
    )
    if groups.height:
        shown = [
            Cell(tuple(rows), f"({', '.join(show(part) for part in parts)})")
            for *parts, rows, _ in groups.head(SHOWN).iter_rows()
        ]
        same = " and ".join([", ".join(key[:-1]), key[-1]] if len(key) > 1 else key)
        found.fault(table.file, f"the same {same}; keep one row", cells=shown, count=groups.height)
    return frame.with_columns(_twice=twice)
