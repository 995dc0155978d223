"""Text turned into numbers, ids, choices and times; what will not turn is told apart."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import polars as pl

from helpers.study.faults import plain
from helpers.study.schema import Column, Type

LONGEST = 100  # characters of an id
NUMBER = r"^[+-]?[0-9]{1,15}([.,][0-9]{1,15})?$"
THOUSANDS = r"^[1-9][0-9]{0,2}[.,][0-9]{3}$"
EXPONENT = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]+")
NOT_AVAILABLE = {"na", "n.a.", "nan", "n/a", "#n/a", "null"}
MISSING = NOT_AVAILABLE | {"none", "nil", "-", "–", "—", ".", "?", "missing"}
MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DATE = re.compile(
    rf"[0-9]{{1,4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,4}}.*"
    rf"|[0-9]{{1,2}}[-. ]({MONTH})[a-z]*|({MONTH})[a-z]*[-. ][0-9]{{2,4}}",
    re.IGNORECASE,
)

# Values that cannot be read, and what to do about them.
HABITS = (
    (re.compile(r"[+-]?(inf|infinity|∞)", re.IGNORECASE), "infinity is no value"),
    (EXPONENT, "write it without exponent"),
    (re.compile(THOUSANDS), "decimals or thousands? leave the mark out"),
    (
        re.compile(r"[0-9]{1,3}([.,' ’][0-9]{3})+([.,][0-9]+)?"),
        "write it without marks of thousands",
    ),
    (DATE, "did a spreadsheet make it a date? type it again, as text"),
    (re.compile(r"#[A-Z/0]+[!?]?"), "a formula failed in the spreadsheet; put the value there"),
    (re.compile(r"[+-]?[0-9]+([.,][0-9]+)? *[^0-9.,]+"), "write the number alone"),
)

Converted = tuple[pl.Series, pl.Series, str]  # values, which cells are wrong, what was expected


def _numbers(text: pl.Series, column: Column) -> Converted:
    plain = text.str.contains(NUMBER)
    value = text.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    right = plain & value.is_between(column.low, column.high)
    if column.type == "whole":
        right &= value == value.floor()
    # 1,000 is 1 or 1000: refused wherever the scale has room for both.
    large = text.str.replace("[.,]", "").cast(pl.Float64, strict=False)
    right &= ~(text.str.contains(THOUSANDS) & large.is_between(column.low, column.high))
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
    expected = "a time, year first, such as 2026-01-31T14:05:00"
    return value, text.is_not_null() & value.is_null(), expected


def _time(text: str) -> datetime | None:
    """Read ISO 8601; a time zone is turned into UTC, and a time without one is kept as it is."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return None


def _words(text: pl.Series, column: Column) -> Converted:
    parts = text.fill_null("").str.split(";").list.eval(pl.element().str.strip_chars())
    value = parts.list.eval(pl.element().filter(pl.element() != ""))
    return value, *_texts(text, column)[1:]


def _texts(text: pl.Series, column: Column) -> Converted:
    unfit = [
        value
        for value in text.drop_nulls().unique()
        if not value.isprintable() or value.casefold() in NOT_AVAILABLE
    ]
    return text, text.is_in(unfit).fill_null(False), "one line of visible characters"


def _ids(text: pl.Series, column: Column) -> Converted:
    expected = f"an id: at most {LONGEST} characters, all of them visible"
    if column.of:  # looked up in its table, which says more
        return text, _none(text), expected
    unfit = [
        name
        for name in text.drop_nulls().unique()
        if len(name) > LONGEST
        or not name.isprintable()
        or ("E+" in name and EXPONENT.fullmatch(name))  # as spreadsheets show long numbers
    ]
    return text, text.is_in(unfit).fill_null(False), expected


def _none(text: pl.Series) -> pl.Series:
    return pl.Series([False]).new_from_index(0, text.len())


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


def explain(value: str, kind: Type = "number") -> str:
    """Say what a spreadsheet or a program probably did to a value that cannot be read, or ""."""
    if value.casefold() in MISSING:
        return "leave a missing cell blank"
    if "\n" in value:
        return "write it in one line"
    if not value.isprintable():
        unseen = dict.fromkeys(c for c in value if not c.isprintable())
        return f"delete {' '.join(plain(c) for c in list(unseen)[:3])}, which cannot be seen"
    if kind == "time":  # spelt in another order, not spoilt
        return ""
    return next((told for pattern, told in HABITS if pattern.fullmatch(value)), "")
