from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from helpers.agreement import ordered_contrast, pages_l, sign_flip
from helpers.errors import HelpersError

GAP = float("nan")
NINE = [0.5, 1.2, -0.3, 0.8, 2.0, 0.1, 0.9, 1.4, 0.6]


def p_greater(values):
    signs = np.array(list(product([1, -1], repeat=len(values))))
    return np.mean(signs @ values >= np.sum(values) - 1e-9)


def test_all_sign_patterns_are_counted():
    result = sign_flip(NINE)
    assert (result.value, result.patterns) == (pytest.approx(0.8), 512)
    assert result.p_greater == p_greater(NINE)
    assert result.p_two_sided == 2 * p_greater(NINE)
    assert sign_flip([-x for x in NINE]).p_two_sided == result.p_two_sided
    assert sign_flip([-x for x in NINE]).p_greater == 1 - p_greater(NINE) + 1 / 512


def test_interval_holds_the_means_that_the_test_does_not_reject():
    result = sign_flip(NINE)
    shifted = np.array(NINE)[:, None] - [result.low - 1e-6, result.low + 1e-6]
    assert p_greater(shifted[:, 0]) <= 0.025 < p_greater(shifted[:, 1])
    shifted = [result.high + 1e-6, result.high - 1e-6] - np.array(NINE)[:, None]
    assert p_greater(shifted[:, 0]) <= 0.025 < p_greater(shifted[:, 1])


def test_equal_numbers_count_as_ties():
    assert sign_flip([0.1] * 9).p_greater == 1 / 512
    result = sign_flip([0, 0, 0])
    assert (result.value, result.p_greater, result.p_two_sided) == (0, 1, 1)


def test_many_numbers_are_tested_by_random_signs_from_a_seed():
    values = np.random.default_rng(1).standard_normal(40) + 0.4
    result = sign_flip(values, seed=3)
    assert result == sign_flip(values, seed=3)
    assert result.p_greater == pytest.approx(stats.ttest_1samp(values, 0).pvalue / 2, abs=0.003)
    t = stats.ttest_1samp(values, 0).confidence_interval()
    assert (result.low, result.high) == pytest.approx((t.low, t.high), abs=0.03)


def test_few_numbers_have_no_interval():
    assert sign_flip(NINE[:5]).reason == "too few values for an interval: 5"
    assert sign_flip(NINE[:6]).has_interval
    assert sign_flip([GAP]).reason == "no values"
    assert sign_flip([]).value is None


def test_contrast_is_the_mean_rise_from_level_to_level():
    ranks = [[2, 4, 6], [3, 3, 5], [5, 6, 4], [1, GAP, 2]]
    result = ordered_contrast(ranks)
    assert result.values == pytest.approx((2, 1, -0.5))
    assert result.value == pytest.approx(2.5 / 3)
    assert (result.used, result.dropped, result.unit) == (3, 1, "cases")
    first_two = ordered_contrast(ranks, weights=[-2, 1, 1])
    assert first_two.values == pytest.approx((2, 2 / 3, 0))


def test_contrast_over_nine_cases_is_exact():
    ranks = np.array([5, 6, 7]) + np.outer(NINE, [-1, 0, 1])
    result = ordered_contrast(ranks)
    assert result.values == pytest.approx(tuple(x + 1 for x in NINE))
    assert result.p_greater == 1 / 512


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [
        ([[1], [2]], "1 level; at least 2 are needed"),
        ([[1, GAP], [GAP, 2]], "no cases"),
        (np.empty((0, 3)), "no cases"),
    ],
)
def test_a_contrast_without_cases_or_levels_has_a_reason(ranks, reason):
    result = ordered_contrast(ranks)
    assert (result.value, result.p_greater, result.reason) == (None, None, reason)


@pytest.mark.parametrize("weights", [[1, 2, 3], [1, -1], [1, -2, 1]])
def test_weights_that_are_no_trend_are_refused(weights):
    with pytest.raises(HelpersError, match="3 weights that rise and sum to 0 are needed"):
        ordered_contrast([[1, 2, 3]], weights)


def test_pages_l_is_exact_for_few_blocks():
    ranks = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]]
    result = pages_l(ranks)
    assert result.statistic == np.sum(ranks, axis=0) @ [1, 2, 3, 4]
    orders = [np.dot(order, [1, 2, 3, 4]) for order in permutations([1, 2, 3, 4])]
    sums = np.add.outer(np.add.outer(orders, orders), orders)
    assert result.p == pytest.approx(np.mean(sums >= result.statistic))


def test_page_takes_scores_and_drops_blocks_with_a_gap():
    result = pages_l([[10, 20, 30], [5, 7, 9], [1, GAP, 2]])
    assert (result.statistic, result.used, result.dropped) == (28, 2, 1)


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [
        ([[1, 2], [1, 2]], "2 treatments; at least 3 are needed"),
        ([[1, 2, 3], [1, GAP, 3]], "1 complete block; at least 2 are needed"),
        (np.empty((0, 3)), "0 complete blocks; at least 2 are needed"),
    ],
)
def test_what_page_cannot_test_has_a_reason(ranks, reason):
    result = pages_l(ranks)
    assert (result.statistic, result.p, result.reason) == (None, None, reason)


def test_equal_ranks_throughout_follow_no_order():
    assert pages_l([[2, 2, 2]] * 4).p > 0.4
