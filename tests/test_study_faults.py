"""What can be wrong with a study's files, and the words in which its owner is told."""

import os
import random
import shutil

import pytest

from helpers.errors import HelpersError, near
from helpers.study import check, load
from helpers.study.faults import EXAMPLE, Cell, Fault, ask, plain, show
from study_folder import FILES, RATINGS, Folder


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


def test_a_sound_study_has_no_fault(folder):
    assert folder.faults == []


WHOLE = "expected a whole number from 1 to 5"

# One spoilt row of ratings.csv, and all that is said.
ROWS = {
    "above the scale": ("E1,1,A,7,9,1", f'accuracy: row 2 "7"; {WHOLE} or a blank cell'),
    "below the scale": ("E1,1,A,0,9,1", f'accuracy: row 2 "0"; {WHOLE} or a blank cell'),
    "not whole": ("E1,1,A,4.5,9,1", f'accuracy: row 2 "4.5"; {WHOLE} or a blank cell'),
    "text": ("E1,1,A,good,9,1", f'accuracy: row 2 "good"; {WHOLE} or a blank cell'),
    "NaN": ("E1,1,A,NaN,9,1", f'accuracy: row 2 "NaN"; {WHOLE}; leave a missing cell blank'),
    "NA": ("E1,1,A,NA,9,1", f'accuracy: row 2 "NA"; {WHOLE}; leave a missing cell blank'),
    "infinity": ("E1,1,A,-inf,9,1", f'accuracy: row 2 "-inf"; {WHOLE}; infinity is no value'),
    "exponent": (
        "E1,1,A,3E+00,9,1",
        f'accuracy: row 2 "3E+00"; {WHOLE}; write it without exponent',
    ),
    "date": (
        "E1,1,A,3-May,9,1",
        f'accuracy: row 2 "3-May"; {WHOLE}; '
        "did a spreadsheet make it a date? type it again, as text",
    ),
    "huge": (
        f"E1,1,A,{'9' * 400},9,1",
        f'accuracy: row 2 "{"9" * 40}…"; {WHOLE} or a blank cell',
    ),
    "other digits": ("E1,1,A,٣,9,1", f'accuracy: row 2 "٣"; {WHOLE} or a blank cell'),
    "blank id": ("E1,1,,5,9,1", "analyst: row 2; must not be blank"),
    "unknown id": ("E1,1,D,5,9,1", 'analyst: row 2 "D"; not in analysts.csv'),
    "id in other letters": (
        "e1,1,A,5,9,1",
        'evaluator: row 2 "e1" (did you mean "E1"?); not in evaluators.csv',
    ),
    "id with what cannot be seen": (
        "E1\u200b,1,A,5,9,1",
        r'evaluator: row 2 "E1\u200b" (did you mean "E1"?); not in evaluators.csv',
    ),
    "id with leading zeros": (
        "E1,01,A,5,9,1",
        'case: row 2 "01" (did you mean "1"?); not in cases.csv',
    ),
    "hostile id": (
        "\x1b[2J\u202eE1,1,A,5,9,1",
        r'evaluator: row 2 "\x1b[2J\u202eE1" (delete \x1b \u202e, which cannot be seen); '
        "not in evaluators.csv",
    ),
    "rank from 0": (
        "E1,1,A,5,9,0",
        'rank: row 2 "0"; expected a whole number of at least 1 or a blank cell',
    ),
}


@pytest.mark.parametrize(("line", "told"), ROWS.values(), ids=ROWS.keys())
def test_a_wrong_cell_is_named_with_row_column_value_and_expectation(folder, line, told):
    folder.row("ratings.csv", 2, line)
    assert folder.faults == [f"ratings.csv, {told}"]


LENGTHS = {
    "too short": (
        "E1,1",
        "row 2 (2 cells); expected 6 cells as in the header; add the missing ones, blank cells too",
    ),
    "too long": (
        "E1,1,A,5,9,1,1",
        "row 2 (7 cells); expected 6 cells as in the header; put a cell that holds a comma in "
        "double quotes",
    ),
    "other separator": (
        "E1;1;A;5;9;1",
        "row 2 (semicolons, the header has commas); expected 6 cells as in the header; "
        "use commas in all rows",
    ),
    "text after a quote": (
        '"E1"x,1,A,5,9,1',
        'row 2; text or a space after a closing quote; inside a cell write " twice',
    ),
    "open quote": (
        '"E1,1,A,5,9,1',
        "row 2; a quote is opened and not closed; close it or delete it",
    ),
}


@pytest.mark.parametrize(("line", "told"), LENGTHS.values(), ids=LENGTHS.keys())
def test_a_row_that_does_not_fit_is_named_and_blamed_for_nothing_else(folder, line, told):
    folder.row("ratings.csv", 2, line)
    assert folder.faults == [f"ratings.csv: {told}"]


def test_the_same_evaluator_case_and_analyst_twice_names_both_rows(folder):
    folder.spoil("ratings.csv", "E1,1,B,3,4,2", "E1,1,A,3,4,2")
    assert folder.faults == [
        'ratings.csv: rows 2 and 3 ("E1", "1", "A"); the same evaluator, case and analyst; '
        "keep one row"
    ]


HEADERS = {
    "misspelt": (
        "evaluator,case,analist,accuracy,clarity,rank",
        ['ratings.csv, analyst: column is missing; rename "analist" to "analyst"'],
    ),
    "in capitals": (
        "evaluator,case,analyst,Accuracy,clarity,rank",
        ['ratings.csv, accuracy: column is missing; rename "Accuracy" to "accuracy"'],
    ),
    "missing": (
        "evaluator,case,analyst,accuracy,comments,rank",
        [
            "ratings.csv, clarity: column is missing; add it, cells may be blank, or rename one "
            'of "comments"'
        ],
    ),
    "in another language": (
        "Rater,case,System,accuracy,clarity,Platz",
        [
            'ratings.csv, evaluator: column is missing; add it, or rename one of "Rater", '
            '"System", "Platz"',
            "ratings.csv, analyst: column is missing; add it",
            "ratings.csv, rank: column is missing; add it, cells may be blank",
        ],
    ),
    "twice": (
        "evaluator,case,analyst,accuracy,accuracy,rank",
        [
            "ratings.csv, accuracy: 2 columns of this name; keep one",
            "ratings.csv, clarity: column is missing; add it, cells may be blank",
        ],
    ),
    "not there": (
        "E1,1,A,5,9,1",
        [
            'ratings.csv: row 1 "E1", "1", "A"; expected the header: evaluator, case, analyst, '
            "accuracy, clarity, rank"
        ],
    ),
    "misspelt twice": (
        "evaluator,case,analist,accuracy,clarity,analyist",
        [
            'ratings.csv, analyst: column is missing; rename "analyist" to "analyst"',
            "ratings.csv, rank: column is missing; add it, cells may be blank, or rename one of "
            '"analist"',
        ],
    ),
    "in one cell": (
        '"evaluator,case,analyst,accuracy,clarity,rank"',
        [
            'ratings.csv: row 1 "evaluator,case,analyst,accuracy,clarity,…"; expected the header: '
            "evaluator, case, analyst, accuracy, clarity, rank; put commas between its cells, and "
            "no quotes around all of them"
        ],
    ),
}


@pytest.mark.parametrize(("line", "told"), HEADERS.values(), ids=HEADERS.keys())
def test_a_wrong_header_is_named_with_the_near_name(folder, line, told):
    folder.row("ratings.csv", 1, line)
    assert folder.faults == told


def test_a_misspelt_optional_column_is_refused_and_a_foreign_one_noticed(folder):
    lines = RATINGS.splitlines()
    added = [f"{lines[0]},teir,mood"] + [f"{line},good,fine" for line in lines[1:]]
    folder.write("ratings.csv", "\n".join(added))
    assert folder.faults == ['ratings.csv, tier: column is missing; rename "teir" to "tier"']
    folder.spoil("ratings.csv", "teir", "weather")
    assert load(folder.path).notices == (
        'ratings.csv: "weather", "mood" ignored, no column of this kind of study',
    )


OTHERS = {
    "kind of analyst": (
        ("analysts.csv", "A,llm", "A,LLM"),
        'analysts.csv, kind: row 2 "LLM" (did you mean "llm"?); '
        "expected llm, physician or a blank cell",
    ),
    "years": (
        ("evaluators.csv", "E2,,12", "E2,,120"),
        'evaluators.csv, years: row 3 "120"; expected a number from 0 to 80 or a blank cell',
    ),
    "accuracy": (
        ("benchmarks.csv", "51.5", "151.5"),
        'benchmarks.csv, accuracy: row 2 "151.5"; expected a number from 0 to 100 or a blank cell',
    ),
    "decimal marks": (
        ("evaluators.csv", "E2,,12", 'E2,,"1,5"'),
        'evaluators.csv, years: row 2 "4.5", row 3 "1,5"; decimal comma and decimal point; '
        "use one of them",
    ),
    "id rounded by a spreadsheet": (
        ("evaluators.csv", "E3,", "1.76944E+12,"),
        'evaluators.csv, evaluator: row 4 "1.76944E+12"; expected an id: at most 100 characters, '
        "all of them visible; write it without exponent",
    ),
    "thousands or decimals": (
        ("ratings.csv", "E1,1,A,5,9,1\n", 'E1,1,A,5,9,"1,000"\n'),
        'ratings.csv, rank: row 2 "1,000"; expected a whole number of at least 1; '
        "decimals or thousands? leave the mark out",
    ),
    "marks of thousands": (
        ("evaluators.csv", "E2,,12", 'E2,,"1.234,5"'),
        'evaluators.csv, years: row 3 "1.234,5"; expected a number from 0 to 80; '
        "write it without marks of thousands",
    ),
    "unit": (
        ("evaluators.csv", "E2,,12", "E2,,12 years"),
        'evaluators.csv, years: row 3 "12 years"; expected a number from 0 to 80; '
        "write the number alone",
    ),
    "percent": (
        ("benchmarks.csv", "51.5", "51.5%"),
        'benchmarks.csv, accuracy: row 2 "51.5%"; expected a number from 0 to 100; '
        "write the number alone",
    ),
    "failed formula": (
        ("benchmarks.csv", "51.5", "#REF!"),
        'benchmarks.csv, accuracy: row 2 "#REF!"; expected a number from 0 to 100; '
        "a formula failed in the spreadsheet; put the value there",
    ),
    "id of a program that knows only decimals": (
        ("ratings.csv", "E1,1,A", "E1,1.0,A"),
        'ratings.csv, case: row 2 "1.0" (did you mean "1"?); not in cases.csv',
    ),
    "line break": (
        ("cases.csv", "1,Cardiology", '1,"Cardiology\nUrology"'),
        'cases.csv, specialty: row 2 "Cardiology\\nUrology"; expected one line of visible '
        "characters; write it in one line",
    ),
    "missing text": (
        ("cases.csv", "1,Cardiology", "1,NA"),
        'cases.csv, specialty: row 2 "NA"; expected one line of visible characters; '
        "leave a missing cell blank",
    ),
    "unseen characters": (
        ("cases.csv", "1,Cardiology", "1,Cardio\u202elogy"),
        r'cases.csv, specialty: row 2 "Cardio\u202elogy"; expected one line of visible '
        r"characters; delete \u202e, which cannot be seen",
    ),
    "benchmark of a stranger": (
        ("benchmarks.csv", "B,Arena", "Z,Arena"),
        'benchmarks.csv, analyst: row 3 "Z"; not in analysts.csv',
    ),
    "benchmark twice": (
        ("benchmarks.csv", "B,Arena", "A,Arena"),
        'benchmarks.csv: rows 2 and 3 ("A", "Arena"); the same analyst and benchmark; keep one row',
    ),
}


@pytest.mark.parametrize(("change", "told"), OTHERS.values(), ids=OTHERS.keys())
def test_every_file_is_checked(folder, change, told):
    folder.spoil(*change)
    if change[2].startswith("1.76"):
        folder.write("ratings.csv", RATINGS.replace("E3,", "1.76944E+12,"))
    assert folder.faults == [told]


def test_ids_that_differ_only_by_capitals_are_refused(folder):
    folder.spoil("evaluators.csv", "E2,", "e1,")
    assert folder.faults == [
        'evaluators.csv, evaluator: row 2 "E1", row 3 "e1"; ids that differ only by capitals; '
        "write them alike",
        'ratings.csv, evaluator: row 8 "E2" (6 rows); not in evaluators.csv',
    ]


def test_an_id_that_a_spreadsheet_made_a_date_is_pointed_at(folder):
    folder.spoil("cases.csv", "1,Cardiology", "03.05.2024,Cardiology")
    assert folder.faults == [
        'ratings.csv, case: row 2 "1" (9 rows); not in cases.csv; '
        'did a spreadsheet make an id there a date, "03.05.2024"?'
    ]


def test_optional_tables_are_checked_too(folder):
    folder.write("alignment.csv", "evaluator,case,specialist\nE1,1,yes\nE1,2,perhaps\nE9,1,\n")
    folder.write("assignments.csv", "case,analyst,person\n1,C,P4\n1,C,P5\n3,C,P5\n")
    assert folder.faults == [
        'assignments.csv, case: row 4 "3"; not in cases.csv',
        'assignments.csv: rows 2 and 3 ("1", "C"); the same case and analyst; keep one row',
        'alignment.csv, evaluator: row 4 "E9"; not in evaluators.csv',
        'alignment.csv, specialist: row 3 "perhaps"; expected true or false',
        "alignment.csv, specialist: row 4; must not be blank",
    ]


def test_a_fault_that_repeats_is_said_once_with_the_first_rows_and_a_count(folder):
    lines = RATINGS.splitlines()
    folder.write(
        "ratings.csv", "\n".join([lines[0]] + [f"{line[:7]}11,NaN,1" for line in lines[1:]])
    )
    assert folder.faults == [
        'ratings.csv, accuracy: rows 2, 3, 4, 5, 6 "11" and 10 more; '
        "expected a whole number from 1 to 5 or a blank cell",
        'ratings.csv, clarity: rows 2, 3, 4, 5, 6 "NaN" and 10 more; '
        "expected a whole number from 0 to 10; leave a missing cell blank",
        'ratings.csv, rank: rows 2, 3, 4 ("E1" in case "1": 1 3 times, no 2, no 3), '
        'rows 5, 6, 7 ("E1" in case "2": 1 3 times, no 2, no 3), '
        'rows 8, 9, 10 ("E2" in case "1": 1 3 times, no 2, no 3), '
        'rows 11, 12, 13 ("E2" in case "2": 1 3 times, no 2, no 3), '
        'rows 14, 15, 16 ("E3" in case "1": 1 3 times, no 2, no 3); '
        "expected every rank once; if ties are meant, set `ties: allowed` in study.yml",
    ]


def test_different_mistakes_in_one_column_are_told_apart(folder):
    folder.row("ratings.csv", 2, "E1,1,A,NaN,9,1")
    folder.row("ratings.csv", 3, "E1,1,B,6,4,2")
    folder.row("ratings.csv", 4, "E1,1,C,nan,0,3")
    assert folder.faults == [
        f'ratings.csv, accuracy: row 2 "NaN", row 4 "nan"; {WHOLE}; leave a missing cell blank',
        f'ratings.csv, accuracy: row 3 "6"; {WHOLE} or a blank cell',
    ]


# --- rows above the header ---


ABOVE = {
    "title": ("Ratings 2026\n", '2 "Ratings 2026"'),
    "title in a spreadsheet": ("Ratings 2026,,,,,\n,,,,,\n", '3 "Ratings 2026"'),
    "merged cells": ("Who,,,Scores,,Rank\n", '2 "Who"'),
    "cells of several lines": ('"Who\nrated",,,"Scores\n(1-5)",,Rank\n', r'2 "Who\nrated"'),
    "blank rows": ("\n\n", "3"),
    "separator of a spreadsheet": ("sep=,\n", '2 "sep="'),
}


@pytest.mark.parametrize(("above", "told"), ABOVE.values(), ids=ABOVE.keys())
def test_a_header_below_the_first_row_is_found_and_the_rest_is_checked(folder, above, told):
    folder.write("ratings.csv", above + RATINGS.replace("A,5,9", "A,6,9", 1))
    place, _, value = told.partition(" ")
    assert folder.faults == [
        f"ratings.csv: row 1{' ' if value else ''}{value}; expected the header, which is in row "
        f"{place}; delete what is above it",
        f'ratings.csv, accuracy: row {int(place) + 1} "6"; {WHOLE} or a blank cell',
    ]


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["study.yml", "evaluators.csv", "cases.csv", "analysts.csv", "ratings.csv"]
)
def test_a_missing_file_is_named(folder, name):
    (folder.path / name).unlink()
    assert folder.faults == [f"{name}: is missing; {EXAMPLE}"]


def test_an_empty_folder_is_told_once_where_an_example_is(tmp_path):
    assert [str(fault) for fault in check(tmp_path)] == [
        f"study.yml: is missing; {EXAMPLE}",
        "evaluators.csv: is missing",
        "cases.csv: is missing",
        "analysts.csv: is missing",
        "ratings.csv: is missing",
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("cases.csv", "Cases.csv", "rename Cases.csv to cases.csv"),
        ("ratings.csv", "rating.csv", "rename rating.csv to ratings.csv"),
        ("ratings.csv", "ratings.xlsx", "save ratings.xlsx as ratings.csv (CSV UTF-8)"),
        ("benchmarks.csv", "benchmark.csv", "rename benchmark.csv to benchmarks.csv"),
        ("ratings.csv", "ratings (1).csv", "rename ratings (1).csv to ratings.csv"),
        ("ratings.csv", "ratings_final.csv", "rename ratings_final.csv to ratings.csv"),
        ("study.yml", "study.yaml", "rename study.yaml to study.yml"),
        ("study.yml", "study.yml.txt", "rename study.yml.txt to study.yml"),
        ("ratings.csv", "ratings.csv.csv", "rename ratings.csv.csv to ratings.csv"),
    ],
)
def test_a_misspelt_file_is_asked_to_be_renamed(folder, old, new, told):
    (folder.path / old).rename(folder.path / new)
    assert folder.faults == [f"{old}: is missing; {told}"]


def test_an_old_copy_of_a_file_that_may_be_absent_is_no_fault(folder):
    (folder.path / "benchmarks.csv").rename(folder.path / "benchmarks (1).csv")
    assert folder.faults == []


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\n \n"])
def test_an_empty_file_is_named(folder, content):
    folder.write("cases.csv", content)
    assert folder.faults == [f"cases.csv: is empty; expected a header and rows; {EXAMPLE}"]


def test_a_header_alone_is_named(folder):
    folder.write("benchmarks.csv", "analyst,benchmark,accuracy,source\n,,,\n")
    folder.write("cases.csv", "case,specialty,group\n")
    assert folder.faults[0] == "cases.csv: has no rows below its header; add some"
    assert folder.faults[-1] == (
        "benchmarks.csv: has no rows below its header; add some, or delete the file"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named_and_checked_all_the_same(folder, encoding):
    folder.write("ratings.csv", RATINGS.replace("A,5,9", "A,6,9", 1).encode(encoding))
    assert folder.faults == [
        "ratings.csv: is UTF-16, expected UTF-8; save it as CSV UTF-8",
        f'ratings.csv, accuracy: row 2 "6"; {WHOLE} or a blank cell',
    ]


def test_latin1_is_named_with_row_column_and_value(folder):
    text = 'case,specialty,group\n1,"Kardiologie\nUrologie",X\n2,Pädiatrie,Ä\n'
    folder.write("cases.csv", text.encode("latin1"))
    assert folder.faults[:2] == [
        'cases.csv, specialty: row 3 "Pädiatrie" (byte 0xE4); expected UTF-8; save it as CSV UTF-8',
        'cases.csv, group: row 3 "Ä" (byte 0xC4); expected UTF-8; save it as CSV UTF-8',
    ]


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
def test_a_workbook_under_the_name_of_a_csv_file_is_named(folder, start):
    folder.write("ratings.csv", start + bytes(range(256)) * 9)
    assert folder.faults == [
        "ratings.csv: is a workbook, not CSV; open it and save it as CSV UTF-8"
    ]


def test_a_nul_byte_is_named(folder):
    folder.write("cases.csv", FILES["cases.csv"].encode().replace(b"X", b"X\0"))
    assert folder.faults == ["cases.csv: row 2; a NUL byte; save it as CSV UTF-8"]


def test_only_ordinary_files_of_the_folder_are_read(folder, tmp_path):
    cases = folder.path / "cases.csv"
    cases.rename(tmp_path / "elsewhere.csv")
    cases.symlink_to(tmp_path / "elsewhere.csv")
    assert folder.faults == ["cases.csv: links out of the folder; put the file itself here"]
    cases.unlink()
    cases.symlink_to("cases.csv")
    assert folder.faults == ["cases.csv: cannot be read: it links to itself"]
    cases.unlink()
    cases.mkdir()
    assert folder.faults == ["cases.csv: is a folder; expected a file"]
    cases.rmdir()
    os.mkfifo(cases)
    assert folder.faults == ["cases.csv: is not an ordinary file"]
    cases.unlink()
    shutil.copy(tmp_path / "elsewhere.csv", folder.path / "real.txt")
    cases.symlink_to("real.txt")
    assert load(folder.path).notices == ()


def test_a_place_that_is_no_folder_is_named(tmp_path):
    assert [str(f) for f in check(tmp_path / "none")] == [
        "none: is not there; expected a folder with study.yml and CSV files"
    ]
    (tmp_path / "file").touch()
    with pytest.raises(HelpersError, match="file: is no folder; expected a folder"):
        load(tmp_path / "file")


# --- all together --------------------------------------------------------------------------------


def test_all_faults_of_all_files_are_in_one_message(folder):
    folder.spoil("study.yml", "simulated", "simulatd")
    folder.spoil("evaluators.csv", "years", "yrs")
    folder.spoil("analysts.csv", "A,llm", "A,robot")
    (folder.path / "benchmarks.csv").unlink()
    folder.write("benchmark.csv", "")
    folder.row("ratings.csv", 2, "E1,1,A,9,9,1")
    folder.row("ratings.csv", 8, "E2,1,A,3,3,4")
    with pytest.raises(HelpersError) as error:
        load(folder.path)
    assert str(error.value) == (
        f"study {folder.path}: 6 faults\n"
        "  benchmarks.csv: is missing; rename benchmark.csv to benchmarks.csv\n"
        '  study.yml, simulatd: line 3; unknown key (did you mean "simulated"?)\n'
        '  evaluators.csv, years: column is missing; rename "yrs" to "years"\n'
        '  analysts.csv, kind: row 2 "robot"; expected llm, physician or a blank cell\n'
        '  ratings.csv, accuracy: row 2 "9"; expected a whole number from 1 to 5 or a blank cell\n'
        '  ratings.csv, rank: rows 8, 9, 10 ("E2" in case "1": 2, 3, 4); expected ranks from 1, '
        "ties as 1, 2, 2, 4 or 1, 2, 2, 3 or 1, 2.5, 2.5, 4"
    )


def test_messages_stay_short_and_printable_whatever_the_files_hold(folder):
    chance = random.Random(7)
    bits = [
        b",",
        b";",
        b'"',
        b"\n",
        b"\r",
        b"\0",
        b"\xff",
        b"\xc3",
        b"NaN",
        b"1e5",
        b"\x1b[2J",
        b"",
    ]
    bits += [
        "\u202e".encode(),
        "é".encode(),
        b"9" * 50,
        b"x" * 500,
        b": ",
        b"[",
        b"*a",
        b"!!x",
        b"- ",
    ]
    refused = 0
    for _ in range(150):
        for name, text in FILES.items():
            folder.write(name, text)
        for _ in range(chance.randint(1, 4)):
            name = chance.choice(list(FILES))
            data = (folder.path / name).read_bytes()
            start = chance.randrange(len(data) + 1)
            stop = start + chance.choice([0, 1, 2, 20])
            folder.write(name, data[:start] + chance.choice(bits) + data[stop:])
        told = folder.faults
        refused += bool(told)
        assert all(text.isprintable() and len(text) < 1_000 for text in told)
    assert refused > 100


# --- words ---------------------------------------------------------------------------------------


def test_values_are_shown_short_and_harmless():
    assert show("x" * 100) == f'"{"x" * 40}…"'
    assert show("\x1b[31m\u202e\xa0\n") == r'"\x1b[31m\u202e\xa0\n"'
    assert plain(None) == "None"


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("Evaluator ", ["evaluator", "case"], "evaluator"),
        ("E0O", ["E00", "E01"], "E00"),
        ("E12", ["E13", "E14"], None),
        ("007", ["7"], "7"),
        ("7.0", ["7"], "7"),
        ("teir", ["tier", "time"], "tier"),
        ("benchmarc", ["benchmarks"], "benchmarks"),
        ("x" * 5_000, ["y"], None),
        ("anything", [], None),
    ],
)
def test_the_near_name_is_found(name, options, expected):
    assert near(name, options) == expected


def test_a_search_among_very_many_names_is_not_begun():
    names = [f"name {number}" for number in range(10_000)]
    assert ask("nam 17", names) == ""
    assert ask("NAME 17", names) == ' (did you mean "name 17"?)'


def test_a_fault_says_where_in_few_words():
    cells = (Cell((4,), '"x"'), Cell((9,), '"y"'))
    assert str(Fault("a.csv", "expected z", "b", cells, 7)) == (
        'a.csv, b: row 4 "x", row 9 "y" and 5 more; expected z'
    )
    assert str(Fault("study.yml", "unknown key", "b", (Cell((4,)),), 1)) == (
        "study.yml, b: line 4; unknown key"
    )
