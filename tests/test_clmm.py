"""Cumulative link mixed models against R's ordinal (tests/R/clmm.R), print, and themselves."""

import numpy as np
import polars as pl
import pytest

from clmm_data import CROSSED, HOUSING, JUDGE, PLAIN, RANKS, SOUP, STUDY, WINE, simulated
from helpers.clmm import clmm, conditional_modes
from helpers.clmm import formula as formulas
from helpers.clmm.boundary import settle, variance_slopes
from helpers.clmm.design import design
from helpers.clmm.fit import maximise
from helpers.clmm.optimise import climb
from helpers.clmm.problem import problem
from helpers.clmm.start import with_random_terms, without_random_terms
from helpers.paths import ROOT

KNOWN = pl.read_csv(ROOT / "tests" / "R" / "clmm.csv", schema_overrides={"name": pl.String})

SIDES = "rating ~ temp * contact + (1 | judge) + (1 | judge:temp)"
SOUPS = "SURENESS ~ PRODID + (1 | RESP) + (1 | RESP:PRODID)"
PRODUCT = "SURENESS ~ PROD + (1 | RESP) + (1 | RESP:PROD)"

CASES = {  # name in clmm.R: formula, data, options
    "wine clm": (PLAIN, WINE, {}),
    "wine clm cloglog": (PLAIN, WINE, {"link": "cloglog"}),
    "wine clm loglog": (PLAIN, WINE, {"link": "loglog"}),
    "wine clm cauchit": (PLAIN, WINE, {"link": "cauchit"}),
    "wine clm symmetric": (PLAIN, WINE, {"threshold": "symmetric"}),
    "wine": (JUDGE, WINE, {}),
    "wine probit": (JUDGE, WINE, {"link": "probit"}),
    "wine symmetric": (JUDGE, WINE, {"threshold": "symmetric"}),
    "wine equidistant": (JUDGE, WINE, {"threshold": "equidistant"}),
    "wine bottle": (JUDGE + " + (1 | bottle)", WINE, {}),
    "wine cloglog": (SIDES, WINE, {"link": "cloglog"}),
    "wine loglog": (SIDES, WINE, {"link": "loglog"}),
    "soup probit equidistant": (SOUPS, SOUP, {"link": "probit", "threshold": "equidistant"}),
    "soup": (PRODUCT, SOUP, {}),
    "soup symmetric": (PRODUCT, SOUP, {"threshold": "symmetric"}),
    "housing": ("Sat ~ Infl + Cont + (1 | Type)", HOUSING, {"weights": "Freq"}),
    "study": (RANKS, STUDY, {}),
}
MIXED = [case for case in CASES if "clm " not in case + " "]


@pytest.fixture(scope="module")
def fits():
    return {name: clmm(text, data, **more) for name, (text, data, more) in CASES.items()}


def known(case, kind):
    return KNOWN.filter((pl.col("case") == case) & (pl.col("kind") == kind))


# --- R -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_likelihood_is_no_lower_than_rs(fits, case):
    assert fits[case].converged
    assert fits[case].loglik > known(case, "loglik")["estimate"][0] - 1e-4


@pytest.mark.parametrize("case", CASES)
def test_fixed_effects_thresholds_and_standard_errors_are_rs(fits, case):
    r = known(case, "fixed")
    names = r["name"].to_list()
    assert fits[case].estimates[names].to_numpy() == pytest.approx(r["estimate"], abs=1e-3)
    assert fits[case].standard_errors[names].to_numpy() == pytest.approx(r["std_error"], rel=0.01)


@pytest.mark.parametrize("case", MIXED)
def test_interior_variances_are_rs(fits, case):
    r = known(case, "variance").filter(pl.col("estimate") > 1e-6)
    ours = fits[case].variances[r["name"].to_list()]
    assert ours.to_numpy() == pytest.approx(r["estimate"], rel=1e-3)


@pytest.mark.parametrize("case", MIXED)
def test_conditional_modes_and_their_errors_are_rs(fits, case):
    modes = conditional_modes(fits[case])
    for name, estimate, error in known(case, "mode").select("name", "estimate", "std_error").rows():
        term, level = name.split("@")
        row = modes.filter((pl.col("term") == term) & (pl.col("level") == level))
        assert row["estimate"][0] == pytest.approx(estimate, abs=2e-3)
        assert row["std_error"][0] == pytest.approx(error, rel=0.01, abs=1e-5)


# --- print ---------------------------------------------------------------------------------------


def test_wine_is_as_published(fits):
    fit = fits["wine"]
    assert fit.coefficients.round(4).to_dict() == {"tempwarm": 3.0630, "contactyes": 1.8349}
    thresholds = {"1|2": -1.6237, "2|3": 1.5134, "3|4": 4.2285, "4|5": 6.0888}
    assert fit.thresholds.round(4).to_dict() == thresholds
    assert fit.variances["judge"] == pytest.approx(1.279, abs=1e-3)
    assert fit.loglik == pytest.approx(-81.57, abs=0.005)


def test_soup_is_as_published(fits):
    fit = fits["soup probit equidistant"]
    published = {"RESP": 0.11695, "RESP:PRODID": 0.09674}
    assert fit.variances.to_dict() == pytest.approx(published, abs=2e-5)
    assert fit.loglik == pytest.approx(-2756.04, abs=0.005)


# --- the boundary --------------------------------------------------------------------------------


def test_variance_at_the_boundary_is_zero_and_shown_to_be_a_maximum(fits):
    fit, without = fits["wine bottle"], fits["wine"]
    assert fit.variances["bottle"] == 0
    assert list(fit.boundary) == ["bottle"]
    assert fit.boundary["bottle"] < 0
    assert fit.df == without.df
    assert fit.loglik == pytest.approx(without.loglik, abs=1e-8)
    assert np.isnan(fit.sd_errors["bottle"])
    errors = without.standard_errors
    assert fit.standard_errors.to_numpy() == pytest.approx(errors.to_numpy(), rel=1e-4)


def test_slope_at_the_boundary_is_the_derivative_by_the_variance(fits):
    fit = fits["wine bottle"]
    parameters = fit.parameters.copy()
    parameters[-1] = np.sqrt(1e-4)
    nearby = fit.problem.evaluate(parameters, np.zeros(fit.problem.laplace.count))
    assert fit.boundary["bottle"] == pytest.approx((nearby.loglik - fit.loglik) / 1e-4, rel=1e-3)


def test_a_false_boundary_is_left(fits):
    """R can stop at a variance of zero from which the likelihood rises."""
    fit = fits["study"]
    likelihood, plain = fit.problem, without_random_terms(fit.problem)
    _, curvature = with_random_terms(likelihood, plain)
    place = likelihood.fixed + fit.design.terms.index("case:analyst")
    stuck = np.where(np.arange(len(fit.parameters)) == place, 0.0, fit.parameters)
    free = np.arange(len(stuck)) != place
    first = likelihood.evaluate(stuck, np.zeros(likelihood.laplace.count))
    there = climb(likelihood.evaluate, first, curvature, free)
    assert there.point.loglik < fit.loglik - 10
    assert variance_slopes(likelihood, there.point)[place - likelihood.fixed] > 1
    settled = settle(likelihood, there, curvature)
    assert settled.point.loglik == pytest.approx(fit.loglik, abs=1e-6)


# --- the model by other means ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_every_start_ends_at_the_same_maximum(seed):
    rng = np.random.default_rng(seed)
    data = simulated(seed, judges=12, items=15, sd=rng.choice([0, 0.2, 1.0], 2))
    text = formulas.parse(CROSSED + " + (1 | judge:half)")
    data = data.with_columns(half=pl.col("item") % 2)
    likelihood = problem(design(text, data, None, spaced=False), "logit", "flexible")
    plain = without_random_terms(likelihood)
    reached = [maximise(likelihood, plain, sd).point.loglik for sd in (0.05, 0.3, 1.0, 2.5)]
    assert reached == pytest.approx([max(reached)] * 4, abs=1e-6)


@pytest.mark.parametrize("unit, origin", [(1e-8, 0), (1e8, 0), (1e-200, 0), (1e200, 0), (1, 1e6)])
def test_units_and_origins_do_not_matter(unit, origin):
    data = simulated(3)
    fit = clmm(CROSSED, data)
    other = clmm(CROSSED, data.with_columns(x=pl.col("x") * unit + origin))
    assert other.loglik == pytest.approx(fit.loglik, abs=1e-6)
    assert other.coefficients["x"] * unit == pytest.approx(fit.coefficients["x"], rel=1e-5)
    error = other.standard_errors["x"] * unit
    assert error == pytest.approx(fit.standard_errors["x"], rel=1e-5)
    assert other.variances.to_numpy() == pytest.approx(fit.variances.to_numpy(), rel=1e-4)
    moved = fit.thresholds + origin * fit.coefficients["x"]
    assert other.thresholds.to_numpy() == pytest.approx(moved.to_numpy(), rel=1e-5)


def test_order_of_rows_and_names_of_levels_do_not_matter():
    data = simulated(4)
    shuffled = data.sample(fraction=1.0, shuffle=True, seed=1).with_columns(
        judge=pl.format("J{}", 99 - pl.col("judge"))
    )
    assert clmm(CROSSED, shuffled).loglik == pytest.approx(clmm(CROSSED, data).loglik, abs=1e-7)


def test_a_weight_of_two_is_a_row_twice():
    data = simulated(5).with_columns(twice=1 + pl.col("item") % 2)
    doubled = pl.concat([data, data.filter(pl.col("twice") == 2)])
    fit, other = clmm(CROSSED, data, weights="twice"), clmm(CROSSED, doubled)
    assert fit.loglik == pytest.approx(other.loglik, abs=1e-7)
    assert fit.standard_errors["x"] == pytest.approx(other.standard_errors["x"], rel=1e-5)
    assert fit.bic == pytest.approx(other.bic)


@pytest.mark.parametrize("link, mirror", [("logit", "logit"), ("cloglog", "loglog")])
def test_turning_the_scale_round_turns_the_signs(link, mirror):
    data = simulated(6)
    fit = clmm(CROSSED, data, link=link)
    other = clmm(CROSSED, data.with_columns(rating=5 - pl.col("rating")), link=mirror)
    assert other.loglik == pytest.approx(fit.loglik, abs=1e-7)
    assert other.coefficients["x"] == pytest.approx(-fit.coefficients["x"], abs=1e-4)
    assert other.thresholds.to_numpy()[::-1] == pytest.approx(-fit.thresholds.to_numpy(), abs=1e-4)


def test_nesting_is_a_term_and_its_interaction():
    nested = clmm("rating ~ contact + (1 | judge / temp)", WINE)
    spelt = clmm("rating ~ contact + (1 | judge) + (1 | judge:temp)", WINE)
    assert nested.variances.to_dict() == spelt.variances.to_dict()


def test_random_slopes_and_intercepts_of_a_factor_are_effects_of_its_levels():
    """(0 + warm | judge) + (0 + cold | judge) has a judge's effects in warm and in cold wine."""
    data = WINE.with_columns(
        warm=(pl.col("temp") == "warm").cast(pl.Float64),
        cold=(pl.col("temp") == "cold").cast(pl.Float64),
    )
    fit = clmm("rating ~ temp + (0 + warm | judge) + (0 + cold | judge)", data)
    assert list(fit.variances.index) == ["warm | judge", "cold | judge"]
    apart = sum(
        clmm("rating ~ 1 + (1 | judge)", data.filter(pl.col("temp") == t)).loglik
        for t in ("warm", "cold")
    )
    assert fit.loglik < apart  # which has thresholds of its own for each
    scaled = clmm(
        "rating ~ temp + (0 + warm | judge) + (0 + cold | judge)",
        data.with_columns(warm=pl.col("warm") * 1000),
    )
    assert scaled.loglik == pytest.approx(fit.loglik, abs=1e-7)
    ratio = scaled.variances["warm | judge"] / fit.variances["warm | judge"]
    assert ratio == pytest.approx(1e-6, rel=1e-3)


# --- what a result says ---------------------------------------------------------------------------


def test_shares_count_the_logistic_residual(fits):
    fit = fits["wine"]
    assert fit.shares["judge"] == pytest.approx(1.2795 / (1.2795 + np.pi**2 / 3), abs=1e-4)
    assert fit.shares.sum() == pytest.approx(1)
    assert fits["soup probit equidistant"].variance_table()["variance"][-1] == 1.0


def test_summary_names_what_a_reader_must_know(fits):
    text = fits["wine bottle"].summary()
    assert "72 rows used, 0 left out" in text
    assert "converged: largest gradient" in text
    assert "bottle: variance 0, at the boundary" in text
    assert "28.0 %" in text
    row = next(line for line in text.splitlines() if line.startswith("tempwarm")).split()
    assert row[1:3] == ["3.0630", "0.5954"]


def test_table_gives_wald_intervals(fits):
    row = fits["wine"].table().row(0, named=True)
    assert row["term"] == "tempwarm"
    assert row["upper"] - row["estimate"] == pytest.approx(1.959964 * row["std_error"])
    assert row["p"] == pytest.approx(2.7e-7, rel=0.05)
