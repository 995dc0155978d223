"""Correlation, smoother, bend and points left out, by hand and against R."""

import csv
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from helpers.benchmark import association, band, bend, left_out
from helpers.benchmark.association import pearson, spearman
from helpers.benchmark.fit import DIVISORS, line
from helpers.benchmark.smoother import loess, lowess
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.paths import ROOT

CLOSED, ITERATIVE = 1e-6, 1e-4
SETS = ("accuracy", "scattered")


@cache
def known(quantity: str) -> dict[str, float]:
    with (ROOT / "tests/R/benchmark.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["quantity"] == quantity]
    assert rows, quantity
    return {row["name"]: float(row["value"] or "nan") for row in rows}


def values(quantity: str) -> np.ndarray:
    return np.array([*known(quantity).values()])


# --- correlation -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
def test_pearson_is_that_of_r(name):
    found = pearson(values("score"), values(name))
    own = [found.r, found.low, found.high, found.p_student]
    assert own == pytest.approx(values(f"pearson_{name}"), abs=CLOSED)
    assert [found.p, found.least] == pytest.approx(values(f"permutation_{name}"), abs=CLOSED)
    assert (found.n, found.error) == (6, 0)
    assert found.method == "permutation, all 720 orders"
    ranked = spearman(values("score"), values(name))
    assert [ranked.r, ranked.p] == pytest.approx(values(f"spearman_{name}"), abs=CLOSED)
    assert ranked.low is None


def test_exact_p_by_hand():
    """Of the six orders of 1, 2, 4 the correlations with 1, 2, 3 are known."""
    x, y = [1, 2, 3], [1, 4, 2]
    all_r = [abs(np.corrcoef(x, order)[0, 1]) for order in permutations(y)]
    share = np.mean([r >= abs(np.corrcoef(x, y)[0, 1]) - 1e-12 for r in all_r])
    found = pearson(x, y)
    assert found.p == pytest.approx(share) == pytest.approx(1.0)
    assert pearson(x, [1, 2, 4]).p == pytest.approx(2 / 6)  # 1, 2, 4 and 4, 2, 1 alike
    assert "at least 4" in found.reason
    assert found.low is None


def test_equal_values_in_other_orders_count_as_ties():
    found = pearson([1, 2, 3, 4], [0, 0, 1, 1])
    assert found.p == pytest.approx(8 / 24)  # each pair may change places, either way up


def test_beyond_nine_random_orders_come_with_their_error():
    x = np.arange(12.0)
    y = np.array([3, 1, 7, 2, 5, 4, 6, 11, 9, 8, 10, 12.0])
    found = pearson(x, y, seed=1)
    assert found.method == "permutation, random 100,000 orders"
    assert found.least is None
    assert found.error == pytest.approx(np.sqrt(found.p * (1 - found.p) / 100_000))
    weak = pearson(x, np.roll(y, 5), seed=1)
    assert abs(weak.p - weak.p_student) < 0.02
    assert found.p >= 1e-5
    assert pearson(x, y, seed=1) == found


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "0 systems"),
        ([1], [1], "1 system with score"),
        ([1, 2], [3, 4], "two points always lie on a line"),
        ([1, 2, np.nan], [3, 4, 5], "2 systems"),
        ([2, 2, 2.0], [3, 4, 5], "all scores are equal"),
        ([0.1 + 0.2, 0.3, 0.3], [3, 4, 5], "all scores are equal"),
        ([1, 2, 3], [50, 50, 50], "all accuracies are equal"),
    ],
)
def test_what_has_no_correlation_says_why(x, y, reason):
    found = pearson(x, y)
    assert (found.r, found.p) == (None, None)
    assert reason in found.reason


def test_points_on_a_line_have_no_interval():
    found = pearson([1, 2, 3, 4], [2, 4, 6, 8])
    assert (found.r, found.low, found.p_student) == (pytest.approx(1), None, 0)
    assert found.p == pytest.approx(2 / 24)
    assert "one line" in found.reason


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="shape"):
        pearson([1, 2], [1, 2, 3])


def test_correlations_of_rows_and_the_r_that_is_needed():
    rows = np.array([[1, 2, 4.0], [1, 1, 1], [np.nan, 1, 2], [4, 2, 1]])
    found = association.correlations(rows, np.array([10, 20, 40.0]))
    assert found[0] == pytest.approx(1)
    assert np.isnan(found[1:3]).all()
    assert found[3] == pytest.approx(np.corrcoef(rows[3], [10, 20, 40])[0, 1])
    assert association.needed(6) == pytest.approx(0.811401, abs=CLOSED)  # tables of r, 4 df
    assert association.needed(2) is None


# --- line and smoother -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degree", "robust"), [(0, 0), (0, 1), (0, 3), (1, 0), (1, 1), (1, 3), (2, 0)]
)
def test_loess_is_that_of_r(degree, robust):
    found = loess(values("score"), values("accuracy"), 0.7, degree, robust)
    assert found.fitted == pytest.approx(values(f"loess_{degree}_{robust}"), abs=ITERATIVE)


def test_loess_spends_what_it_does_in_r():
    found = loess(values("score"), values("accuracy"))
    state = known("loess_state")
    own = [found.trace, found.equivalent, found.freedom, found.residual_sd("residual freedom")]
    assert own == pytest.approx([*state.values()], abs=CLOSED)
    places = np.array([float(at) for at in known("loess_at")])
    assert found.predict(places) == pytest.approx(values("loess_at"), abs=CLOSED)
    assert np.isnan(found.predict(np.array([2.0, 4.0]))).all()
    assert found.aicc is None  # 6 − 4.3 − 2 is below zero


@pytest.mark.parametrize("robust", [0, 3])
@pytest.mark.parametrize("name", ["accuracy", "scattered"])
def test_lowess_is_that_of_r(name, robust):
    found = lowess(values("score"), values(name), 0.7, robust)
    told = {int(place) - 1: value for place, value in known(f"lowess_{name}_{robust}").items()}
    assert found.fitted == pytest.approx([told[own] for own in range(6)], abs=ITERATIVE)
    assert found.predict(values("score")) == pytest.approx(found.fitted)


def test_lowess_of_six_is_loess_of_degree_one_without_robust_iterations():
    old, new = (fit(values("score"), values("scattered"), robust=0) for fit in (lowess, loess))
    assert old.fitted == pytest.approx(new.fitted, abs=CLOSED)
    assert old.hat == pytest.approx(new.hat, abs=CLOSED)


def test_loess_of_cars_is_that_of_r():
    found = loess(values("speed"), values("dist"), 0.75, 2)
    assert found.fitted == pytest.approx(values("loess_cars"), abs=CLOSED)
    own = [found.trace, found.equivalent, found.freedom, found.residual_sd("residual freedom")]
    assert own == pytest.approx(values("loess_cars_state"), abs=CLOSED)
    assert own[3] == pytest.approx(15.29, abs=0.005)  # as R's manual prints it
    robust = loess(values("speed"), values("dist"), 0.6, 1, 3)
    assert robust.fitted == pytest.approx(values("loess_cars_robust"), abs=ITERATIVE)


def test_a_smoother_that_meets_every_point_has_nothing_left():
    found = loess(values("score"), values("accuracy"), 0.7, 2, 3)
    assert found.r2 == pytest.approx(1)
    assert found.trace == pytest.approx(6)
    assert found.residual_sd("residual freedom") is None
    assert found.aicc is None


@pytest.mark.parametrize(
    ("x", "span"), [([], 0.7), ([1], 0.7), ([1, 2], 0.7), ([1, 1, 1, 2], 0.7), ([1, 2, 3, 4], 0.2)]
)
def test_too_few_places_are_refused(x, span):
    with pytest.raises(NotEstimableError, match="too few distinct points"):
        loess(x, np.arange(len(x)), span)


@pytest.mark.parametrize(
    ("setting", "said"),
    [({"span": 0}, "span 0"), ({"degree": 3}, "degree 3"), ({"robust": -1}, "robust -1")],
)
def test_settings_without_meaning_are_named(setting, said):
    with pytest.raises(HelpersError, match=said):
        loess([1, 2, 3], [1, 2, 3], **setting)


def test_line_and_its_measures_by_r_and_by_hand():
    found = line(values("score"), values("accuracy"))
    r = known("line")
    assert found.r2 == pytest.approx(r["r2"], abs=CLOSED)
    assert found.mae == pytest.approx(r["mae"], abs=CLOSED)
    assert found.aicc == pytest.approx(r["aicc"], abs=CLOSED)
    assert found.residual_sd("n - 2") == pytest.approx(r["sigma"], abs=CLOSED)
    assert [found.trace, found.equivalent, found.freedom] == pytest.approx([2, 2, 4])
    by_hand = line([0, 1, 2], [0, 3, 0])  # a flat line at 1: residuals −1, 2, −1
    assert by_hand.residuals == pytest.approx([-1, 2, -1])
    sds = [by_hand.residual_sd(divisor) for divisor in DIVISORS]
    assert sds == pytest.approx([np.sqrt(2), np.sqrt(3), np.sqrt(6), np.sqrt(6)])
    assert by_hand.r2 == pytest.approx(0)
    with pytest.raises(HelpersError, match="did you mean 'n - 1'"):
        by_hand.residual_sd("n -1")


def test_residual_sd_is_left_out_where_no_freedom_is_left():
    assert line([0, 1], [0, 3]).residual_sd("n - 2") is None
    with pytest.raises(NotEstimableError):
        line([1, 1], [0, 3])


# --- bend --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("share", [0, 0.5])
def test_parabola_and_power_are_those_of_r(name, share):
    found = bend.quadratic(values("score"), values(name), share)
    assert [found.f, found.p, found.ratio] == pytest.approx(values(f"bend_{name}"), abs=CLOSED)
    own = [found.power, found.power_low, found.power_high]
    assert own == pytest.approx(values(f"power_{name}_{share:g}"), abs=CLOSED)
    assert found.df == 3


def test_a_bend_as_visible_as_said_has_the_power_said():
    found = bend.quadratic(values("score"), values("accuracy"))
    again = bend.quadratic(values("score"), values("accuracy"), share=found.visible)
    assert again.power == pytest.approx(bend.ENOUGH, abs=CLOSED)


def test_power_without_a_bend_is_the_level():
    assert bend.power_of(0, 3) == pytest.approx(0.05)
    assert bend.power_of(1e6, 3) == pytest.approx(1)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 2, 2], [1, 2, 3, 4], "2 distinct values"),
        ([1, 2, 3], [1, 2, 9], "three points fit any parabola"),
        ([1, 2, 3, 4], [5, 5, 5, 5], "all outcomes are equal"),
        ([1, 2, 3, 4], [2, 4, 6, 8], "on one line"),
    ],
)
def test_what_cannot_be_tested_for_a_bend_says_why(x, y, reason):
    found = bend.quadratic(x, y)
    assert found.p is None
    assert reason in found.reason
    assert found.straight == ("line" in reason)


def test_points_on_a_parabola_are_bent():
    found = bend.quadratic([1, 2, 3, 4, 5], [1, 4, 9, 16, 25])
    assert found.p == 0
    assert found.ratio == pytest.approx(5)  # slopes 10 and 2


# --- points left out ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
def test_points_left_out_are_predicted_as_in_r(name):
    found = left_out.leave_one_out(values("score"), values(name))
    r = known(f"left_{name}")
    for model, predicted in found.predicted.items():
        expected = [r[f"{model} {place}"] for place in range(1, 7)]
        assert predicted == pytest.approx(expected, abs=CLOSED, nan_ok=True), model
    assert np.isnan(found.predicted["LOESS"]).sum() == 2  # both ends
    assert found.common().sum() == 4
    assert "end point" in found.reasons["LOESS"]


def test_errors_are_compared_on_the_points_of_all():
    outcome = np.array([1.0, 2, 3])
    predicted = {"a": np.array([1.0, 4, 3]), "b": np.array([np.nan, 2, 7]), "c": np.full(3, np.nan)}
    found = left_out.LeftOut(outcome, predicted, {})
    assert found.common().tolist() == [False, True, True]
    assert found.on_common() == pytest.approx({"a": np.sqrt(2), "b": np.sqrt(8)})


def test_monotone_by_hand():
    x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, 5, 3, 6])
    assert left_out.monotone(x, y, 2.5) == pytest.approx(4)  # 5 and 3 are pooled
    assert left_out.monotone(x, y, 9) == pytest.approx(6)
    assert left_out.monotone(x, -y, 1.5) == pytest.approx(-2.5)


@pytest.mark.parametrize("n", range(4))
def test_few_points_are_counted_not_guessed(n):
    x = np.arange(1.0, n + 1)
    found = left_out.leave_one_out(x, x**2)
    assert not np.isfinite(found.predicted["LOESS"]).any()
    assert not np.isfinite(found.predicted["Parabola"]).any()


def test_zero_has_no_logarithm():
    found = left_out.leave_one_out([0, 1, 2, 3], [1, 2, 3, 5])
    assert not np.isfinite(found.predicted["Line in the logarithm"]).any()
    assert "no logarithm" in found.reasons["Line in the logarithm"]


# --- band --------------------------------------------------------------------------------------


def test_band_holds_the_line_of_every_resample():
    draws = np.array([[1.0, 2, 3], [1.0, 2, 3.5], [2.0, 2, 2], [np.nan, 1, 2]])
    found = band.curves(line, draws, np.array([10.0, 20, 30]), np.array([20.0]), "score")
    assert found[:2, 0] == pytest.approx([2, 6.5 / 3])
    assert np.isnan(found[3, 0])
    across = band.curves(line, draws, np.array([10.0, 20, 30]), np.array([2.0]), "accuracy")
    assert across[0, 0] == pytest.approx(20)
    assert np.isnan(across[2, 0])  # equal scores have no line
    nothing = band.band(line, draws[:0], np.array([10.0, 20, 30]), np.array([2.0]), "accuracy")
    assert np.isnan(nothing).all()
