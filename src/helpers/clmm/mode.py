"""The mode of the random effects, by Newton's method on a factor that is kept while it will do."""

from typing import NamedTuple

import numpy as np

from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.compiled import compiled
from helpers.clmm.links import rating
from helpers.clmm.sparse import Pattern, factorise, solve

TOLERANCE = 1e-10  # of what is left to go in u, whose entries have standard deviation 1
STEPS = 200
SHORTEST = 1e-9  # share of a step that is still tried
CONTRACTION = 0.2  # a kept factor must shrink steps at least this much, else it is renewed


class Rows(NamedTuple):
    """The data at one set of parameters, as the compiled code sees them.

    Attributes
    ----------
    link : int
        Place of the link in `links.LINKS`.
    upper, lower : ndarray of float
        Edges a and b of each row's category, less what is fixed.
    loadings : ndarray of float
        Shape (rows, terms): m, what a unit of its random effects moves a row.
    effects : ndarray of int
        Shape (rows, terms): the random effects of a row, in order of elimination.
    entries : ndarray of int
        Shape (rows, terms (terms + 1) / 2): where the products of two loadings go in H.
    weights : ndarray of float
        Weight of each row.
    """

    link: int
    upper: Floats
    lower: Floats
    loadings: Floats
    effects: Ints
    entries: Ints
    weights: Floats


@compiled
def shift(rows: Rows, u: Floats, i: int) -> float:
    """What the random effects u move row i, m_iᵀu."""
    total = 0.0
    for t in range(rows.effects.shape[1]):
        total += rows.loadings[i, t] * u[rows.effects[i, t]]
    return total


@compiled
def joint(rows: Rows, u: Floats, score: Floats, curvature: Floats) -> float:
    """Joint log-likelihood h at u; fills in its gradient `score` and the rows' W `curvature`."""
    h = 0.0
    for j in range(len(u)):
        h -= 0.5 * u[j] * u[j]
        score[j] = -u[j]
    for i in range(len(rows.weights)):
        moved = shift(rows, u, i)
        a, b, w = rows.upper[i] - moved, rows.lower[i] - moved, rows.weights[i]
        log_p, f_a, f_b, df_a, df_b, _, _ = rating(rows.link, a, b)
        h += w * log_p
        slope = f_b - f_a  # ∂log p/∂η
        curvature[i] = w * (slope * slope - (df_a - df_b))
        for t in range(rows.effects.shape[1]):
            score[rows.effects[i, t]] += w * slope * rows.loadings[i, t]
    return h


@compiled
def renew(rows: Rows, shape: Pattern, values: Floats, curvature: Floats) -> float:
    """Put the factor of H into `values`; log |H|, or nan if H is not positive definite."""
    values[:] = 0.0
    for j in range(len(shape.starts) - 1):
        values[shape.starts[j]] = 1.0
    terms = rows.effects.shape[1]
    for i in range(len(curvature)):
        entry = 0
        for s in range(terms):
            scaled = curvature[i] * rows.loadings[i, s]
            for t in range(s, terms):
                values[rows.entries[i, entry]] += scaled * rows.loadings[i, t]
                entry += 1
    return factorise(shape, values)


@compiled
def renew_uphill(rows: Rows, shape: Pattern, values: Floats, curvature: Floats) -> None:
    """Renew a factor to climb with: Cauchy's log-density is not concave, and H may not serve."""
    if np.isnan(renew(rows, shape, values, curvature)):
        renew(rows, shape, values, np.maximum(curvature, 0.0))


@compiled
def find_mode(
    rows: Rows, shape: Pattern, values: Floats, has_factor: bool, u: Floats
) -> tuple[float, float]:
    """Go from `u` to the mode û, and leave H's factor there in `values`.

    To solve with a factor costs a small part of renewing it. So one that was found nearby is kept
    for as long as its (chord) steps shrink fast.

    Parameters
    ----------
    rows : Rows
        Data and parameters.
    shape, values : Pattern, ndarray of float
        H's factor; numbers that serve nearby on entry if `has_factor`.
    has_factor : bool
        Whether they do.
    u : ndarray of float
        Where to start on entry, û on return.

    Returns
    -------
    tuple of float
        h(û) and log |H(û)|; −∞ and nan if there is no mode to be found.
    """
    score, curvature = np.empty(len(u)), np.empty(len(rows.weights))
    step, tried = np.zeros(len(u)), u.copy()
    best, size, last_size, expected, share = -np.inf, np.inf, np.inf, np.inf, 1.0
    for _ in range(STEPS):
        h = joint(rows, tried, score, curvature)
        if h < best - 1e-9 * (1.0 + abs(best)):
            share, expected = 0.25 * share, np.inf
            if share < SHORTEST:
                break
            tried[:] = u + share * step
            continue
        if not h > -np.inf:
            break
        best = h
        u[:] = tried
        if expected < TOLERANCE:
            return best, renew(rows, shape, values, curvature)
        renewed = not has_factor or share < 1.0 or size > CONTRACTION * last_size
        if renewed:
            renew_uphill(rows, shape, values, curvature)
            has_factor = True
        step[:] = score
        solve(shape, values, step)
        tried[:] = u + step
        last_size = np.inf if renewed else size
        size, share = np.abs(step).max() if len(u) else 0.0, 1.0
        if renewed:  # Newton: what is left is of the order of the step's square
            expected = size * size
        elif last_size < np.inf:  # chord: steps shrink by a constant share
            expected = size * size / last_size
        else:
            expected = size
    return -np.inf, np.nan
