import csv
from pathlib import Path

import numpy as np
import pytest

from helpers.errors import HelpersError
from helpers.psychometrics import cronbach_alpha, omega_total

HERE = Path(__file__).parent
ATTITUDE = np.genfromtxt(HERE / "data/attitude.csv", delimiter=",", skip_header=1)

with (HERE / "R/psychometrics.csv").open() as file:
    KNOWN = {(row["data"], row["statistic"]): float(row["value"]) for row in csv.DictReader(file)}


def scores_with(correlations):
    """Rows whose sample correlations are exactly these."""
    noise = np.random.default_rng(1).standard_normal((213, len(correlations)))
    white = np.linalg.qr(noise - noise.mean(axis=0))[0]
    return white @ np.linalg.cholesky(correlations).T


THURSTONE = scores_with(np.genfromtxt(HERE / "data/thurstone.csv", delimiter=",", skip_header=1))


@pytest.mark.parametrize(("data", "items"), [("attitude", ATTITUDE), ("thurstone", THURSTONE)])
def test_agrees_with_psych_in_r(data, items):
    assert cronbach_alpha(items) == pytest.approx(KNOWN[data, "alpha"], abs=1e-10)
    assert omega_total(items) == pytest.approx(KNOWN[data, "omega1"], abs=1e-5)


def test_omega_of_several_factors():
    assert omega_total(THURSTONE, factors=3) == pytest.approx(
        KNOWN["thurstone", "omega3"], abs=1e-5
    )
    minres = KNOWN["thurstone", "omega3_minres"]  # psych's default method of fitting
    assert omega_total(THURSTONE, factors=3) == pytest.approx(minres, abs=5e-4)


def test_published_values():
    assert round(cronbach_alpha(ATTITUDE), 4) == 0.8431
    assert round(cronbach_alpha(THURSTONE), 3) == 0.891
    assert round(omega_total(THURSTONE, factors=3), 3) == 0.931


def test_equal_loadings_make_alpha_and_omega_one_number():
    correlations = np.full((5, 5), 0.4) + 0.6 * np.eye(5)
    items = scores_with(correlations)
    expected = 5 * 0.4 / (1 + 4 * 0.4)
    assert cronbach_alpha(items) == pytest.approx(expected)
    assert omega_total(items) == pytest.approx(expected, abs=1e-6)


def test_omega_ignores_the_scale_of_an_item_and_alpha_does_not():
    stretched = ATTITUDE * np.array([10, 1, 1, 1, 1, 1, 1])
    assert omega_total(stretched) == pytest.approx(omega_total(ATTITUDE), abs=1e-6)
    assert cronbach_alpha(stretched) < cronbach_alpha(ATTITUDE)


@pytest.mark.parametrize("coefficient", [cronbach_alpha, omega_total])
@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([[1, 2, 3]], "at least 2 rows × 2 items, got 1 × 3"),
        ([[1], [2]], "at least 2 rows × 2 items, got 2 × 1"),
        ([[1, 2], [float("nan"), 2], [3, 4]], "row 2 has none for item 1"),
        ([[1, 2], [2, 2], [3, 2]], "item 2 is always 2"),
    ],
)
def test_what_cannot_be_computed_is_said(coefficient, items, message):
    with pytest.raises(HelpersError, match=message):
        coefficient(items)


def test_too_many_factors_are_refused():
    with pytest.raises(HelpersError, match="ω with 4 factors needs more than 7 items"):
        omega_total(ATTITUDE, factors=4)
