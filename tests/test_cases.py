import numpy as np
import pytest
from scipy import stats

from helpers.agreement import compare_cases, kendalls_w
from helpers.errors import HelpersError
from helpers.multiplicity import holm

TASTES = np.random.default_rng(8).standard_normal((20, 9))


def rankings(random, slopes, raters=20):
    """Rankings of each case's nine items; raters keep their taste from case to case."""
    tables = []
    for slope in slopes:
        quality = slope * random.permutation(np.linspace(-1, 1, 9))
        seen = quality + 0.4 * TASTES[:raters] + random.gumbel(size=(raters, 9))
        tables.append(stats.rankdata(seen, axis=1))
    return tables


def without_some(tables, groups):
    """Rows of nan where a rater did not judge a case: each group of raters misses some cases."""
    result = [np.array(table) for table in tables]
    for raters, cases in groups:
        for case in cases:
            result[case][raters] = np.nan
    return result


def test_each_case_is_kendalls_w_of_its_raters():
    tables = without_some(rankings(np.random.default_rng(1), [1, 2, 1]), [(slice(0, 5), [1])])
    comparison = compare_cases(tables)
    assert comparison.cases == tuple(kendalls_w(table) for table in tables)
    assert comparison.cases[1].used == 15
    assert comparison.compared == (0, 1, 2)


def test_raters_of_one_case_alone_do_not_covary():
    a, b = rankings(np.random.default_rng(2), [1, 1])
    apart = without_some([a, b], [(slice(0, 10), [0]), (slice(10, 20), [1])])
    difference = compare_cases(apart).differences[0]
    errors = [np.sqrt(variance_of(kendalls_w(t[~np.isnan(t).any(axis=1)]))) for t in apart]
    margin = stats.t.ppf(0.975, 9) * np.hypot(*errors)
    assert (difference.high - difference.low) / 2 == pytest.approx(margin)
    assert difference.used == 20


def variance_of(result):
    m = result.used
    r = (np.array(result.without) * (m - 1) - 1) / (m - 2)
    return (m - 1) / m * ((r - r.mean()) ** 2).sum()


def test_shared_raters_narrow_a_difference_they_move_alike():
    a, b = rankings(np.random.default_rng(4), [1, 1])
    alike = compare_cases([a, a + 0, b]).differences
    same, other = alike[0], alike[1]
    assert same.value == 0
    assert same.reason == "the cases move together whichever rater is left out"
    assert other.value == pytest.approx(
        kendalls_w(a).mean_correlation - kendalls_w(b).mean_correlation
    )


def test_equal_agreement_is_rarely_rejected_and_unequal_mostly():
    random = np.random.default_rng(5)
    groups = [(slice(0, 6), [0, 1, 2]), (slice(6, 12), [3, 4, 5])]

    def share_rejected(slopes):
        tests = [
            compare_cases(without_some(rankings(random, slopes), groups)).p for _ in range(120)
        ]
        return np.mean(np.array(tests) < 0.05)

    assert share_rejected([1.2] * 9) <= 0.09
    assert share_rejected([2.5] * 3 + [1.0] * 6) >= 0.8


def test_pairs_are_adjusted_by_holm():
    comparison = compare_cases(rankings(np.random.default_rng(6), [0.2, 3, 1]))
    assert [(d.first, d.second) for d in comparison.differences] == [(0, 1), (0, 2), (1, 2)]
    adjusted = holm([d.p for d in comparison.differences])
    assert tuple(d.p_holm for d in comparison.differences) == adjusted
    assert comparison.differences[0].p_holm < 0.05
    assert comparison.differences[0].high < 0


def test_panel_size_alone_is_no_difference():
    tables = rankings(np.random.default_rng(7), [1.2, 1.2])
    few = without_some(tables, [(slice(6, 20), [1])])
    first, second = compare_cases(few).cases
    value = compare_cases(few).differences[0].value
    assert value == pytest.approx(first.mean_correlation - second.mean_correlation)


def test_cases_without_interval_are_left_out_and_named():
    tables = rankings(np.random.default_rng(9), [1, 1, 1])
    tables[1][2:] = np.nan  # two raters
    comparison = compare_cases(tables)
    assert comparison.compared == (0, 2)
    assert len(comparison.differences) == 1
    assert comparison.cases[1].reason == "an interval needs at least 3 raters"


@pytest.mark.parametrize("count", [0, 1])
def test_one_case_has_nothing_to_be_compared_with(count):
    comparison = compare_cases(rankings(np.random.default_rng(1), [1.0] * count))
    assert comparison.p is None
    assert comparison.differences == ()
    assert comparison.reason.endswith("with an interval; at least 2 are needed")


def test_tables_of_different_raters_are_refused():
    with pytest.raises(HelpersError, match=r"tables of \[2, 3\] rows"):
        compare_cases([[[1, 2]] * 2, [[1, 2]] * 3])
