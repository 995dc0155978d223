"""Cells of text turned into numbers, ids, choices and times; what will not turn is named."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import polars as pl

from helpers.study.faults import SHOWN, Cell, Findings, ask, counted, near, show
from helpers.study.schema import Column, Table
from helpers.study.sheet import Sheet

SURE = 0.85  # likeness at which a strange column is taken for a misspelt optional one
LONGEST = 100  # characters of an id
NUMBER = r"^[+-]?[0-9]{1,15}([.,][0-9]{1,15})?$"
EXPONENT = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]+")
MISSING = {"na", "nan", "n/a", "#n/a", "null", "none", "nil", "-", "–", "—", ".", "?", "missing"}
INFINITE = re.compile(r"[+-]?(inf|infinity|∞)", re.IGNORECASE)
MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DATE = re.compile(
    rf"[0-9]{{1,4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,4}}.*"
    rf"|[0-9]{{1,2}}[-. ]({MONTH})[a-z]*|({MONTH})[a-z]*[-. ][0-9]{{2,4}}",
    re.IGNORECASE,
)

Converted = tuple[pl.Series, pl.Series, str]  # values, which cells are wrong, what was expected


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
        The columns found, typed (a wrong cell is null, an unknown id is kept), and two more: `row`,
        the row's number in the file, and `faulty`, whether its key or a `relative` column is wrong
        or its key occurs twice.
    """
    places = _places(table, sheet, found, names_known)
    rows = sheet.cells["row"]
    values = [rows]
    faulty = pl.Series("faulty", [False]).new_from_index(0, rows.len())
    for column in table.columns:
        if column.name not in places:
            continue
        text = sheet.cells[str(places[column.name])].alias(column.name)
        value, wrong, expected = CONVERTERS[column.type](text, column)
        _report(table.file, column, text, rows, wrong, expected, found)
        if not column.blank:
            wrong |= _blank(table.file, column, text, rows, found)
        if column.type == "number":
            _marks(table.file, column, text, rows, found)
        if column.of in known:
            wrong |= _unknown(table.file, column, value, rows, known[column.of], found)
        elif column.type == "id" and not column.of:
            _lookalikes(table.file, column, value, rows, found)
        values.append(value)
        if column.name in (*table.key, *table.relative):
            faulty |= wrong
    frame = pl.DataFrame([*values, faulty])
    return _unique(table, frame, found) if set(table.key) <= places.keys() else frame


def _places(table: Table, sheet: Sheet, found: Findings, names_known: bool) -> dict[str, int]:
    """Find each column of the table in the header; note missing, misspelt and strange ones."""
    names = [column.name for column in table.columns]
    places = {name: sheet.header.index(name) for name in names if name in sheet.header}
    if not places:
        seen = ", ".join(show(name) for name in sheet.header[:3])
        needed = ", ".join(column.name for column in table.columns if column.needed)
        found.fault(table.file, f"expected the header: {needed}", cells=[Cell((1,), seen)])
        return places
    strange = [name for name in sheet.header if name and name not in names]
    for column in table.columns:
        if column.name in places:
            continue
        meant = near(column.name, strange, 0.75 if column.needed else SURE)
        if meant is not None:
            strange.remove(meant)
            found.fault(table.file, f"column is missing; rename {show(meant)}", column.name)
        elif column.needed:
            hint = "; add it, cells may be blank" if column.blank else ""
            found.fault(table.file, f"column is missing{hint}", column.name)
    if strange and names_known:
        shown = ", ".join(show(name) for name in strange[:SHOWN])
        more = f" and {len(strange) - SHOWN} more" if len(strange) > SHOWN else ""
        found.notice(f"{table.file}: {shown}{more} ignored (no such column is expected)")
    unnamed = [place for place, name in enumerate(sheet.header) if not name]
    filled = [p for p in unnamed if sheet.cells[str(p)].null_count() < sheet.cells.height]
    if filled:
        found.notice(f"{table.file}: {counted(len(filled), 'column')} without a name ignored")
    return places


def _numbers(text: pl.Series, column: Column) -> Converted:
    plain = text.str.contains(NUMBER)
    value = text.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    right = plain & value.is_between(column.low, column.high)
    if column.type == "whole":
        right &= value == value.floor()
    wrong = text.is_not_null() & ~right.fill_null(False)
    value = value.set(wrong, None)
    if column.type == "whole":
        value = value.cast(pl.Int64)
    article = "a whole number" if column.type == "whole" else "a number"
    if column.high < float("inf"):
        article += f" from {column.low:,.6g} to {column.high:,.6g}"
    elif column.low > float("-inf"):
        article += f" of at least {column.low:,.6g}"
    return value, wrong, article


def _choices(text: pl.Series, column: Column) -> Converted:
    wrong = ~text.is_in(column.options).fill_null(True)
    *most, last = column.options if not column.blank else (*column.options, "a blank cell")
    return text.set(wrong, None), wrong, f"{', '.join(most)} or {last}" if most else last


def _flags(text: pl.Series, column: Column) -> Converted:
    meanings = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    value = text.str.to_lowercase().replace_strict(
        list(meanings), list(meanings.values()), default=None, return_dtype=pl.Boolean
    )
    return value, text.is_not_null() & value.is_null(), "true or false"


def _times(text: pl.Series, column: Column) -> Converted:
    parsed = {moment: _time(moment) for moment in text.drop_nulls().unique()}
    value = text.replace_strict(
        list(parsed), list(parsed.values()), default=None, return_dtype=pl.Datetime("us")
    )
    return value, text.is_not_null() & value.is_null(), "a time such as 2026-01-31T14:05:00"


def _time(text: str) -> datetime | None:
    """Read ISO 8601; a time zone is turned into UTC, and a time without one is kept as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _words(text: pl.Series, column: Column) -> Converted:
    parts = text.fill_null("").str.split(";").list.eval(pl.element().str.strip_chars())
    value = parts.list.eval(pl.element().filter(pl.element() != ""))
    return value, pl.Series([False]).new_from_index(0, text.len()), "text"


def _texts(text: pl.Series, column: Column) -> Converted:
    return text, pl.Series([False]).new_from_index(0, text.len()), "text"


def _ids(text: pl.Series, column: Column) -> Converted:
    unfit = [
        name
        for name in text.drop_nulls().unique()
        if len(name) > LONGEST
        or not name.isprintable()
        or (not column.of and "E+" in name and EXPONENT.fullmatch(name))
    ]
    wrong = text.is_in(unfit).fill_null(False)
    return text, wrong, f"an id: one line, at most {LONGEST} characters, all visible"


CONVERTERS: dict[str, Callable[[pl.Series, Column], Converted]] = {
    "id": _ids,
    "text": _texts,
    "words": _words,
    "whole": _numbers,
    "number": _numbers,
    "choice": _choices,
    "flag": _flags,
    "time": _times,
}


def explain(value: str) -> str:
    """Say what a spreadsheet or a program probably did to a value that cannot be read, or ""."""
    if value.casefold() in MISSING:
        return "leave a missing cell blank"
    if INFINITE.fullmatch(value):
        return "infinity is not a value"
    if EXPONENT.fullmatch(value):
        return "a number with an exponent; write it out"
    if DATE.fullmatch(value):
        return "a spreadsheet may have made it a date; type it again, formatted as text"
    return ""


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
    why = {value: explain(value) for value in cells["text"].unique()}
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
            often = f" (and {number - 1:,} more rows)" if number > 1 else ""
            why = explain(name)
            hint = ask(name, known) or (f" ({why})" if why else "")
            shown.append(Cell((row,), f"{show(name)}{often}{hint}"))
        found.fault(file, f"not in {column.of}.csv", column.name, shown, strange.height)
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
        .agg(pl.col("row").head(SHOWN), pl.len().alias("times"))
    )
    if groups.height:
        shown = [
            Cell(tuple(rows), f"({', '.join(show(part) for part in parts)})")
            for *parts, rows, _ in groups.head(SHOWN).iter_rows()
        ]
        same = " and ".join([", ".join(key[:-1]), key[-1]] if len(key) > 1 else key)
        found.fault(table.file, f"the same {same}; keep one row", cells=shown, count=groups.height)
    return frame.with_columns(faulty=pl.col("faulty") | twice)
