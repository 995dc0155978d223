"""The methods, made of what was run."""

import re

import pytest

from helpers import ledger, methods
from helpers.book import chapters, software
from helpers.paths import DATA, ROOT
from helpers.results import Entry
from helpers.study import load
from study_folder import Folder

TEST = {
    "question": "?",
    "result": "",
    "decision": "supported",
    "published": "",
    "explanation": "Why.",
    "anchor": "tbl-x",
    "topic": "H1",
    "method": "a test of *all*",
    "p": 0.01,
    "used": 1234,
    "dropped": 5,
    "unit": "scores",
}
FURTHER = TEST | {"topic": "ARQ1", "question": "How much?", "method": "a count", "p": None}


@pytest.fixture
def study(tmp_path):
    return load(Folder(tmp_path / "s").path)


def told(*lines, simulated=False):
    about = {"title": "Three", "kind": "perception", "simulated": simulated}
    given = {"c-1": {"key": "ab" * 32, "entries": list(lines), "study": about}}
    (found,) = ledger.questions(ledger.collect(given))
    return found


def made(study, *lines, simulated=False, settings=None):
    ran = methods.Ran("One chapter", settings or {}, tuple(Entry(**line) for line in lines))
    about = told(*lines, simulated=simulated)
    return methods.text(about, study, [ran], ["Python 3.11 (numpy 2.4)", "R 4.2"], "commit 0123")


def test_it_says_what_was_tested_how_and_on_how_many(study):
    text = made(study, TEST)
    assert "H1 was tested by a test of *all* (1,234 scores, 5 left out)." in text
    assert "H6 was not tested: no chapter of this book is about it." in text
    assert "The p-values of H1 were also adjusted after Holm" in text
    assert "RQ1" not in text


def test_it_says_what_the_study_holds_and_what_was_dropped(tmp_path):
    folder = Folder(tmp_path / "s")
    folder.say("partial_rankings: drop")
    folder.spoil("ratings.csv", "E3,1,C,1,1,3\n", "")
    text = made(load(folder.path), TEST)
    assert "15 rows" not in text
    assert re.search(r"Data\. 14 rows and 5 rankings were read\. Dropped were .*1 ranking", text)
    assert made(load(Folder(tmp_path / "t").path), TEST).count("Nothing was dropped.") == 1


def test_it_names_settings_software_and_sources(study):
    text = made(study, TEST, settings={"seed": ("7", "where chance begins")})
    assert "Settings. One chapter: seed = 7 (where chance begins)." in text
    assert "Computed with Python 3.11 (numpy 2.4) and R 4.2;" in text
    assert text.rstrip().endswith("commit 0123.")


def test_other_analyses_are_gathered_by_method(study):
    text = made(study, TEST, FURTHER, FURTHER | {"question": "How many?"})
    assert "Other analyses. How much; How many: a count." in text


def test_nothing_is_said_where_there_is_nothing(study):
    text = made(study, TEST)
    assert "Other analyses" not in text
    assert "Settings" not in text


def test_a_simulated_study_says_so_in_text_and_on_the_page(study):
    text = made(study, TEST, simulated=True)
    assert text.startswith("Methods: Three (SIMULATED)\n\nThese data are simulated")
    assert text.count("(SIMULATED)") == 3
    page = methods.fragment([(text, True)])
    assert page.count("These data are simulated") == 1
    assert '::: {.callout-warning title="SIMULATED"}' in page
    real = made(study, TEST)
    assert "SIMULATED" not in real + methods.fragment([(real, False)])


def test_the_page_shows_text_as_it_is(study):
    page = methods.fragment([(made(study, TEST), False)])
    assert "a test of \\*all\\*" in page
    assert page.startswith(methods.HEAD)
    assert methods.fragment([]) == methods.NOTHING


def test_what_could_not_be_estimated_says_why(study):
    line = TEST | {"decision": "not estimable", "result": "not estimable: one case", "p": None}
    text = made(study, line)
    assert "H1 was not tested: one case." in text
    assert "Holm" not in text


def test_software_is_what_the_chapters_import_and_call():
    chapter = chapters._chapter(ROOT, "notebooks/perception-04-specialty.ipynb")
    made_of = {"Python": "3.11.7", "R": "4.2.2", "module helpers.mixed.fit": "x"}
    made_of |= {f"R package {name}": "1.0" for name in ("lmerTest", "ordinal", "parameters")}
    python, r = software.versions([(chapter, made_of)])
    assert re.match(r"Python 3\.11\.7 \(.*numpy \d+\.\d+.*polars", python)
    assert "tqdm" not in python
    assert r == "R 4.2.2 (lmerTest 1.0)"
    plain = software.versions([(chapter, {"Python": "3.11.7"})])
    assert len(plain) == 1
    assert software.versions([]) == []


def test_the_shipped_study_is_described():
    text = made(load(DATA / "perception"), TEST, simulated=True)
    assert "Used: 37 evaluators, 9 cases, 9 analysts, 7 dimensions and 1,620 rows." in text
