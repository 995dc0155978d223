import numpy as np
import pytest

from helpers import resample
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError

CLUSTERS = ["a", "b", "b", "c", "c", "c"]


def test_clusters_are_drawn_whole():
    weights = resample.bootstrap(CLUSTERS, 500, seed=1)
    assert weights.shape == (500, 6)
    assert (weights[:, 1] == weights[:, 2]).all()
    assert (weights[:, 3:] == weights[:, 3:4]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_each_cluster_is_drawn_once_on_average():
    counts = resample.bootstrap(CLUSTERS, 20_000, seed=2)[:, [0, 1, 3]]
    assert counts.mean(axis=0) == pytest.approx([1, 1, 1], abs=0.02)
    # The variance of a multinomial count is n · 1/n · (1 − 1/n).
    assert counts.var(axis=0) == pytest.approx([2 / 3] * 3, abs=0.02)


def test_the_seed_decides():
    one, same, other = (resample.bootstrap(CLUSTERS, 50, seed) for seed in (7, 7, 8))
    assert (one == same).all()
    assert (one != other).any()


def test_leaving_out_leaves_out_each_cluster_once():
    weights, names = resample.leave_one_out(CLUSTERS)
    assert names == ["a", "b", "c"]
    assert weights.tolist() == [[0, 1, 1, 1, 1, 1], [1, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]]


def test_bootstrap_error_of_a_mean_of_clusters():
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    weights = resample.bootstrap(np.arange(8), 20_000, seed=1)
    interval = resample.percentile(weights @ values[:, None] / 8)
    assert interval.se[0] == pytest.approx(values.std() / np.sqrt(8), rel=0.02)
    assert interval.low[0] < values.mean() < interval.high[0]


def test_jackknife_of_a_mean_is_the_classic_interval():
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    weights, _ = resample.leave_one_out(np.arange(8))
    without = weights @ values[:, None] / 7
    interval = resample.jackknife(values[:1] * 0 + values.mean(), without)
    se = values.std(ddof=1) / np.sqrt(8)
    assert interval.se[0] == pytest.approx(se)
    assert interval.high[0] == pytest.approx(values.mean() + 2.364624 * se, abs=1e-5)
    assert interval.low[0] == pytest.approx(values.mean() - 2.364624 * se, abs=1e-5)


def test_percentiles_are_those_of_the_draws():
    draws = np.linspace(0, 1, 1001)[:, None] * [1, 100]
    interval = resample.percentile(draws, level=0.9)
    assert interval.low == pytest.approx([0.05, 5])
    assert interval.high == pytest.approx([0.95, 95])


def test_lost_replicates_are_counted_and_too_many_give_no_interval():
    draws = np.random.default_rng(0).normal(size=(100, 2))
    draws[:10] = np.nan
    draws[:20, 1] = np.nan
    interval = resample.percentile(draws)
    assert (interval.replicates, interval.lost) == (90, 10)
    assert np.isfinite([interval.low[0], interval.high[0], interval.se[0]]).all()
    assert np.isnan([interval.low[1], interval.high[1], interval.se[1]]).all()


def test_a_cluster_that_cannot_be_spared_gives_no_jackknife_interval():
    interval = resample.jackknife(np.zeros(2), np.array([[1.0, 1], [2, np.nan], [3, 3]]))
    assert np.isfinite(interval.low[0])
    assert np.isnan(interval.low[1])


@pytest.mark.parametrize("draw", [lambda c: resample.bootstrap(c, 10, 1), resample.leave_one_out])
def test_one_cluster_cannot_be_resampled(draw):
    with pytest.raises(NotEstimableError, match="there is 'E1' alone to resample"):
        draw(["E1", "E1"])
    with pytest.raises(NotEstimableError, match="there is nothing to resample"):
        draw([])


def test_no_resamples_are_refused():
    with pytest.raises(HelpersError, match="at least one resample is needed, got 0"):
        resample.bootstrap(CLUSTERS, 0, 1)
