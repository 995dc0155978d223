"""The chapters on scores run on any study: numbers or reasons, never a crash, nan or inf."""

import csv
import io
import re

import pytest

from chapter_cells import run, texts
from helpers.show import Table
from study_folder import RATINGS, Folder

CHAPTERS = (
    "perception-02-instrument",
    "perception-03-scores",
    "perception-04-specialty",
    "perception-05-score-agreement",
)
HEADER, *ROWS = RATINGS.splitlines()


def rows(keep=lambda evaluator, case, analyst: True, change=lambda cells: cells):
    """Ratings whose row is kept, changed, and ranked anew within evaluator and case."""
    kept = [change(row.split(",")) for row in ROWS if keep(*row.split(",")[:3])]
    groups = {}
    for cells in kept:
        cells[5] = str(groups.setdefault((cells[0], cells[1]), 0) + 1)
        groups[cells[0], cells[1]] += 1
    return "\n".join([HEADER, *(",".join(cells) for cells in kept)]) + "\n"


def constant(cells):
    cells[3] = "3"
    return cells


def unscored(cells):
    cells[4] = ""
    return cells


def every_other(cells):
    cells[3] = "" if cells[2] == "B" else cells[3]
    return cells


def alike(cells):
    """All evaluators give an analyst the same score."""
    cells[3] = cells[4] = str(" ABC".index(cells[2]))
    return cells


def one_score(cells):
    cells[3], cells[4] = ("2", "5") if cells[2] == "A" and cells[0] == "E1" else ("", "")
    return cells


ODD = {
    "tiny": {},
    "one evaluator": {"ratings.csv": rows(lambda e, c, a: e == "E1")},
    "one analyst": {"ratings.csv": rows(lambda e, c, a: a == "A")},
    "one case": {"ratings.csv": rows(lambda e, c, a: c == "1")},
    "one of each": {"ratings.csv": rows(lambda e, c, a: (e, c, a) == ("E1", "1", "A"))},
    "a constant dimension": {"ratings.csv": rows(change=constant)},
    "a dimension nobody scored": {"ratings.csv": rows(change=unscored)},
    "scores missing": {"ratings.csv": rows(change=every_other)},
    "hardly any scores": {"ratings.csv": rows(change=one_score)},
    "no specialties": {
        "evaluators.csv": "evaluator,specialty,years\nE1,,\nE2,,\nE3,,\n",
        "cases.csv": "case,specialty,group\n1,,\n2,,\n",
    },
    "a specialty with nobody in it": {
        "cases.csv": "case,specialty,group\n1,Dentistry,X\n2,Urology,Y\n",
    },
    "difficulty in words": {
        "cases.csv": "case,specialty,group,difficulty\n1,Urology,X,hard\n2,Urology,X,odd [*]\n",
    },
    "labels that Markdown knows": {
        "study.yml": (
            "title: T\nkind: perception\nsimulated: true\ndimensions:\n"
            "  - {code: accuracy, label: 'A*|[x](y) $^_$', min: 1, max: 5}\n"
            "  - {code: clarity, label: '@tbl-x `b` $1 and $2', min: 0, max: 10}\n"
        ),
    },
    "evaluators who all score alike": {"ratings.csv": rows(change=alike)},
    "labels that other columns have": {
        "study.yml": (
            "title: T\nkind: perception\nsimulated: true\ndimensions:\n"
            "  - {code: accuracy, label: case, min: 1, max: 5}\n"
            "  - {code: clarity, label: specialist, min: 0, max: 10}\n"
        ),
    },
    "one dimension": {
        "study.yml": (
            "title: T\nkind: perception\nsimulated: false\ndimensions:\n"
            "  - {code: accuracy, label: Accuracy, min: 1, max: 5}\n"
        ),
        "ratings.csv": re.sub(
            r"(?m)^((?:[^,]+,){4})[^,]+,", r"\1", RATINGS
        ),
    },
}  # fmt: skip


@pytest.fixture(params=ODD)
def odd(request, tmp_path):
    folder = Folder(tmp_path / "study")
    for name, text in ODD[request.param].items():
        folder.write(name, text)
    return folder


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_odd_studies_give_numbers_or_reasons(chapter, odd, recwarn):
    parameters = {"resamples": 50} if chapter == "perception-03-scores" else {}
    shown, entries = run(chapter, odd.path, **parameters)
    for word in ("nan", "inf", "None", "NaN"):
        assert not re.search(rf"(?<![\w]){word}(?!\w)", texts(shown)), word
    for table in (one for one in shown if isinstance(one, Table)):
        values = {cell for row in csv.reader(io.StringIO(table.csv)) for cell in row}
        assert not values & {"NaN", "nan", "inf", "-inf"}
    assert entries
    for entry in entries:
        estimable = entry.estimate is not None or entry.p is not None
        assert estimable or entry.decision in ("described", "not estimable", "not tested")
        assert "not estimable" not in entry.decision or "not estimable: " in entry.result
    told = [str(w.message) for w in recwarn if issubclass(w.category, RuntimeWarning)]
    assert told == []
