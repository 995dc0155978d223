"""The chapters on rankings and evaluators on odd studies: a number or a reason, never a crash."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from chapter_cells import run, texts
from helpers import show
from helpers.evaluators import influence, profile
from helpers.evaluators import picture as of_evaluators
from helpers.paths import DATA
from helpers.ranking import Ranks, agreement, compare, levels, picture, ranks
from helpers.study import load
from rankings_data import rankings, table
from study_folder import Folder

CHAPTERS = (
    "perception-06-rankings",
    "perception-07-performance-levels",
    "perception-08-ranking-agreement",
    "perception-09-evaluators",
)
LEVELS = ("", "", "senior", "junior", "non-specialist")
STATED = ["senior", "junior", "non-specialist"]


def write(path, evaluators, cases, analysts, rank=None, score=None, tied=False):
    """A study of these sizes; `rank` and `score` give a cell's text from its three places."""
    folder = Folder(path)
    (path / "benchmarks.csv").unlink()
    if tied:
        folder.say("ties: allowed")
    people = [f"E{i + 1},Urology,{i + 1}" for i in range(evaluators)]
    folder.write("evaluators.csv", "\n".join(["evaluator,specialty,years", *people]))
    texts = [f"{i + 1},Cardiology,X" for i in range(cases)]
    folder.write("cases.csv", "\n".join(["case,specialty,group", *texts]))
    kinds = [
        f"{'ABCDE'[i]},{'physician' if LEVELS[i] else 'llm'},{LEVELS[i]}," for i in range(analysts)
    ]
    folder.write("analysts.csv", "\n".join(["analyst,kind,level,family", *kinds]))
    random = np.random.default_rng(1)
    drawn = rankings(random, np.zeros((cases, analysts)), evaluators)
    points = random.integers(1, 6, drawn.shape)
    rows = []
    for e, c, a in np.ndindex(drawn.shape):
        given = points[e, c, a] if score is None else score
        place = f"{drawn[e, c, a]:.0f}" if rank is None else rank
        rows.append(f"E{e + 1},{c + 1},{'ABCDE'[a]},{given},{given},{place}")
    folder.write("ratings.csv", "\n".join(["evaluator,case,analyst,accuracy,clarity,rank", *rows]))
    return path


ODD = {
    "one of each": {"evaluators": 1, "cases": 1, "analysts": 1},
    "one evaluator": {"evaluators": 1, "cases": 4, "analysts": 5},
    "two evaluators": {"evaluators": 2, "cases": 4, "analysts": 5},
    "one case": {"evaluators": 6, "cases": 1, "analysts": 5},
    "one analyst": {"evaluators": 4, "cases": 3, "analysts": 1},
    "two models alone": {"evaluators": 4, "cases": 3, "analysts": 2},
    "no ranks": {"evaluators": 4, "cases": 3, "analysts": 5, "rank": ""},
    "all ranks equal": {"evaluators": 4, "cases": 3, "analysts": 5, "rank": 1, "tied": True},
    "no scores": {"evaluators": 4, "cases": 3, "analysts": 5, "score": ""},
    "constant scores": {"evaluators": 4, "cases": 3, "analysts": 5, "score": 3},
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_study_gets_numbers_or_reasons(tmp_path, name):
    holds(write(tmp_path / "study", **ODD[name]))


def test_names_that_markdown_knows_are_shown_as_they_are(tmp_path):
    path = write(tmp_path / "study", evaluators=5, cases=4, analysts=5)
    for name in ("evaluators", "cases", "analysts", "ratings"):
        text = (path / f"{name}.csv").read_text()
        text = text.replace("E1,", "E*1|,").replace("B,", "B [$^_$](x),").replace("Urology", "U_*")
        (path / f"{name}.csv").write_text(text.replace("senior", "@tbl-x `s`"))
    holds(path, levels=["@tbl-x `s`", "junior", "non-specialist"])


def holds(study, **parameters):
    """All chapters run, and show numbers or reasons."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for chapter in CHAPTERS:
            shown, entries = run(chapter, study, resamples=50, **parameters)
            for word in ("nan", "inf", "None", "NaN", "@tbl-x"):
                assert not re.search(rf"(?<![\w\\]){word}(?!\w)", texts(shown)), word
            for one in shown:
                if isinstance(one, show.Table):
                    assert not set(re.split(r"[,\n]", one.csv)) & {"NaN", "nan", "inf", "-inf"}
            assert entries
            for entry in entries:
                assert ("not estimable: " in entry.result) == (entry.decision == "not estimable")


def test_the_shipped_study_answers_every_question():
    topics = set()
    for chapter in CHAPTERS:
        _, entries = run(chapter, "data/perception", resamples=100)
        assert all(entry.decision != "not estimable" for entry in entries)
        topics |= {entry.topic for entry in entries if entry.p is not None}
    assert topics == {"H3", "H4"}


def test_figures_of_the_shipped_study_can_be_drawn():
    study = load(DATA / "perception")
    ranked = ranks(study)
    one = agreement.agreement(ranked, study)
    people = profile.profiles(study)
    for drawn in (
        picture.frequencies(ranked),
        picture.heat_map(ranked),
        picture.differences(compare.compare(ranked, 50)),
        picture.levels(levels.align(ranked, STATED), ranked),
        picture.agreement(agreement.table(one, study), agreement.beside_printed(one, study)),
        of_evaluators.profile(people, influence.influence(ranked)),
        of_evaluators.years(people),
    ):
        assert isinstance(show.figure(drawn), show.Picture)


def test_many_cases_are_drawn_without_their_numbers(tmp_path):
    ranked = ranks(load(write(tmp_path / "study", evaluators=3, cases=40, analysts=5)))
    few = ranks(load(write(tmp_path / "few", evaluators=3, cases=4, analysts=5)))
    assert not picture.heat_map(ranked).axes[0].texts
    assert len(picture.heat_map(few).axes[0].texts) == 20


def test_many_analysts_are_drawn_without_their_numbers():
    values = np.tile(np.arange(1.0, 31), (3, 4, 1))
    names = [f"Model {i} of a very long family name" for i in range(30)]
    ranked = replace(table(values[:, :, :12]), analysts=tuple(names[:12]))
    many = Ranks(("A", "B", "C"), tuple("1234"), tuple(names), ("llm",) * 30, ("",) * 30, values)
    assert len(picture.heat_map(ranked).axes[0].texts) == 48
    drawn = picture.heat_map(many).axes[0]
    assert not drawn.texts
    assert {label.get_rotation() for label in drawn.get_xticklabels()} == {90}
    assert isinstance(show.figure(picture.frequencies(many)), show.Picture)


def test_labels_are_kept_apart_and_minus_is_a_minus():
    assert picture._apart(np.array([1, 1.1, 3]), 0.5).tolist() == [1, 1.5, 3]
    assert picture.minus([-0.5, 0, 1]) == ["−0.5", "0.0", "1.0"]
    assert picture.minus([-5, 0, 5]) == ["−5", "0", "5"]


def test_without_an_order_of_levels_there_is_no_figure_of_them(tmp_path):
    ranked = ranks(load(write(tmp_path / "study", evaluators=4, cases=3, analysts=2)))
    drawn = picture.levels(levels.align(ranked, STATED), ranked)
    assert drawn == "Not drawn: no case has all levels."
