"""A study as it is loaded: types, notices, provenance, and real ratings from other fields."""

import csv
import hashlib
from collections import defaultdict
from datetime import datetime

import polars as pl
import pytest

from helpers.errors import HelpersError
from helpers.study import load, summary
from study_folder import RATINGS, Folder


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


def test_tables_are_typed(folder):
    folder.write("alignment.csv", "evaluator,case,specialist\nE1,1,Yes\nE1,2,0\n")
    folder.write("assignments.csv", "case,analyst,person\n1,C,P4\n")
    lines = RATINGS.splitlines()
    more = [f"{lines[0]},position,timestamp", f"{lines[1]},3,2026-01-31T14:05:00+02:00"]
    folder.write("ratings.csv", "\n".join(more + [f"{line},," for line in lines[2:]]))
    study = load(folder.path)
    assert study["ratings"].schema == {
        "evaluator": pl.String,
        "case": pl.String,
        "analyst": pl.String,
        "accuracy": pl.Int64,
        "clarity": pl.Int64,
        "rank": pl.Int64,
        "position": pl.Int64,
        "timestamp": pl.Datetime("us"),
    }
    assert study["ratings"]["timestamp"][0] == datetime(2026, 1, 31, 12, 5)
    assert study["evaluators"].rows() == [
        ("E1", ["Cardiology", "Urology"], 4.5),
        ("E2", [], 12.0),
        ("E3", ["Urology"], None),
    ]
    assert study["alignment"]["specialist"].to_list() == [True, False]
    assert study["assignments"].rows() == [("1", "C", "P4")]
    assert study["benchmarks"]["accuracy"].to_list() == [51.5, None]


def test_scores_written_with_zeros_behind_a_mark_are_whole(folder):
    """4.000 on a scale that ends at 5 can only be 4."""
    folder.row("ratings.csv", 2, 'E1,1,A,"4,000",9.00,1.0')
    assert load(folder.path)["ratings"].row(0)[3:] == (4, 9, 1)


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "31.01.2026 14:05", "noon"])
def test_a_time_in_another_form_is_named(folder, time):
    lines = RATINGS.splitlines()
    more = [f"{lines[0]},timestamp", f"{lines[1]},{time}"]
    folder.write("ratings.csv", "\n".join(more + [f"{line}," for line in lines[2:]]))
    (fault,) = folder.faults
    assert fault == (
        f'ratings.csv, timestamp: row 2 "{time}"; expected a time, year first, such as '
        "2026-01-31T14:05:00 or a blank cell"
    )


def test_a_table_that_is_not_there_is_named(folder):
    with pytest.raises(HelpersError, match=r"^this study has no alignment\.csv$"):
        load(folder.path)["alignment"]


def test_every_file_read_is_vouched_for(folder):
    assert load(folder.path).provenance == {
        name: hashlib.sha256((folder.path / name).read_bytes()).hexdigest()
        for name in (
            "study.yml",
            "evaluators.csv",
            "cases.csv",
            "analysts.csv",
            "ratings.csv",
            "benchmarks.csv",
        )
    }


def test_odd_but_possible_things_are_noticed(folder):
    folder.write("notes.txt", "read me")
    folder.write("evaluators.csv", "evaluator,specialty,years\nE1,cardiology,\nE2,,\nE3,,\nE4,,\n")
    folder.write("cases.csv", "case,specialty,group\n1,Cardiology,X\n2,Urology,Y\n3-May,,\n")
    folder.spoil("analysts.csv", "C,physician", "C,")
    assert load(folder.path).notices == (
        "notes.txt: no file of this kind of study; ignored",
        'cases.csv, case: "3-May": is it an id, or a spreadsheet\'s date?',
        "evaluators.csv: nothing in ratings.csv for E4",
        "cases.csv: nothing in ratings.csv for 3-May",
        "analysts.csv: C neither llm nor physician",
        'evaluators.csv: specialty "cardiology" is not "Cardiology" of cases.csv; write them alike '
        "if they are one",
    )


def test_the_summary_counts_everything(folder):
    folder.say("partial_rankings: drop")
    folder.row("ratings.csv", 2, "E1,1,A,,9,")
    assert summary(load(folder.path)) == (
        "perception study 'Three evaluators' is sound (SIMULATED)\n"
        "  3 evaluators, 2 cases, 3 analysts, 2 dimensions\n"
        "  rows: 15 read, 15 used; rankings: 5 read, 4 used\n"
        "  dropped: 1 ranking, ranking leaves out part of the case "
        "(partial_rankings: drop)\n"
        "  missing: 1 row, no score for accuracy\n"
        "  missing: 3 rows, no rank that counts\n"
        "  without: assignments.csv, alignment.csv\n"
        "  notice: ratings.csv: 1 ranking dropped, part of the case not ranked: "
        "E1 in case 1 (2 of 3)"
    )


# --- real ratings --------------------------------------------------------------------------------


def write_study(folder, rows, dimensions, low, high):
    """Write rows of evaluator, case, analyst, scores; ranked by their sum, ties as mean ranks."""
    sums = defaultdict(list)
    for evaluator, case, _, *scores in rows:
        sums[evaluator, case].append(sum(map(int, scores)))
    lines = []
    for row in rows:
        total, others = sum(map(int, row[3:])), sums[row[0], row[1]]
        better = sum(other > total for other in others)
        lines.append([*row, f"{better + (1 + others.count(total)) / 2:g}"])
    tables = {
        "ratings": (["evaluator", "case", "analyst", *dimensions, "rank"], lines),
        "evaluators": (
            ["evaluator", "specialty", "years"],
            [[name, "", ""] for name in sorted({row[0] for row in rows})],
        ),
        "cases": (
            ["case", "specialty", "group"],
            [[name, "", ""] for name in sorted({row[1] for row in rows})],
        ),
        "analysts": (
            ["analyst", "kind", "level", "family"],
            [[name, "llm", "", ""] for name in sorted({row[2] for row in rows})],
        ),
    }
    folder.mkdir()
    for name, (header, body) in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *body])
    scales = "".join(
        f"  - {{code: {name}, label: {name}, min: {low}, max: {high}}}\n" for name in dimensions
    )
    (folder / "study.yml").write_text(
        f"title: real\nkind: perception\nsimulated: false\nties: allowed\ndimensions:\n{scales}"
    )


def test_ratings_of_genomics_answers_make_a_study(shared, tmp_path):
    with (shared / "chattogovar" / "ratings_human.csv").open(newline="") as file:
        source = list(csv.DictReader(file))
    dimensions = list(source[0])[5:-1]
    rows = [
        [row["rater"], row["item"], row["system"], *(row[name] for name in dimensions)]
        for row in source
    ]
    write_study(tmp_path / "study", rows, dimensions, 0, 10)
    study = load(tmp_path / "study")
    assert study["ratings"].height == 900
    assert study.accounting.row(0) == ("read", "in ratings.csv", 900, 300)
    assert study.accounting.filter(status="used").row(0)[2:] == (900, 300)
    # Means of the raters' totals as published with the data.
    totals = study["ratings"].with_columns(total=pl.sum_horizontal(dimensions))
    means = dict(totals.group_by("analyst").agg(pl.col("total").mean().round(2)).rows())
    assert means == {"ChatTogoVar": 40.68, "GPT-4o": 22.30, "VarChat": 30.70}


def test_ratings_of_summaries_make_a_study(shared, tmp_path):
    with (shared / "summeval" / "ratings_human.csv").open(newline="") as file:
        source = list(csv.DictReader(file))
    dimensions = list(source[0])[4:]
    rows = [
        [row["rater"], row["doc"], row["system"], *(row[name] for name in dimensions)]
        for row in source
    ]
    write_study(tmp_path / "study", rows, dimensions, 1, 5)
    study = load(tmp_path / "study")
    assert study["ratings"].height == 9600
    assert study.accounting.filter(status="used").row(0)[2:] == (9600, 800)
    assert study["ratings"]["rank"].max() <= 12
