"""Intervals, tests of random terms, proportional odds and the bootstrap."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from clmm_data import CROSSED, JUDGE, PLAIN, RANKS, STUDY, WINE, simulated
from helpers import published
from helpers.clmm import (
    bootstrap,
    clmm,
    conditional_modes,
    intervals,
    proportional_odds,
    random_term_tests,
)
from helpers.clmm.bootstrap import refit, simulated_ratings
from helpers.errors import HelpersError
from helpers.paths import DATA
from helpers.simulate import (
    DIMENSIONS,
    PERCEPTION,
    perception_design,
    published_model,
    simulate_cumulative,
)

KNOWN = pl.read_csv(Path(__file__).parent / "R" / "clmm.csv")


def known(case, kind):
    rows = KNOWN.filter((pl.col("case") == case) & (pl.col("kind") == kind))
    return dict(rows.select("name", "estimate").rows())


@pytest.fixture(scope="module")
def wine():
    return clmm(JUDGE, WINE)


@pytest.fixture(scope="module")
def crossed():
    return clmm(CROSSED, simulated(11))


# --- intervals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_profile_intervals_are_rs(side):
    found = intervals(clmm(PLAIN, WINE), "profile", ["tempwarm", "contactyes"])
    r = known("wine profile", side)
    assert dict(zip(found["name"], found[side], strict=True)) == pytest.approx(r, abs=1e-3)


def test_profile_limits_lie_where_the_likelihood_has_fallen(wine):
    """Held at a limit of its interval, the slope of temp costs half a χ² quantile."""
    found = intervals(wine, "profile", ["tempwarm"], level=0.9)
    warm = (WINE["temp"] == "warm").to_numpy()
    for limit in (found["lower"][0], found["upper"][0]):
        # A slope is held by moving the edges, which a plain fit of the rest cannot do: profile it.
        held = _held(wine, limit, warm)
        assert 2 * (wine.loglik - held) == pytest.approx(stats.chi2.ppf(0.9, 1), abs=1e-3)


def _held(fit, slope, warm):
    from helpers.clmm.optimise import climb

    problem = fit.problem
    place = problem.matrix.shape[1]
    parameters = fit.parameters.copy()
    parameters[place] = slope * warm.std()
    free = np.arange(len(parameters)) != place
    start = problem.evaluate(parameters, np.zeros(problem.laplace.count))
    return climb(problem.evaluate, start, fit.curvature, free).point.loglik


def test_profiles_of_units_and_origins_move_along():
    data = simulated(12)
    names = ["x", "1|2"]
    near = intervals(clmm(CROSSED, data), "profile", names)
    far = clmm(CROSSED, data.with_columns(x=pl.col("x") * 10 + 5))
    far = intervals(far, "profile", ["x"])
    assert far["lower"][0] * 10 == pytest.approx(near["lower"][0], abs=1e-3)
    assert far["upper"][0] * 10 == pytest.approx(near["upper"][0], abs=1e-3)


def test_a_variance_at_the_boundary_has_an_upper_limit_only():
    fit = clmm(JUDGE + " + (1 | bottle)", WINE)
    found = intervals(fit, "profile", ["sd(bottle)", "sd(judge)"])
    assert found["lower"].to_list()[0] == 0
    assert 0.3 < found["upper"][0] < 1.5
    assert 0 < found["lower"][1] < found["estimate"][1] < found["upper"][1]
    wald = intervals(fit, "wald", ["sd(bottle)"])
    assert np.isnan(wald["upper"][0])


def test_rounding_in_the_covariance_is_not_taken_for_a_standard_error_at_the_boundary():
    paper = published.load(DATA / "published/perception")
    truth = published_model(paper)  # evaluator:case has variance zero
    ratings = simulate_cumulative(perception_design(1), PERCEPTION, truth, 1).ratings()
    terms = "".join(f" + (1 | {term})" for term in truth.variances)
    fit = clmm(f"rank ~ {' + '.join(DIMENSIONS)}{terms}", ratings)
    assert list(fit.boundary) == ["evaluator:case"]
    found = intervals(fit, "profile", ["sd(evaluator:case)"])
    assert found["lower"][0] == 0
    assert 0.2 < found["upper"][0] < 0.3


def test_wald_and_profile_agree_where_data_are_many(crossed):
    wald, profile = intervals(crossed, "wald", ["x"]), intervals(crossed, "profile", ["x"])
    width = wald["upper"][0] - wald["lower"][0]
    assert profile["lower"][0] == pytest.approx(wald["lower"][0], abs=0.05 * width)
    assert profile["upper"][0] == pytest.approx(wald["upper"][0], abs=0.05 * width)


def test_unknown_names_and_methods_are_refused(wine):
    with pytest.raises(HelpersError, match="no parameter 'tempwram'; did you mean 'tempwarm'"):
        intervals(wine, "wald", ["tempwram"])
    with pytest.raises(HelpersError, match="expected wald, profile or bootstrap"):
        intervals(wine, "bayes")


def test_intervals_cover_the_planted_slope():
    """Of 120 samples, 95 % intervals miss the truth in 6; 1 to 13 is within Monte-Carlo error."""
    missed = 0
    for seed in range(120):
        row = clmm(CROSSED, simulated(100 + seed, judges=12, items=15)).table().row(0, named=True)
        missed += not row["lower"] < 1.0 < row["upper"]
    assert 1 <= missed <= 13


# --- the parametric bootstrap --------------------------------------------------------------------


def test_simulated_ratings_follow_the_model(crossed):
    """Shares of categories over many samples are the fitted probabilities, by quadrature."""
    problem, parameters = crossed.problem, crossed.parameters
    rng = np.random.default_rng(1)
    drawn = [simulated_ratings(problem, parameters, rng) for _ in range(200)]
    shares = np.bincount(np.concatenate(drawn), minlength=4) / (200 * 600)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    spread = np.sqrt(crossed.variances.sum())
    x = crossed.design.x[:, 0] * crossed.coefficients["x"]
    below = [
        (stats.logistic.cdf(theta - x[:, None] - spread * nodes) @ weights).mean() / weights.sum()
        for theta in crossed.thresholds
    ]
    assert shares == pytest.approx(np.diff([0, *below, 1]), abs=0.01)


def test_bootstrap_is_the_same_for_the_same_seed_and_a_beginning_of_longer_ones(wine):
    few, more = bootstrap(wine, 5, seed=3), bootstrap(wine, 8, seed=3)
    assert more.estimates.head(5).equals(few.estimates)
    assert not bootstrap(wine, 5, seed=4).estimates.equals(few.estimates)


def test_a_refit_finds_what_a_first_fit_finds(crossed):
    y = simulated_ratings(crossed.problem, crossed.parameters, np.random.default_rng(5))
    again = refit(crossed.problem, y, crossed.parameters, crossed.curvature)
    anew = clmm(CROSSED, simulated(11).with_columns(rating=pl.Series(y + 1)))
    assert again.point.loglik == pytest.approx(anew.loglik, abs=1e-6)


def test_bootstrap_errors_are_like_those_of_the_hessian(crossed):
    drawn = bootstrap(crossed, 60, seed=1)
    assert drawn.failed == 0
    assert drawn.estimates["x"].std() == pytest.approx(crossed.standard_errors["x"], rel=0.35)
    assert drawn.estimates["x"].mean() == pytest.approx(crossed.coefficients["x"], abs=0.05)


def test_samples_without_some_category_are_counted_as_failed():
    rare = WINE.with_columns(rating=pl.when(pl.col("rating") == 5).then(5).otherwise(2))
    rare = rare.with_columns(
        rating=pl.when((pl.col("judge") == 1) & (pl.col("bottle") == 1)).then(1).otherwise("rating")
    )
    drawn = bootstrap(clmm("rating ~ 1 + (1 | judge)", rare), 40, seed=2)
    assert 0 < drawn.failed < 40
    assert len(drawn.estimates) + drawn.failed == 40


def test_weights_have_no_bootstrap():
    fit = clmm(JUDGE, WINE, weights=np.full(72, 2.0))
    with pytest.raises(HelpersError, match="repeat rows instead"):
        bootstrap(fit, 2)


@pytest.mark.parametrize("level", [0, 1, 95, np.nan])
def test_levels_that_are_no_coverage_are_refused(wine, level):
    for work in (wine.table, lambda level: intervals(wine, level=level)):
        with pytest.raises(HelpersError, match=r"expected a number between 0 and 1"):
            work(level)
    with pytest.raises(HelpersError, match=r"expected a number between 0 and 1"):
        conditional_modes(wine, level)


def test_no_samples_are_refused(wine):
    with pytest.raises(HelpersError, match="resamples 0: expected at least 1"):
        bootstrap(wine, 0)


# --- tests of random terms -----------------------------------------------------------------------


def test_likelihood_ratio_of_a_term_is_the_difference_of_two_fits(wine):
    row = random_term_tests(wine, resamples=99, seed=1).row(0, named=True)
    lr = 2 * (wine.loglik - clmm(PLAIN, WINE).loglik)
    assert row["lr"] == pytest.approx(lr, abs=1e-6)
    assert row["p_mixture"] == pytest.approx(stats.chi2.sf(lr, 1) / 2)
    assert row["p_bootstrap"] <= 0.03
    assert row["resamples"] >= 95


def test_the_mixture_is_not_used_where_another_variance_is_zero():
    fit = clmm(JUDGE + " + (1 | bottle)", WINE)
    judge, bottle = random_term_tests(fit, resamples=0).iter_rows(named=True)
    assert judge["p_mixture"] is None
    assert judge["lr"] > 9
    assert bottle["lr"] == 0
    assert bottle["p_mixture"] == 1


def test_a_term_that_is_not_there_is_not_found(crossed):
    data = simulated(11).with_columns(noise=pl.Series(np.random.default_rng(1).integers(0, 9, 600)))
    fit = clmm(CROSSED + " + (1 | noise)", data)
    row = random_term_tests(fit, ["noise"], resamples=39, seed=1).row(0, named=True)
    assert row["p_bootstrap"] > 0.05
    with pytest.raises(HelpersError, match="no random term 'nose'; did you mean 'noise'"):
        random_term_tests(fit, ["nose"])


def test_a_ratio_of_zero_has_p_1_even_beside_another_variance_at_zero():
    data = WINE.with_columns(half=pl.col("bottle") % 2)
    fit = clmm(JUDGE + " + (1 | bottle) + (1 | half)", data)
    assert set(fit.boundary) == {"bottle", "half"}
    found = random_term_tests(fit, ["bottle", "half"], resamples=5, progress=False)
    assert found["p_mixture"].to_list() == [1, 1]
    assert found["p_bootstrap"].to_list() == [1, 1]
    assert found["resamples"].to_list() == [0, 0]


def test_nothing_is_said_of_a_term_whose_absence_leaves_no_maximum(monkeypatch, wine):
    null = replace(clmm(PLAIN, WINE), converged=False)
    monkeypatch.setattr("helpers.clmm.term_tests.fit_design", lambda *_: null)
    row = random_term_tests(wine, resamples=5, progress=False).row(0, named=True)
    assert row == dict.fromkeys(row) | {"term": "judge", "resamples": 0}


def test_a_fit_that_did_not_converge_is_not_tested(wine):
    with pytest.raises(HelpersError, match="need a fit that converged"):
        random_term_tests(replace(wine, converged=False), resamples=5)


# --- proportional odds ---------------------------------------------------------------------------


def test_likelihood_ratios_of_slopes_by_threshold_are_rs():
    tests, slopes = proportional_odds(clmm(PLAIN, WINE))
    r = known("wine nominal", "lr")
    assert dict(tests.select("term", "lr").rows()) == pytest.approx(r, abs=1e-4)
    assert tests["df"].to_list() == [3, 3]
    # Nobody called cold wine a 5 or warm wine a 1: these two slopes are infinite.
    warm = dict(slopes.filter(pl.col("coefficient") == "tempwarm")[:, 1:].rows())
    assert [threshold for threshold, slope in warm.items() if np.isinf(slope)] == ["1|2", "4|5"]


def test_slopes_by_threshold_beside_a_random_term_are_rs(wine):
    tests, slopes = proportional_odds(wine)
    # clmm2 looks for the mode with a tolerance of its own, which moves its likelihood by 1e-5.
    r = known("wine nominal judge", "lr")
    assert dict(tests.select("term", "lr").rows()) == pytest.approx(r, abs=2e-4)
    own = dict(slopes.filter(pl.col("coefficient") == "contactyes")[:, 1:].rows())
    assert own == pytest.approx(known("wine nominal judge", "contactyes"), abs=1e-3)


def test_slopes_that_differ_between_thresholds_are_found():
    rng = np.random.default_rng(2)
    data = simulated(13, slope=0.0).with_columns(z=pl.Series(rng.normal(size=600)))
    # z moves the upper threshold alone.
    moved = (pl.col("rating") == 3) & (pl.col("z") > 0.3)
    data = data.with_columns(rating=pl.when(moved).then(4).otherwise("rating"))
    tests, slopes = proportional_odds(clmm("rating ~ x + z + (1 | judge) + (1 | item)", data))
    p = dict(tests.select("term", "p").rows())
    assert p["z"] < 1e-6
    assert p["x"] > 0.01
    z = slopes.filter(pl.col("coefficient") == "z")["slope"]
    assert z[2] > z[0] + 0.5


def test_proportional_odds_need_three_categories():
    two = WINE.with_columns(rating=(pl.col("rating") > 3).cast(pl.Int64))
    with pytest.raises(HelpersError, match="two categories"):
        proportional_odds(clmm(JUDGE, two))


# --- conditional modes ---------------------------------------------------------------------------


def test_modes_shrink_and_their_intervals_hold_the_effects():
    data = simulated(14, judges=40, items=40, sd=(1.0, 0.7))
    fit = clmm(CROSSED, data)
    modes = conditional_modes(fit)
    assert modes.group_by("term", maintain_order=True).len().rows() == [("judge", 40), ("item", 40)]
    judges = modes.filter(pl.col("term") == "judge")
    rng = np.random.default_rng(14)
    rng.normal(size=1600), rng.logistic(size=1600)
    truth = rng.normal(size=40)
    covered = (judges["lower"].to_numpy() < truth) & (truth < judges["upper"].to_numpy())
    assert covered.sum() >= 32
    assert np.corrcoef(judges["estimate"], truth)[0, 1] > 0.95
    assert judges["estimate"].std() < np.sqrt(fit.variances["judge"])


# --- at the size of the study --------------------------------------------------------------------


def test_study_is_fast():
    """Seconds, where R takes 45 (benchmarks/bench_clmm.py); wide of the mark on a busy machine."""
    import time

    fit = clmm(RANKS, STUDY)  # loads compiled code
    begin = time.process_time()
    clmm(RANKS, STUDY)
    assert time.process_time() - begin < 2
    begin = time.process_time()
    drawn = bootstrap(fit, 5, progress=False)
    assert time.process_time() - begin < 3
    assert drawn.failed == 0
