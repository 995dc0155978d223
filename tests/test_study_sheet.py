"""CSV files as different programs write them give the same cells under the same row numbers."""

import csv
import io
import random

import pytest

from helpers.study import load
from helpers.study.faults import Findings
from helpers.study.sheet import CHUNK, read_sheet
from study_folder import FILES, Folder

SHORT = "expected 2 cells as in the header; add the missing ones, blank cells too"


def read(data):
    found = Findings()
    sheet = read_sheet("x.csv", data if isinstance(data, bytes) else data.encode(), found)
    return sheet, [str(fault) for fault in found.faults], found.notices


def rows(sheet):
    return {number: tuple(cells) for *cells, number in sheet.cells.iter_rows()}


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


def semicolons(text):
    return text.replace(",", ";").replace("4.5", "4,5").replace("51.5", "51,5")


DIALECTS = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "Windows line ends": lambda text: text.replace("\n", "\r\n").encode(),
    "old Mac line ends": lambda text: text.replace("\n", "\r").encode(),
    "no last line end": lambda text: text.rstrip("\n").encode(),
    "blank columns and rows behind": lambda text: (
        "\n".join(f"{line},," for line in text.splitlines()) + "\n,,,,,,\n" * 3
    ).encode(),
    "tabs": lambda text: text.replace(",", "\t").encode(),
    "all cells quoted": lambda text: "\n".join(
        ",".join(f'"{cell}"' for cell in line.split(",")) for line in text.splitlines()
    ).encode(),
    "spaces before quotes": lambda text: "\n".join(
        ", ".join(f'"{cell}"' for cell in line.split(",")) for line in text.splitlines()
    ).encode(),
    "numbers of a program that knows only decimals": lambda text: text.replace(
        ",5,9,1\n", ",5.0,9.00,1\n"
    ).encode(),
}


@pytest.mark.parametrize("write", DIALECTS.values(), ids=DIALECTS.keys())
def test_the_same_study_is_read_from_every_dialect(folder, write):
    plain = load(folder.path)
    for name, text in FILES.items():
        if name.endswith(".csv"):
            folder.write(name, write(text))
    study = load(folder.path)
    assert study.tables.keys() == plain.tables.keys()
    assert all(study[name].equals(plain[name]) for name in plain.tables)
    assert all("blank row" in notice for notice in study.notices)


def test_semicolons_with_decimal_commas_are_read(folder):
    plain = load(folder.path)
    for name in ("ratings.csv", "cases.csv", "analysts.csv", "benchmarks.csv"):
        folder.write(name, semicolons(FILES[name]))
    folder.write(
        "evaluators.csv",
        'evaluator;specialty;years\nE1;"Cardiology;Urology";4,5\nE2;;12\nE3;Urology;\n',
    )
    study = load(folder.path)
    assert all(study[name].equals(plain[name]) for name in plain.tables)
    assert study["evaluators"]["years"].to_list() == [4.5, 12.0, None]
    assert study["benchmarks"]["accuracy"].to_list() == [51.5, None]


def test_blank_rows_count_as_rows_and_are_noticed():
    sheet, faults, notices = read("a,b\n\n1,2\n , \n,\n3,4\n")
    assert faults == []
    assert rows(sheet) == {3: ("1", "2"), 6: ("3", "4")}
    assert notices == ["x.csv: 3 blank rows left out"]


def test_a_cell_of_several_lines_is_one_row():
    sheet, faults, _ = read('a,b\n"1\n\n2",x\n3,y\n')
    assert faults == []
    assert rows(sheet) == {2: ("1\n\n2", "x"), 3: ("3", "y")}


def test_spaces_around_cells_are_left_out_and_counted():
    sheet, _, notices = read("a , b\n 1,2\xa0\n3,4\n")
    assert sheet.header == ["a", "b"]
    assert rows(sheet) == {2: ("1", "2"), 3: ("3", "4")}
    assert notices == ["x.csv: spaces around 2 cells left out"]


def test_two_ways_to_write_an_accent_are_one():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert rows(read(f"a,b\n{composed},1\n")[0]) == rows(read(f"a,b\n{decomposed},1\n")[0])


def test_rows_after_an_open_quote_are_not_read():
    sheet, faults, _ = read('a,b\n1,2\n"3,4\n5,6\n')
    assert faults == ["x.csv: row 3; a quote is opened and not closed; close it or delete it"]
    assert rows(sheet) == {2: ("1", "2")}
    assert not sheet.whole


def test_a_quote_lost_in_a_large_file_is_an_open_quote():
    faults = read('a,b\n1,2\n"3,4\n' + "5,6\n" * 100_000)[1]
    assert faults == ["x.csv: row 3; a quote is opened and not closed; close it or delete it"]


def test_rows_of_a_wrong_length_are_left_out_and_named():
    sheet, faults, _ = read("a,b\n1,2\n3\n4,5,6\n7,8\n")
    assert faults == [
        f"x.csv: row 3 (1 cell); {SHORT}",
        "x.csv: row 4 (3 cells); expected 2 cells as in the header; "
        "put a cell that holds a comma in double quotes",
    ]
    assert rows(sheet) == {2: ("1", "2"), 5: ("7", "8")}


def test_blank_cells_beyond_the_header_are_nothing():
    sheet, faults, _ = read("a,b\n1,2,, \n3,4\n,,,\n")
    assert faults == []
    assert rows(sheet) == {2: ("1", "2"), 3: ("3", "4")}


def test_row_numbers_hold_across_the_pieces_in_which_a_file_is_read():
    last = CHUNK + 7
    lines = [f"{number},x" for number in range(2, last + 1)]
    lines[CHUNK - 1] = "short"
    sheet, faults, _ = read("a,b\n" + "\n".join(lines))
    assert faults == [f"x.csv: row {CHUNK + 1} (1 cell); {SHORT}"]
    assert all(int(cells[0]) == number for number, cells in rows(sheet).items())
    assert max(rows(sheet)) == last


def test_any_table_comes_back_as_it_was_written():
    """Cells of every awkward character, in every dialect, under the right row numbers."""
    chance = random.Random(3)
    letters = ["a", "Z", "7", ",", ";", "\t", '"', "\n", "é", "雪", " ", "'", "."]
    for _ in range(100):
        width = chance.randint(2, 5)
        separator = chance.choice(",;\t")
        table = [
            ["".join(chance.choices(letters, k=chance.randint(0, 6))) for _ in range(width)]
            for _ in range(chance.randint(1, 8))
        ]
        text = io.StringIO()
        writer = csv.writer(
            text,
            delimiter=separator,
            lineterminator=chance.choice(["\n", "\r\n"]),
            quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        )
        writer.writerow([f"c{place}" for place in range(width)])
        writer.writerows(table)
        data = chance.choice([b"", b"\xef\xbb\xbf"]) + text.getvalue().encode()
        sheet, faults, _ = read(data)
        expected = {
            number: tuple(cell.strip() or None for cell in row)
            for number, row in enumerate(table, start=2)
            if any(cell.strip() for cell in row)
        }
        assert rows(sheet) == expected
        assert faults == ([] if expected else ["x.csv: has no rows below its header"])
