import pytest

from helpers import beside
from helpers.paths import DATA
from helpers.study import load
from study_folder import Folder


@pytest.fixture(scope="module")
def shipped():
    return load(DATA / "perception")


def test_analysts_are_found_by_their_words_in_any_order():
    names = ["Specialist-Senior", "Non-specialist", "gptO3", "GPT-5", "Specialist"]
    assert beside.analysts("table12", "Kendall’s W", names) == [
        "0.473",
        "0.306",
        "0.515",
        None,
        None,
    ]


def test_dimensions_are_found_by_their_labels():
    found = beside.dimensions("table10", "t", ["Treatment coverage", "Clarity"])
    assert found == ["-2.08", None]


def test_cases_need_the_same_number_and_specialty(shipped, tmp_path):
    assert beside.cases("table13", "Kendall’s W", shipped, ["1", "9", "10"]) == [
        "0.64",
        "0.39",
        None,
    ]
    other = load(Folder(tmp_path / "study").path)  # case 1 is of cardiology
    assert beside.cases("table13", "Kendall’s W", other, ["1", "2"]) == [None, None]


def test_text_is_quoted_as_printed():
    assert beside.quote("highest W of rankings") == "0.67"


def test_the_remark_says_what_printed_figures_are_worth(shipped):
    assert "orientation only" in beside.remark(shipped, 9)
    assert "prints nothing" in beside.remark(shipped, 0)
