import numpy as np
import pytest
from scipy import stats

from helpers.agreement.jackknife import SHARE
from helpers.ranking.table import means
from helpers.simultaneous import drawn, simultaneous
from rankings_data import rankings


def test_evaluators_and_cases_are_drawn_with_replacement_from_a_seed():
    people, texts = drawn(5, 3, 400, seed=1)
    assert (people.shape, texts.shape) == ((400, 5), (400, 3))
    assert (people.sum(axis=1) == 5).all()
    assert (texts.sum(axis=1) == 3).all()
    assert np.array_equal(people, drawn(5, 3, 400, seed=1)[0])
    assert abs(np.corrcoef(people[:, 0], texts[:, 0])[0, 1]) < 0.15


def test_a_single_interval_is_students_with_the_bootstraps_error():
    draws = np.random.default_rng(1).normal(3, 0.5, size=(4000, 1))
    (found,) = simultaneous(np.array([3.0]), draws, clusters=9)
    margin = stats.t.ppf(0.975, 8) * draws.std(ddof=1) * np.sqrt(9 / 8)
    assert (found.high - found.low) / 2 == pytest.approx(margin, rel=0.02)
    assert (found.low + found.high) / 2 == pytest.approx(3)


def test_independent_quantities_widen_each_other_and_equal_ones_do_not():
    draws = np.random.default_rng(2).normal(size=(4000, 6))
    zero = np.zeros(6)
    apart = simultaneous(zero, draws, clusters=1000)[0]
    alike = simultaneous(zero, np.repeat(draws[:, :1], 6, axis=1), clusters=1000)[0]
    error = draws[:, 0].std(ddof=1)
    assert apart.high / error == pytest.approx(stats.norm.ppf(1 - 0.025 / 6), rel=0.03)  # nearly
    assert alike.high / error == pytest.approx(1.96, rel=0.02)


def test_shares_stay_between_0_and_1():
    draws = np.random.default_rng(3).binomial(20, 0.95, size=(2000, 1)) / 20
    (found,) = simultaneous(np.array([0.95]), draws, clusters=12, scale=SHARE)
    assert 0 < found.low < 0.95 < found.high < 1


@pytest.mark.parametrize(
    ("estimate", "draws", "clusters", "reason"),
    [
        (np.nan, np.full(100, np.nan), 9, "there is no rating of it"),
        (0.5, np.linspace(0, 1, 100), 2, "there are fewer than 3 evaluators or cases to draw"),
        (0.5, np.full(100, 0.5), 9, "all resamples give the same"),
        (
            0.5,
            np.where(np.arange(100) < 50, np.nan, np.arange(100)),
            9,
            "more than a tenth of the resamples have no estimate",
        ),
    ],
)
def test_a_quantity_without_interval_has_a_reason_and_spares_the_others(
    estimate, draws, clusters, reason
):
    others = np.random.default_rng(4).normal(size=100)
    found = simultaneous(np.array([estimate, 0.0]), np.column_stack([draws, others]), clusters)
    assert found[0].reason == reason
    assert found[0].estimable == np.isfinite(estimate)
    assert found[1].has_interval == (clusters > 2)


def test_a_share_of_1_has_no_interval():
    draws = np.clip(np.random.default_rng(5).normal(1, 0.1, size=(500, 1)), 0, 1)
    (found,) = simultaneous(np.array([1.0]), draws, clusters=9, scale=SHARE)
    assert found.reason == "an estimate of 1 is at the end of its range"


def test_together_the_intervals_cover_about_as_often_as_they_say():
    """Nine cases that differ much, twelve evaluators; truth from very many of both."""
    random = np.random.default_rng(6)
    mean, spread = np.linspace(1, -1, 5), 0.8

    def world(evaluators, cases):
        quality = mean + spread * random.standard_normal((cases, 5))
        return rankings(random, quality, evaluators)

    truth = world(40, 4000).mean(axis=(0, 1))
    covered = plain = 0
    for _ in range(100):
        values = world(12, 9)
        estimate = means(values, np.ones((1, 12)), np.ones((1, 9)))[0]
        draws = means(values, *drawn(12, 9, 200, int(random.integers(1 << 30))))
        found = simultaneous(estimate, draws, clusters=9)
        covered += all(one.low <= x <= one.high for one, x in zip(found, truth, strict=True))
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        plain += bool(((low <= truth) & (truth <= high)).all())
    assert covered / 100 >= 0.92
    assert plain / 100 <= 0.85  # what it would be without
