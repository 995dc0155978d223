"""Links, thresholds, sparse algebra and the Laplace approximation, each against another way."""

import itertools

import numpy as np
import pytest
from scipy import optimize, stats

from helpers.clmm.laplace import Laplace
from helpers.clmm.links import LINKS, distribution, rating
from helpers.clmm.sparse import (
    elimination_order,
    entry_of,
    factorise,
    invert_on_pattern,
    pattern,
    solve,
)
from helpers.clmm.thresholds import location, names, structure
from helpers.errors import HelpersError

KINDS = {
    "logit": stats.logistic,
    "probit": stats.norm,
    "cloglog": stats.gumbel_l,
    "loglog": stats.gumbel_r,
    "cauchit": stats.cauchy,
}


# --- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("x", [-12.0, -3.0, -0.4, 0.0, 0.7, 2.0, 5.0])
def test_distributions_are_scipys(link, x):
    known = KINDS[link]
    log_below, log_above, log_f, _, _ = distribution(LINKS.index(link), x)
    assert log_below == pytest.approx(known.logcdf(x), rel=1e-10, abs=1e-15)
    assert log_above == pytest.approx(known.logsf(x), rel=1e-10, abs=1e-15)
    assert log_f == pytest.approx(known.logpdf(x), rel=1e-10)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("x", [-3.0, -0.4, 0.7, 2.0])
def test_derivatives_of_densities_are_differences(link, x):
    density = KINDS[link].pdf
    *_, slope, curve = distribution(LINKS.index(link), x)
    h = 1e-4
    first = (density(x + h) - density(x - h)) / (2 * h)
    second = (density(x + h) - 2 * density(x) + density(x - h)) / h**2
    assert slope == pytest.approx(first / density(x), rel=1e-6, abs=1e-7)
    assert curve == pytest.approx(second / density(x), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("x", [-29.9, -30.1, -38.0, -60.0])
def test_normal_tail_goes_on_where_erfc_underflows(x):
    assert distribution(LINKS.index("probit"), x)[0] == pytest.approx(
        stats.norm.logcdf(x), rel=1e-12
    )


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("edges", [(0.5, -0.5), (np.inf, 1.0), (-1.0, -np.inf), (0.001, 0.0)])
def test_rating_is_the_probability_between_its_edges(link, edges):
    a, b = edges
    log_p, f_a, f_b, *_ = rating(LINKS.index(link), a, b)
    p = KINDS[link].cdf(a) - KINDS[link].cdf(b)
    assert np.exp(log_p) == pytest.approx(p, rel=1e-9)
    assert f_a == pytest.approx(KINDS[link].pdf(a) / p if a < np.inf else 0, rel=1e-9)
    assert f_b == pytest.approx(KINDS[link].pdf(b) / p if b > -np.inf else 0, rel=1e-9)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_rating_far_in_the_upper_tail_mirrors_one_in_the_lower(link):
    upper = rating(LINKS.index(link), 21.0, 20.0)
    lower = rating(LINKS.index(link), -20.0, -21.0)
    assert upper[0] == pytest.approx(lower[0], rel=1e-12)
    assert upper[1] == pytest.approx(lower[2], rel=1e-10)


def test_category_without_room_is_impossible():
    assert rating(LINKS.index("logit"), 0.0, 0.0)[0] == -np.inf
    assert rating(LINKS.index("logit"), -1.0, 1.0)[0] == -np.inf


# --- thresholds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("kind", ["symmetric", "equidistant"])
def test_tied_thresholds_are_symmetric_or_equidistant(kind, count):
    matrix, alpha = structure(kind, list("abcdefg")[:count])
    assert matrix.shape == (count - 1, len(alpha))
    theta = matrix @ np.arange(1.0, len(alpha) + 1)
    gaps = np.diff(theta)
    assert gaps == pytest.approx(gaps[::-1])
    if kind == "equidistant":
        assert gaps == pytest.approx(np.full(count - 2, gaps[0]))
    assert matrix @ location(matrix) == pytest.approx(np.ones(count - 1))


def test_thresholds_are_named_after_their_neighbours():
    assert names(["low", "mid", "high"]) == ["low|mid", "mid|high"]


@pytest.mark.parametrize("kind", ["symmetric", "equidistant"])
def test_two_categories_have_no_distances_to_tie(kind):
    with pytest.raises(HelpersError, match="need at least three categories"):
        structure(kind, ["no", "yes"])


# --- sparse algebra ------------------------------------------------------------------------------


@pytest.fixture(params=["crossed", "nested", "apart"])
def system(request):
    """A random H = I + Σ w m mᵀ, dense and as the pattern's entries."""
    rng = np.random.default_rng(7)
    a, b = np.divmod(np.arange(60), 10)
    levels = {
        "crossed": [a, 6 + b],
        "nested": [a, 6 + np.arange(60) // 4, 21 + b],
        "apart": [a],
    }[request.param]
    effects = np.array(levels).T
    count = effects.max() + 1
    effects = elimination_order(effects, count)[effects]
    shape = pattern(effects, count)
    dense = np.eye(count)
    values = np.zeros(len(shape.rows))
    values[shape.starts[:-1]] = 1.0
    for row in effects:
        m = rng.uniform(0.5, 1.5, len(row))
        for (s, i), (t, j) in itertools.product(enumerate(row), repeat=2):
            dense[i, j] += m[s] * m[t]
            if s <= t:
                values[entry_of(shape, np.array([i]), np.array([j]))[0]] += m[s] * m[t]
    return shape, values, dense


def test_factor_solves_and_has_the_determinant(system):
    shape, values, dense = system
    log_det = factorise(shape, values)
    assert log_det == pytest.approx(np.linalg.slogdet(dense)[1], rel=1e-12)
    x = np.arange(1.0, len(dense) + 1)
    expected = np.linalg.solve(dense, x)
    solve(shape, values, x)
    assert x == pytest.approx(expected, rel=1e-10)


def test_inverse_is_right_wherever_the_factor_has_entries(system):
    shape, values, dense = system
    factorise(shape, values)
    inverse = np.full(len(values), np.nan)
    invert_on_pattern(shape, values, inverse)
    columns = np.repeat(np.arange(len(dense)), np.diff(shape.starts))
    assert inverse == pytest.approx(np.linalg.inv(dense)[shape.rows, columns], rel=1e-10)


def test_matrix_that_is_not_positive_definite_has_no_factor(system):
    shape, values, _ = system
    values[shape.starts[3]] = -50.0
    assert np.isnan(factorise(shape, values))


def test_elimination_keeps_evaluators_apart():
    """Interactions of many evaluators with few cases cost memory by evaluator, not squared."""
    rows = {}
    for evaluators in (30, 60):
        e, c, a = (i.ravel() for i in np.indices((evaluators, 4, 5)))
        terms = [e, c, a, e * 4 + c, e * 5 + a]
        sizes = np.cumsum([0] + [t.max() + 1 for t in terms])
        effects = np.array(terms).T + sizes[:-1]
        order = elimination_order(effects, sizes[-1])
        rows[evaluators] = len(pattern(order[effects], sizes[-1]).rows)
    assert rows[60] < 2.2 * rows[30]


# --- Laplace -------------------------------------------------------------------------------------


def small(link, seed=0):
    rng = np.random.default_rng(seed)
    n = 60
    levels = [rng.integers(0, 5, n), rng.integers(0, 7, n)]
    for level, count in zip(levels, (5, 7), strict=True):
        level[:count] = np.arange(count)
    covariates = np.column_stack([np.ones(n), rng.normal(size=n)])
    weights = rng.uniform(0.5, 2.0, n)
    center = rng.normal(size=n)
    a = np.where(rng.random(n) < 0.3, np.inf, center + 0.6)
    b = np.where(rng.random(n) < 0.3, -np.inf, center - 0.6)
    return Laplace(link, levels, covariates, weights), levels, covariates, weights, a, b


@pytest.mark.parametrize("link", LINKS)
def test_laplace_is_what_a_general_optimiser_finds(link):
    laplace, levels, covariates, weights, a, b = small(link)
    sd = np.array([0.8, 0.5])
    m = np.zeros((60, 12))
    m[np.arange(60), levels[0]] += sd[0] * covariates[:, 0]
    m[np.arange(60), 5 + levels[1]] += sd[1] * covariates[:, 1]
    known = KINDS[link]

    def minus_joint(u):
        shift = m @ u
        p = known.cdf(a - shift) - known.cdf(b - shift)
        return 0.5 * u @ u - weights @ np.log(p)

    mode = optimize.minimize(minus_joint, np.zeros(12), tol=1e-12).x
    h = 1e-4
    steps = h * np.eye(12)
    hessian = np.array(
        [
            [
                minus_joint(mode + s + t)
                - minus_joint(mode + s - t)
                - minus_joint(mode - s + t)
                + minus_joint(mode - s - t)
                for t in steps
            ]
            for s in steps
        ]
    ) / (4 * h**2)
    expected = -minus_joint(mode) - 0.5 * np.linalg.slogdet(hessian)[1]
    found = laplace.evaluate(a, b, sd, np.zeros(12))
    assert found.loglik == pytest.approx(expected, abs=1e-5)
    assert found.mode[laplace.order] == pytest.approx(mode, abs=1e-4)


@pytest.mark.parametrize("link", LINKS)
def test_gradient_is_exact(link):
    laplace, *_, a, b = small(link, seed=1)
    sd, start = np.array([0.8, -0.5]), np.zeros(12)
    found = laplace.evaluate(a, b, sd, start)
    h = 1e-5

    def slope(da, db, ds):
        right = laplace.evaluate(a + h * da, b + h * db, sd + h * ds, found.mode)
        left = laplace.evaluate(a - h * da, b - h * db, sd - h * ds, found.mode)
        return (right.loglik - left.loglik) / (2 * h)

    still, none = np.zeros(60), np.zeros(2)
    for i in (0, 3, 17, 42):
        one = (np.arange(60) == i).astype(float)
        assert found.upper[i] == pytest.approx(slope(one, still, none), abs=1e-7)
        assert found.lower[i] == pytest.approx(slope(still, one, none), abs=1e-7)
    for t in (0, 1):
        assert found.sd[t] == pytest.approx(slope(still, still, np.eye(2)[t]), abs=1e-6)


def test_the_mode_does_not_depend_on_the_start():
    laplace, *_, a, b = small("probit", seed=2)
    sd = np.array([3.0, 2.0])
    near = laplace.evaluate(a, b, sd, np.zeros(12)).loglik
    far = laplace.evaluate(a, b, sd, np.full(12, 4.0)).loglik
    assert far == pytest.approx(near, abs=1e-9)


def test_parameters_without_room_for_a_category_are_impossible():
    laplace, *_, a, b = small("logit")
    found = laplace.evaluate(a - 2.0, b, np.ones(2), np.zeros(12))
    assert found.loglik == -np.inf
    assert np.isfinite(laplace.evaluate(a, b, np.ones(2), np.zeros(12)).loglik)  # and it recovers
