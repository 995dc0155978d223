import numpy as np
import pandas as pd
import pytest
from scipy import stats

from agreement_data import ANXIETY, ATTITUDE, ROUNDING, R
from helpers.agreement import friedman, kendalls_w
from helpers.errors import HelpersError

GAP = float("nan")


@pytest.mark.parametrize(
    ("name", "table"),
    [("anxiety", ANXIETY), ("rounding_times", ROUNDING), ("attitude_rows_1_to_6", ATTITUDE[:6])],
)
@pytest.mark.parametrize("function", [friedman, kendalls_w])
def test_agrees_with_friedman_in_r(function, name, table):
    result = function(table)
    assert result.value == pytest.approx(R[name, "w"][0], abs=1e-10)
    assert result.chi2 == pytest.approx(R[name, "chi2"][0], abs=1e-8)
    assert result.p == pytest.approx(R[name, "p"][0], abs=1e-10)


def test_published_values_with_and_without_correction():
    assert round(float(kendalls_w(ANXIETY)), 3) == 0.540
    assert round(float(kendalls_w(ANXIETY, ties=False)), 3) == 0.502
    assert round(kendalls_w(ANXIETY).chi2, 1) == 30.8
    assert round(kendalls_w(ANXIETY).p, 4) == 0.0429
    assert (round(friedman(ROUNDING).chi2, 3), round(friedman(ROUNDING).p, 6)) == (11.143, 0.003805)


def test_one_order_is_full_agreement_even_with_ties():
    assert float(kendalls_w([[1, 2, 2, 5], [10, 20, 20, 30], [0, 3, 3, 4]])) == pytest.approx(1)
    assert float(kendalls_w([[1, 2, 2, 5], [10, 20, 20, 30]], ties=False)) < 1


def test_opposite_orders_are_no_agreement():
    result = kendalls_w([[1, 2, 3, 4], [4, 3, 2, 1]])
    assert result.value == 0
    assert result.p == 1
    assert result.mean_correlation == -1


def test_reversing_every_row_changes_nothing():
    assert kendalls_w(-ANXIETY).value == pytest.approx(kendalls_w(ANXIETY).value)


def test_mean_correlation_without_ties_is_spearmans_over_pairs_of_raters():
    ranks = np.array([[1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [1, 3, 2, 5, 4]])
    pairs = np.corrcoef(ranks)[np.triu_indices(3, 1)]
    assert kendalls_w(ranks).mean_correlation == pytest.approx(pairs.mean())


def test_w_without_each_rater_is_w_of_the_others():
    result = kendalls_w(ROUNDING)
    others = [kendalls_w(np.delete(ROUNDING, rater, axis=0)).value for rater in range(22)]
    assert result.without == pytest.approx(others)


def test_interval_is_the_delete_one_jackknife_of_mean_pairwise_agreement():
    ranks = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3], [3, 1, 2, 4]])
    spearman = np.corrcoef(ranks)
    r = [np.delete(np.delete(spearman, i, 0), i, 1)[np.triu_indices(3, 1)].mean() for i in range(4)]
    error = np.sqrt(3 / 4 * ((np.array(r) - np.mean(r)) ** 2).sum()) * 3 / 4
    w = float(kendalls_w(ranks))
    margin = stats.t.ppf(0.975, 3) * error / (w * (1 - w))
    limits = 1 / (1 + np.exp(-(np.log(w / (1 - w)) + np.array([-margin, margin]))))
    assert (kendalls_w(ranks).low, kendalls_w(ranks).high) == pytest.approx(tuple(limits))


def test_items_nobody_rated_go_first_then_raters_with_a_gap():
    table = [[1, 2, GAP, 3], [2, 1, GAP, 3], [GAP, 1, GAP, 2], [1, 3, GAP, 2]]
    result = kendalls_w(table)
    assert (result.used, result.dropped, result.unit, result.df) == (3, 1, "raters", 2)
    assert result.kept == (0, 1, 3)
    assert result.value == kendalls_w([[1, 2, 3], [2, 1, 3], [1, 3, 2]]).value


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 2, 3]], "1 complete rater; at least 2 are needed"),
        ([[1, 2, GAP], [GAP, 1, 2]], "0 complete raters; at least 2 are needed"),
        (np.empty((0, 9)), "0 complete raters; at least 2 are needed"),
        ([[1], [2]], "1 item; at least 2 are needed"),
        ([[3, 3], [1, 1]], "every rater holds all items equal"),
    ],
)
def test_what_cannot_be_estimated_has_a_reason(table, reason):
    result = kendalls_w(table)
    assert (result.value, result.low, result.chi2, result.p) == (None, None, None, None)
    assert result.reason == reason
    assert result.text() == f"not estimable: {reason}"
    with pytest.raises(HelpersError, match=f"not estimable: {reason}"):
        float(result)


def test_friedman_speaks_of_blocks_and_treatments():
    assert friedman([[1, 2], [1, GAP]]).reason == "1 complete block; at least 2 are needed"
    assert friedman([[1], [1]]).reason == "1 treatment; at least 2 are needed"


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 2, 3], [1, 3, 2]], "an interval needs at least 3 raters"),
        ([[1, 2, 3]] * 4, "an estimate of 1 is at the end of its range"),
        ([[1, 1, 1], [1, 1, 1], [1, 2, 3]], "without rater 3 of 3 there would be no estimate"),
    ],
)
def test_without_interval_there_is_a_reason(table, reason):
    result = kendalls_w(table)
    assert result.estimable
    assert not result.has_interval
    assert result.reason == reason


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2, 3], r"expected a table of raters × items, got shape \(3,\)"),
        ([["high", "low"]] * 2, "expected a table of numbers"),
        ([[1, 2], [1, float("inf")]], "rater 2, item 2: inf is no rating"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(table, message):
    with pytest.raises(HelpersError, match=message):
        kendalls_w(table)


def rankings(random, raters, slope):
    """Rankings of nine items by raters who differ in how well they see the items' quality."""
    seen = np.exp(0.3 * random.standard_normal((raters, 1)))
    quality = slope * seen * np.linspace(-1, 1, 9) + random.gumbel(size=(raters, 9))
    return stats.rankdata(quality, axis=1)


@pytest.mark.parametrize(("raters", "slope"), [(6, 0.7), (6, 1.5), (20, 0.7), (20, 1.5)])
def test_estimate_is_unbiased_and_interval_covers(raters, slope):
    random = np.random.default_rng(20)
    agreement = kendalls_w(rankings(random, 4000, slope)).mean_correlation
    expected = (1 + (raters - 1) * agreement) / raters
    results = [kendalls_w(rankings(random, raters, slope)) for _ in range(400)]
    values = np.array([result.value for result in results])
    assert abs(values.mean() - expected) < 3 * values.std() / np.sqrt(400) + 0.005
    covered = np.mean([result.low <= expected <= result.high for result in results])
    assert 0.91 <= covered <= 0.995


def test_resampling_raters_would_count_them_against_their_own_copies():
    random = np.random.default_rng(3)
    table = rankings(random, 6, 1.0)
    w = float(kendalls_w(table))
    resampled = [float(kendalls_w(table[random.integers(0, 6, 6)])) for _ in range(1000)]
    assert np.mean(resampled) == pytest.approx(w + (1 - w) / 6, abs=0.02)
    jackknifed = [x for x in kendalls_w(table).without if x is not None]
    assert np.mean(jackknifed) == pytest.approx(w + (1 - w) / 25, abs=0.02)  # W of five raters


def test_published_agreement_of_genomics_answers(shared):
    ratings = pd.read_csv(shared / "chattogovar/ratings_human.csv")
    published = {
        "total": 0.693,
        "accuracy": 0.688,
        "completeness": 0.590,
        "logical_consistency": 0.587,
        "clarity_and_conciseness": 0.644,
        "evidence_support": 0.738,
    }
    for dimension, w in published.items():
        means = ratings.groupby(["item", "system"])[dimension].mean().unstack()
        assert float(kendalls_w(means)) == pytest.approx(w, abs=0.0006)
