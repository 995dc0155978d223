from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from helpers.difficulty import difficulties, trend
from helpers.not_estimable import NotEstimableError
from helpers.study import load
from study_folder import Folder

NINE = dict(zip("abcdefghi", [0.2, 0.5, 0.4, 0.9, 0.7, 0.1, 0.6, 0.8, 0.3], strict=True))
HARD = dict(zip("abcdefghi", [3, 2, 2, 1, 1, 3, 2, 1, 3], strict=True))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


def cases(folder, *told):
    lines = [f"{case},Urology,X,{text}" for case, text in zip("12", told, strict=True)]
    folder.write("cases.csv", "\n".join(["case,specialty,group,difficulty", *lines]))
    return load(folder.path)


def test_numbers_are_taken_as_they_are_and_blanks_left_out(folder):
    assert difficulties(cases(folder, "0.4", "")) == {"1": 0.4}


def test_words_stand_in_a_stated_order(folder):
    assert difficulties(cases(folder, "Hard", "easy"), ["easy", "hard"]) == {"1": 2, "2": 1}


@pytest.mark.parametrize("word", ["odd", "inf"])
def test_other_words_are_named(folder, word):
    with pytest.raises(NotEstimableError) as error:
        difficulties(cases(folder, word, "easy"), ["easy", "hard"])
    assert error.value.reason == (
        f"cases.csv calls a case '{word}', which is neither a number nor among easy or hard"
    )


def test_difficulty_has_an_end(folder):
    with pytest.raises(NotEstimableError, match="calls a case 'inf'"):
        difficulties(cases(folder, "2", "inf"), ["easy", "hard"])


def test_a_study_may_say_nothing_of_difficulty(folder):
    with pytest.raises(NotEstimableError, match="says nothing of difficulty"):
        difficulties(load(folder.path))
    with pytest.raises(NotEstimableError, match="says nothing of difficulty"):
        difficulties(cases(folder, "", ""))


def test_the_trend_is_spearmans_correlation_with_an_exact_p():
    found = trend(NINE, HARD)
    x, y = list(NINE.values()), list(HARD.values())
    assert found.value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert (found.used, found.orders) == (9, 362_880)
    few = trend({case: NINE[case] for case in "abcde"}, HARD)
    orders = [stats.spearmanr(x[:5], order).statistic for order in permutations(y[:5])]
    assert few.p == pytest.approx(np.mean(np.abs(orders) >= abs(few.value) - 1e-9))


def test_the_interval_is_bonett_and_wrights():
    found = trend(NINE, HARD)
    error = np.sqrt((1 + found.value**2 / 2) / 6)
    assert np.arctanh(found.high) - np.arctanh(found.low) == pytest.approx(2 * 1.959964 * error)


def test_many_cases_are_put_in_random_orders_from_a_seed():
    random = np.random.default_rng(1)
    y = {str(i): float(i) for i in range(30)}
    x = {case: 0.05 * value + random.standard_normal() for case, value in y.items()}
    found = trend(x, y, seed=2)
    assert found == trend(x, y, seed=2)
    assert found.p == pytest.approx(
        stats.spearmanr(list(x.values()), list(y.values())).pvalue, abs=0.01
    )


@pytest.mark.parametrize(
    ("quantity", "difficulty", "reason"),
    [
        ({"a": 1.0, "b": None, "c": 2.0}, HARD, "2 cases with difficulty; at least 3 are needed"),
        (NINE, dict.fromkeys(NINE, 1.0), "the cases are alike in difficulty"),
        (dict.fromkeys(NINE, 0.5), HARD, "the quantity does not vary"),
    ],
)
def test_what_has_no_trend_has_a_reason(quantity, difficulty, reason):
    found = trend(quantity, difficulty)
    assert (found.value, found.p, found.reason) == (None, None, reason)


def test_three_cases_and_equal_orders_have_no_interval():
    three = {case: NINE[case] for case in "abd"}
    assert trend(three, HARD).reason == "too few cases for an interval: 3"
    assert trend(NINE, NINE).reason == "the orders are the same"
