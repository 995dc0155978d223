"""The chapter on specifications, on studies of all sorts: it says what it cannot tell, and why."""

import re

import pytest

import chapter_cells
import weighing_studies
from helpers import results
from helpers.ranking.decisions import NO, YES
from helpers.results import Entry
from planted_studies import Planted
from study_folder import Folder

CHAPTER = "perception-15-specifications"
QUICK = {"draws": 19, "splits": 1, "left_out": 1, "permutations": 60, "spans": [1.0]}
TOPICS = {
    "perception-04-specialty": "H1",
    "perception-05-score-agreement": "H2",
    "perception-07-performance-levels": "H3",
    "perception-08-ranking-agreement": "H4",
    "perception-12-mapping": "H5",
    "perception-13-benchmarks": "H6",
    "perception-14-emphasis": "H7",
}
NOTHING = re.compile(r"\b(?:nan|inf|None|null)\b")


@pytest.fixture
def decided(monkeypatch):
    """Let chapters have recorded this decision."""

    def decide(decision, without=()):
        def read(chapter):
            topic = TOPICS[chapter]
            told = Entry("?", "", decision, "", "Why.", "tbl-x", topic=topic, estimate=0.5, p=0.01)
            return () if topic in without else (told,)

        monkeypatch.setattr(results, "read", read)

    return decide


@pytest.mark.parametrize(
    "name",
    ["one evaluator", "one case", "two analysts", "no ranks", "no scores", "all tied", "some ties"],
)
def test_odd_studies_have_no_holes(tmp_path, decided, name):
    decided(YES)
    study = weighing_studies.study(tmp_path / "s", **weighing_studies.ODD[name])
    shown, entries = chapter_cells.run(CHAPTER, study.folder, **QUICK)
    assert not NOTHING.search(chapter_cells.texts(shown))
    assert len(entries) == 7
    for one in entries:
        assert one.decision == "described" or one.explanation.startswith("Not tested: ")


def test_small_studies_that_are_not_medical_have_no_holes(tmp_path, decided):
    decided(NO)
    shown, _ = chapter_cells.run(CHAPTER, Folder(tmp_path / "s").path, **QUICK)
    assert not NOTHING.search(chapter_cells.texts(shown))


def test_what_no_chapter_decided_is_not_tested(tmp_path, decided):
    decided(YES, without=("H6", "H7"))
    study = Planted(cases=3, llms=0).study(tmp_path / "s")
    shown, entries = chapter_cells.run(CHAPTER, study.folder, **QUICK)
    told = chapter_cells.texts(shown)
    assert "H6 is not tested here: its chapter did not run" in told
    assert "Nothing to draw for H7" in told
    assert [one.decision for one in entries][5:] == ["not tested", "not tested"]
