"""CSV files as spreadsheets write them, read without guessing: every odd row is named."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import polars as pl

from helpers.errors import near
from helpers.study.faults import EXAMPLE, Cell, Findings, counted, show

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
UTF16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # how files of Excel begin, new and old
CHUNK = 4_000  # rows turned into columns at a time: few live objects keep Python's collector quiet
TOP = 10  # rows among which the header is looked for
SAVE = "save it as CSV UTF-8"
ESCAPED = re.compile("[\udc80-\udcff]")  # bytes that are no UTF-8, as Python keeps them
SPACES = str.maketrans({"\xa0": " ", "\u202f": " "})  # that do not break; they look like others


@dataclass(frozen=True)
class Sheet:
    """The cells of a CSV file, all of them text without spaces around, blank ones null.

    Attributes
    ----------
    file : str
        The file's name.
    header : list of str
        Names of the columns.
    cells : DataFrame
        A column per name, called "0", "1", … by its place, and `row`, the number a spreadsheet
        shows (the header is row 1). Blank rows and rows of a wrong length are not in it.
    whole : bool
        Whether every row could be read.
    """

    file: str
    header: list[str]
    cells: pl.DataFrame
    whole: bool


def read_sheet(
    file: str, data: bytes, found: Findings, names: Sequence[str] = (), needed: bool = True
) -> Sheet | None:
    """Read the bytes of a CSV file.

    UTF-8 with or without byte order mark, commas, semicolons or tabs, any line ends. What cannot be
    read that way is a fault, and reading goes on where it can, so that all faults come at once.

    Parameters
    ----------
    file : str
        The file's name, for messages.
    data : bytes
        Its content.
    found : Findings
        Receives faults and notices.
    names : sequence of str
        Columns by which its header is known; without them it is the first row.
    needed : bool
        Whether a study must have the file.

    Returns
    -------
    Sheet or None
        None when the file has no header.
    """
    if data.startswith(WORKBOOKS):
        found.fault(file, f"is a workbook, not CSV; open it and {SAVE}")
        return None
    text, broken = _decode(file, data, found)
    if not text.strip():
        found.fault(file, f"is empty; expected a header and rows; {EXAMPLE}")
        return None
    separator, place = _header(text, names)
    if broken:
        _name_undecodable(file, data, separator, place, found)
    reader = _reader(text, separator, strict=True)
    try:
        above = list(islice(reader, place + 1))
    except csv.Error as error:
        found.fault(file, _quote(error), cells=[Cell((1,))])
        return None
    header = [name.strip() for name in above.pop()]
    if above:
        first = next((cell.strip() for row in above for cell in row if cell.strip()), "")
        problem = f"expected the header, which is in row {place + 1}; delete what is above it"
        found.fault(file, problem, cells=[Cell((1,), show(first) if first else "")])
    elif names and not any(near(name, names) for name in header if name):
        _miss_header(file, header, names, found)
        return None
    before = len(found.faults)
    cells = _cells(file, reader, len(header), place + 2, separator, found)
    if cells.height == 0 and len(found.faults) == before:
        remedy = "add some" if needed else "add some, or delete the file"
        found.fault(file, f"has no rows below its header; {remedy}")
    return Sheet(file, header, cells, whole=len(found.faults) == before)


def _decode(file: str, data: bytes, found: Findings) -> tuple[str, bool]:
    """Turn bytes into text, and say whether some of them are no UTF-8, which is not told yet."""
    start = data[:1000]
    if start[:2] in UTF16 or start.count(0) > len(start) / 4:
        found.fault(file, f"is UTF-16, expected UTF-8; {SAVE}")
        guess = "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
        return data.decode(UTF16.get(start[:2], guess), "replace").replace("\0", ""), False
    broken = False
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        broken = True
        text = data.decode("cp1252", "replace").removeprefix("ï»¿")
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        found.fault(file, f"a NUL byte; {SAVE}", cells=[Cell((row,))], count=text.count("\0"))
        text = text.replace("\0", "")
    if text.isascii():
        return text, broken
    # Two ways to write é, or a space, would be two ids; one is kept, so that the files agree.
    return unicodedata.normalize("NFC", text).translate(SPACES), broken


def _name_undecodable(file: str, data: bytes, separator: str, place: int, found: Findings) -> None:
    """Name the cells that hold bytes of another encoding, shown as Windows would, by column."""
    text = data.decode("utf-8-sig", "surrogateescape").replace("\0", "")
    header: list[str] = []
    cells: dict[str, list[Cell]] = {}
    with suppress(csv.Error):  # named when the rows are read
        for number, row in enumerate(_reader(text, separator), start=1):
            header = row if number == place + 1 else header
            for at, cell in enumerate(row):
                if not cell.isascii() and (strange := ESCAPED.search(cell)):
                    value = cell.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
                    told = f"{show(value.strip())} (byte 0x{ord(strange[0]) - 0xDC00:02X})"
                    known = number > place + 1 and at < len(header) and header[at].isprintable()
                    column = header[at].strip() if known else ""
                    cells.setdefault(column, []).append(Cell((number,), told))
    for column, own in (cells or {"": []}).items():
        found.fault(file, f"expected UTF-8; {SAVE}", column, own)


def _reader(text: str, separator: str, strict: bool = False) -> Iterator[list[str]]:
    """Read rows; where quotes stand after a space, that space is no part of the cell."""
    return csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        skipinitialspace=f'{separator} "' in text,
        strict=strict,
    )


def _header(text: str, names: Sequence[str]) -> tuple[str, int]:
    """Find the separator, and how many rows are above the header.

    The header is the first row unless a lower one has more than twice as many of the known names.
    The separator cuts it into most known names or, where there are none, into most cells.
    """
    tops = {separator: _top(text, separator) for separator in SEPARATORS}
    wanted = {name.casefold() for name in names}
    hits = {
        (separator, place): len(wanted & {cell.strip().casefold() for cell in row})
        for separator, rows in tops.items()
        for place, row in enumerate(rows)
    }
    best = max(hits, key=lambda key: hits[key])
    first = max(tops, key=lambda separator: hits[separator, 0])
    if hits[first, 0] > 0 and hits[best] <= 2 * hits[first, 0]:
        return first, 0
    if hits[best] > 1 or hits[best] == len(wanted) == 1:
        return best
    return max(tops, key=lambda separator: len(tops[separator][0])), 0


def _top(text: str, separator: str) -> list[list[str]]:
    """Give the first rows; one at least, however broken."""
    rows: list[list[str]] = []
    with suppress(csv.Error):  # named when the rows are read
        rows.extend(islice(_reader(text, separator), TOP))
    return rows or [[]]


def _miss_header(file: str, header: list[str], names: Sequence[str], found: Findings) -> None:
    """Say what the header should be, and where only its separators or quotes are wrong, so."""
    shown = ", ".join(show(name) for name in [name for name in header if name][:3])
    filled = [name for name in header if name]
    fused = len(filled) == 1 and sum(name in filled[0].casefold() for name in names) > 1
    remedy = "; put commas between its cells, and no quotes around all of them" if fused else ""
    problem = f"expected the header: {', '.join(names)}{remedy}"
    found.fault(file, problem, cells=[Cell((1,), shown)])


def _cells(
    file: str,
    reader: Iterator[list[str]],
    width: int,
    start: int,
    separator: str,
    found: Findings,
) -> pl.DataFrame:
    names = [str(place) for place in range(width)]
    schema = {**dict.fromkeys(names, pl.String()), "row": pl.Int64()}
    frames = [pl.DataFrame(schema=schema)]
    odd: dict[str, list[Cell]] = {}
    read = 0
    for first, rows in _chunks(file, reader, start, found):
        read += len(rows)
        numbers = list(range(first, first + len(rows)))
        if set(map(len, rows)) != {width}:
            rows = [
                row if any(cell.strip() for cell in row[width:]) else row[:width] for row in rows
            ]
            for number, row in zip(numbers, rows, strict=True):
                if len(row) != width and any(cell.strip() for cell in row):
                    told, remedy = _width(row, width, separator)
                    odd.setdefault(remedy, []).append(Cell((number,), told))
            numbers = [n for n, row in zip(numbers, rows, strict=True) if len(row) == width]
            rows = [row for row in rows if len(row) == width]
        columns = [*map(list, zip(*rows, strict=True)), numbers] if rows else []
        frames.append(pl.DataFrame(dict(zip(schema, columns, strict=False)), schema=schema))
    for remedy, shown in odd.items():
        expected = f"expected {counted(width, 'cell')} as in the header"
        found.fault(file, f"{expected}; {remedy}", cells=shown)
    cells = _trimmed(file, pl.concat(frames), names, found)
    blank = read - sum(map(len, odd.values())) - cells.height
    if blank:
        found.notice(f"{file}: {counted(blank, 'blank row')} left out")
    return cells


def _chunks(
    file: str, reader: Iterator[list[str]], first: int, found: Findings
) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield the number of the first row and some rows, up to the end or to a broken quote."""
    broken = False
    while not broken:
        rows: list[list[str]] = []
        try:
            rows.extend(islice(reader, CHUNK))  # keeps what was read before an error
        except csv.Error as error:
            broken = True
            found.fault(file, _quote(error), cells=[Cell((first + len(rows),))])
        if not rows:
            return
        yield first, rows
        first += len(rows)


def _trimmed(file: str, cells: pl.DataFrame, names: list[str], found: Findings) -> pl.DataFrame:
    """Take spaces off, make blank cells null, leave blank rows out; say how often."""
    bare = cells.with_columns(pl.col(names).str.strip_chars().replace({"": None}))
    filled = ~bare.select(pl.all_horizontal(pl.col(names).is_null())).to_series()
    cells, bare = cells.filter(filled), bare.filter(filled)
    shorter = (bare[name].str.len_bytes() < cells[name].str.len_bytes() for name in names)
    spaced = sum(int(cut.sum()) for cut in shorter)
    if spaced:
        found.notice(f"{file}: spaces around {counted(spaced, 'cell')} left out")
    return bare


def _width(row: list[str], width: int, separator: str) -> tuple[str, str]:
    """Tell how many cells a row has, and what to do about it."""
    own = SEPARATORS[separator]
    for other, name in SEPARATORS.items():
        if other != separator and len(other.join(row).split(other)) == width > len(row):
            return f"({name}s, the header has {own}s)", f"use {own}s in all rows"
    remedy = "add the missing ones, blank cells too"
    if len(row) > width:
        remedy = f"put a cell that holds a {own} in double quotes"
    return f"({counted(len(row), 'cell')})", remedy


def _quote(error: csv.Error) -> str:
    if "expected after" in str(error):
        return 'text or a space after a closing quote; inside a cell write " twice'
    return "a quote is opened and not closed; close it or delete it"
