import numpy as np
import pytest
from scipy import stats

from helpers.multiplicity import holm
from helpers.paths import DATA
from helpers.ranking import ranks
from helpers.ranking.stability import against_llms, table, variance_ratio
from helpers.study import load
from rankings_data import R

GAP = float("nan")


@pytest.fixture(scope="module")
def shipped():
    return ranks(load(DATA / "perception"))


@pytest.mark.parametrize("llm", ["Gemini 2.5 pro", "Qwen-235B-T"])
def test_ratios_of_variances_agree_with_r(shipped, llm):
    senior = shipped.levels_by_case(["senior"])[:, 0]
    found = variance_ratio(senior, shipped.by_case[:, shipped.analysts.index(llm)])
    assert found.value == pytest.approx(R["ratio of variances", llm])
    assert found.p == pytest.approx(R["ratio p", llm])
    ends = R["ratio low", llm], R["ratio high", llm]
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-6)
    assert (found.used, found.dropped) == (9, 0)


def test_exchanging_the_two_inverts_the_ratio_and_keeps_p():
    x, y = np.random.default_rng(1).normal(size=(2, 12)) * [[2], [1]]
    one, other = variance_ratio(x, y), variance_ratio(y, x)
    assert one.value == pytest.approx(1 / other.value)
    assert (one.low, one.p) == pytest.approx((1 / other.high, other.p))


def test_equal_variances_are_rejected_as_often_as_stated():
    random = np.random.default_rng(2)
    cov = [[1, 0.4], [0.4, 1]]
    p = [variance_ratio(*random.multivariate_normal([0, 0], cov, 9).T).p for _ in range(1500)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_cases_with_a_gap_are_dropped_and_counted():
    found = variance_ratio(np.array([1, 2, 4, 7, GAP]), np.array([2, 1, 2, 1, 5]))
    assert (found.used, found.dropped) == (4, 1)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 2, GAP], [1, GAP, 2], "1 shared case; at least 3 are needed"),
        ([1, 2, 3], [2, 2, 2], "mean ranks do not vary over cases"),
        ([1, 2, 3], [2, 4, 6], "the mean ranks of the two go together without error"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(x, y, reason):
    found = variance_ratio(np.array(x, dtype=float), np.array(y, dtype=float))
    assert found.reason == reason
    assert found.p is None


def test_several_models_are_compared_together(shipped):
    names = ["Gemini 2.5 pro", "GPTo3"]
    found = against_llms(shipped, "senior", names)
    assert [one.p_holm for one in found] == list(holm([one.ratio.p for one in found]))
    senior = shipped.levels_by_case(["senior"])[:, 0]
    alone = variance_ratio(senior, shipped.by_case[:, shipped.analysts.index("GPTo3")])
    assert found[1].ratio.low < alone.low
    assert alone.high < found[1].ratio.high
    row = table(found, "senior").to_dicts()[0]
    assert row["SD of senior"] == pytest.approx(R["sd of cases", "Specialist-Senior"])
    assert row["SD of LLM"] == pytest.approx(R["sd of cases", "Gemini 2.5 pro"])
