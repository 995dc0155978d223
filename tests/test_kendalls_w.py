import csv
from pathlib import Path

import numpy as np
import pytest

from helpers.errors import HelpersError
from helpers.kendalls_w import kendalls_w

HERE = Path(__file__).parent
ANXIETY = np.genfromtxt(HERE / "data/anxiety.csv", delimiter=",", skip_header=1).T
ROUNDING = np.genfromtxt(HERE / "data/rounding_times.csv", delimiter=",", skip_header=1)

with (HERE / "R/kendalls_w.csv").open() as file:
    KNOWN = {row.pop("case"): {k: float(v) for k, v in row.items()} for row in csv.DictReader(file)}


@pytest.mark.parametrize(("case", "ratings"), [("anxiety", ANXIETY), ("rounding_times", ROUNDING)])
def test_agrees_with_friedman_in_r(case, ratings):
    unknown = kendalls_w(ratings)
    known = KNOWN[case]
    assert unknown.w == pytest.approx(known["w"], abs=1e-10)
    assert unknown.chi2 == pytest.approx(known["chi2"], abs=1e-8)
    assert unknown.df == known["df"]
    assert unknown.p == pytest.approx(known["p"], abs=1e-10)


def test_published_values_with_and_without_correction():
    assert round(kendalls_w(ANXIETY).w, 3) == 0.540
    assert round(kendalls_w(ANXIETY, ties=False).w, 3) == 0.502
    assert round(kendalls_w(ANXIETY).chi2, 1) == 30.8
    assert round(kendalls_w(ANXIETY).p, 4) == 0.0429


def test_one_order_is_full_agreement_even_with_ties():
    assert kendalls_w([[1, 2, 2, 5], [10, 20, 20, 30], [0, 3, 3, 4]]).w == pytest.approx(1)
    assert kendalls_w([[1, 2, 2, 5], [10, 20, 20, 30]], ties=False).w < 1


def test_opposite_orders_are_no_agreement():
    result = kendalls_w([[1, 2, 3, 4], [4, 3, 2, 1]])
    assert result.w == 0
    assert result.p == 1
    assert result.mean_correlation == -1


def test_reversing_every_row_changes_nothing():
    assert kendalls_w(-ANXIETY).w == pytest.approx(kendalls_w(ANXIETY).w)


def test_mean_correlation_is_spearmans_over_pairs_of_raters():
    ranks = np.array([[1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [1, 3, 2, 5, 4]])
    pairs = np.corrcoef(ranks)[np.triu_indices(3, 1)]
    assert kendalls_w(ranks).mean_correlation == pytest.approx(pairs.mean())


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ([[1, 2, 3]], "at least 2 raters × 2 items, got 1 × 3"),
        ([1, 2, 3], "at least 2 raters × 2 items, got 3"),
        ([[1, 2], [1, float("nan")]], "rater 2 has none for item 2"),
        ([[1, 2], [1, float("inf")]], "rater 2 has none for item 2"),
        ([[3, 3], [1, 1]], "every rater holds all items equal"),
    ],
)
def test_what_cannot_be_computed_is_said(ratings, message):
    with pytest.raises(HelpersError, match=message):
        kendalls_w(ratings)


def test_all_equal_without_correction_is_no_agreement():
    assert kendalls_w([[3, 3], [1, 1]], ties=False).w == 0
