"""CSV files as spreadsheets write them, read without guessing: every odd row is named."""

import csv
import io
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import polars as pl

from helpers.study.faults import SHOWN, Cell, Findings, counted, show

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
UTF16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
CHUNK = 4_000  # rows turned into columns at a time: few live objects keep Python's collector quiet
SAVE = "save it as CSV UTF-8"


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


def read_sheet(file: str, data: bytes, found: Findings) -> Sheet | None:
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

    Returns
    -------
    Sheet or None
        None when the file has no header.
    """
    text = _decode(file, data, found)
    before = len(found.faults)
    if not text.strip():
        found.fault(file, "is empty; expected a header and rows")
        return None
    separator = _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        names = next(reader)
    except csv.Error as error:
        found.fault(file, _quote(error), cells=[Cell((1,))])
        return None
    header = [name.strip() for name in names]
    if header[:1] and header[0].lower().startswith("sep="):
        found.fault(
            file, "expected the header; delete this line", cells=[Cell((1,), show(text[:5]))]
        )
        return None
    if not any(header):
        found.fault(file, "is blank; expected the header", cells=[Cell((1,))])
        return None
    cells = _cells(file, reader, len(header), separator, found)
    if cells.height == 0 and len(found.faults) == before:
        found.fault(file, "has no rows below its header")
    return Sheet(file, header, cells, whole=len(found.faults) == before)


def _decode(file: str, data: bytes, found: Findings) -> str:
    start = data[:1000]
    if start[:2] in UTF16 or start.count(0) > len(start) / 4:
        found.fault(file, f"is UTF-16, expected UTF-8; {SAVE}")
        guess = "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
        return data.decode(UTF16.get(start[:2], guess), "replace").replace("\0", "")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        lines = list(_undecodable(data))
        found.fault(file, f"expected UTF-8; {SAVE}", cells=lines[:SHOWN], count=len(lines))
        text = data.decode("cp1252", "replace").removeprefix("ï»¿")
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        found.fault(file, f"a NUL byte; {SAVE}", cells=[Cell((row,))], count=text.count("\0"))
        text = text.replace("\0", "")
    # Two ways to write é would be two ids; one is kept, so that the files agree.
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _undecodable(data: bytes) -> Iterator[Cell]:
    offset = 0
    for row, line in enumerate(data.split(b"\n"), start=1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            at = offset + error.start
            yield Cell((row,), f"byte 0x{line[error.start]:02X} at offset {at:,}")
        offset += len(line) + 1


def _separator(text: str) -> str:
    """Choose the separator that cuts the header into most names; a comma where none does."""
    line = text.lstrip("\r\n").partition("\n")[0]
    return max(SEPARATORS, key=lambda separator: line.count(separator))


def _cells(
    file: str, reader: Iterator[list[str]], width: int, separator: str, found: Findings
) -> pl.DataFrame:
    names = [str(place) for place in range(width)]
    schema = {**dict.fromkeys(names, pl.String()), "row": pl.Int64()}
    frames = [pl.DataFrame(schema=schema)]
    odd: list[Cell] = []
    read = 0
    for first, rows in _chunks(file, reader, found):
        read += len(rows)
        numbers = list(range(first, first + len(rows)))
        if set(map(len, rows)) != {width}:
            odd += [
                Cell((number,), _width(row, width, separator))
                for number, row in zip(numbers, rows, strict=True)
                if len(row) != width and any(cell.strip() for cell in row)
            ]
            numbers = [n for n, row in zip(numbers, rows, strict=True) if len(row) == width]
            rows = [row for row in rows if len(row) == width]
        columns = [*map(list, zip(*rows, strict=True)), numbers] if rows else []
        frames.append(pl.DataFrame(dict(zip(schema, columns, strict=False)), schema=schema))
    if odd:
        found.fault(file, f"expected {counted(width, 'cell')} as in the header", cells=odd)
    cells = _trimmed(file, pl.concat(frames), names, found)
    blank = read - len(odd) - cells.height
    if blank:
        found.notice(f"{file}: {counted(blank, 'blank row')} left out")
    return cells


def _chunks(
    file: str, reader: Iterator[list[str]], found: Findings
) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield the number of the first row and some rows, up to the end or to a broken quote."""
    first, broken = 2, False
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


def _width(row: list[str], width: int, separator: str) -> str:
    cells = f"({counted(len(row), 'cell')})"
    for other, name in SEPARATORS.items():
        if other != separator and len(other.join(row).split(other)) == width > len(row):
            return f"({name}s, the header has {SEPARATORS[separator]}s)"
    return cells


def _quote(error: csv.Error) -> str:
    if "expected after" in str(error):
        return 'text after a closing quote; inside a cell write " twice'
    return "a quote is opened and not closed"
