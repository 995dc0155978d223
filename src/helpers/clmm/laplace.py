"""Laplace approximation of the log-likelihood, with its exact gradient.

Row i's rating lies between the edges a_i − m_iᵀu and b_i − m_iᵀu (see `links`), where a and b hold
what is fixed, u ~ N(0, I) are the standardised random effects and m_i their loadings: term t's
standard deviation σ_t times the row's covariate (1 for an intercept) at the level it belongs to.
With weights w the joint log-likelihood and its curvature are

    h(u) = Σ w_i log p_i(u) − ½ uᵀu,        H(u) = I + Σ W_i m_i m_iᵀ,  W_i = −w_i ∂²log p_i/∂η²,

and the approximation is ℓ = h(û) − ½ log |H(û)| at the mode û (Pinheiro & Bates 1995; Tuerlinckx,
Rijmen, Verbeke & De Boeck 2006; Christensen's *A Tutorial on fitting Cumulative Link Mixed Models
with clmm2*, 2019).

As û moves with the parameters, ∂û/∂ψ = H⁻¹ ∂²h/∂u∂ψ (implicit differentiation), so that

    dℓ/dψ = ∂h/∂ψ − ½ tr(H⁻¹ ∂H/∂ψ) + rᵀ ∂²h/∂u∂ψ,   r = −½ H⁻¹ Σ d_i ∂W_i/∂η m_i,

with leverages d_i = m_iᵀ H⁻¹ m_i. Only entries of H⁻¹ on the pattern of H occur. Every fixed
parameter acts through a and b alone, so it is enough to return dℓ/da, dℓ/db and dℓ/dσ.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from helpers.clmm.compiled import compiled
from helpers.clmm.links import LINKS, rating
from helpers.clmm.sparse import (
    Floats,
    Ints,
    Pattern,
    elimination_order,
    entry_of,
    factorise,
    invert_on_pattern,
    pattern,
    solve,
)

MODE_TOLERANCE = 1e-10  # of what is left to go in u, whose entries have standard deviation 1
MODE_STEPS = 200
CONTRACTION = 0.2  # a kept factor must shrink steps at least this much, else it is renewed
SHORTEST = 1e-9  # share of a step that is still tried


class Rows(NamedTuple):
    """The data as the compiled code sees them.

    Attributes
    ----------
    effects : ndarray of int
        Shape (rows, terms): the random effects a row belongs to, in order of elimination.
    entries : ndarray of int
        Shape (rows, terms (terms + 1) / 2): where the products of two loadings go in H.
    weights : ndarray of float
        Weight of each row.
    """

    effects: Ints
    entries: Ints
    weights: Floats


@dataclass(frozen=True)
class Evaluation:
    """The log-likelihood at one point, and what changes it.

    Attributes
    ----------
    loglik : float
        Laplace log-likelihood; −∞ where a category has no room or no mode was found.
    upper, lower : ndarray of float
        Its derivatives by each row's a and b.
    sd : ndarray of float
        Its derivatives by the standard deviations.
    mode : ndarray of float
        û, in order of elimination.
    """

    loglik: float
    upper: Floats
    lower: Floats
    sd: Floats
    mode: Floats


@compiled
def _look(
    link: int, a: Floats, b: Floats, loadings: Floats, rows: Rows, u: Floats,
    score: Floats, curvature: Floats,
) -> float:  # fmt: skip
    """Joint log-likelihood h at u; fills its gradient `score` and the rows' W `curvature`."""
    terms = rows.effects.shape[1]
    h = 0.0
    for j in range(len(u)):
        h -= 0.5 * u[j] * u[j]
        score[j] = -u[j]
    for i in range(len(a)):
        shift = 0.0
        for t in range(terms):
            shift += loadings[i, t] * u[rows.effects[i, t]]
        log_p, f_a, f_b, df_a, df_b, _, _ = rating(link, a[i] - shift, b[i] - shift)
        h += rows.weights[i] * log_p
        slope = f_b - f_a
        curvature[i] = rows.weights[i] * (slope * slope - (df_a - df_b))
        for t in range(terms):
            score[rows.effects[i, t]] += rows.weights[i] * slope * loadings[i, t]
    return h


@compiled
def _renew_factor(
    shape: Pattern, values: Floats, loadings: Floats, rows: Rows, curvature: Floats, work: Floats
) -> float:
    """Assemble H from the rows' curvatures and factorise it; its log-determinant, or nan."""
    terms = rows.effects.shape[1]
    values[:] = 0.0
    for j in range(len(shape.starts) - 1):
        values[shape.starts[j]] = 1.0
    for i in range(len(curvature)):
        entry = 0
        for s in range(terms):
            scaled = curvature[i] * loadings[i, s]
            for t in range(s, terms):
                values[rows.entries[i, entry]] += scaled * loadings[i, t]
                entry += 1
    return factorise(shape, values, work)


@compiled
def find_mode(
    link: int, a: Floats, b: Floats, loadings: Floats, rows: Rows,
    shape: Pattern, values: Floats, has_factor: bool, u: Floats, curvature: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Newton's method for û, started at `u` and ending there.

    A factor is kept for as long as its steps shrink fast (chord steps), for solving with it costs
    a small part of renewing it. On return `values` holds the factor of H at û.

    Returns
    -------
    tuple of float
        h(û) and log |H(û)|; −∞ and nan if there is no mode to be found.
    """
    count = len(u)
    score, step, work, tried = np.empty(count), np.zeros(count), np.zeros(count), u.copy()
    best, size, last_size, expected, shrink = -np.inf, np.inf, np.inf, np.inf, 1.0
    for _ in range(MODE_STEPS):
        h = _look(link, a, b, loadings, rows, tried, score, curvature)
        if best > -np.inf and not h >= best - 1e-9 * (1.0 + abs(best)):
            if shrink < SHORTEST:
                return -np.inf, np.nan
            shrink *= 0.25
            expected = np.inf
            for j in range(count):
                tried[j] = u[j] + shrink * step[j]
            continue
        if not h > -np.inf:
            return -np.inf, np.nan
        best = h
        u[:] = tried
        if expected < MODE_TOLERANCE:
            return best, _renew_factor(shape, values, loadings, rows, curvature, work)
        renew = not has_factor or shrink < 1.0 or size > CONTRACTION * last_size
        if renew:
            if np.isnan(_renew_factor(shape, values, loadings, rows, curvature, work)):
                # Cauchy's log-density is not concave: take uphill steps with what is.
                floor = np.maximum(curvature, 0.0)
                _renew_factor(shape, values, loadings, rows, floor, work)
            has_factor = True
        last_size = np.inf if renew else size
        step[:] = score
        solve(shape, values, step)
        shrink, size = 1.0, 0.0
        for j in range(count):
            size = max(size, abs(step[j]))
            tried[j] = u[j] + step[j]
        if renew:  # Newton: what is left is of the order of the step's square
            expected = size * size
        elif last_size < np.inf:  # chord: steps shrink by a constant share
            expected = size * size / last_size
        else:
            expected = size
    return -np.inf, np.nan


@compiled
def differentiate(
    link: int, a: Floats, b: Floats, loadings: Floats, covariates: Floats, rows: Rows,
    shape: Pattern, values: Floats, u: Floats, inverse: Floats,
    upper: Floats, lower: Floats, sd: Floats,
) -> None:  # fmt: skip
    """Fill in dℓ/da, dℓ/db and dℓ/dσ at the mode u, where `values` holds the factor of H."""
    n, terms = rows.effects.shape
    invert_on_pattern(shape, values, inverse)
    slope, slope_a, slope_b = np.empty(n), np.empty(n), np.empty(n)
    curve_a, curve_b, leverage = np.empty(n), np.empty(n), np.empty(n)
    spread = np.zeros((n, terms))  # H⁻¹m_i at the effects of row i
    r = np.zeros(len(u))
    sd[:] = 0.0
    for i in range(n):
        w = rows.weights[i]
        entry = 0
        shift = 0.0
        for s in range(terms):
            shift += loadings[i, s] * u[rows.effects[i, s]]
            for t in range(s, terms):
                z = inverse[rows.entries[i, entry]]
                entry += 1
                spread[i, s] += z * loadings[i, t]
                if t > s:
                    spread[i, t] += z * loadings[i, s]
        leverage[i] = 0.0
        for t in range(terms):
            leverage[i] += loadings[i, t] * spread[i, t]
        _, f_a, f_b, df_a, df_b, ddf_a, ddf_b = rating(link, a[i] - shift, b[i] - shift)
        # ∂log p/∂η = −rise and W = rise² − bend; the rest is the quotient rule.
        rise, bend = f_a - f_b, df_a - df_b
        slope[i] = -w * rise
        slope_a[i] = w * (f_a * rise - df_a)  # ∂²log p/∂η∂a
        slope_b[i] = w * (df_b - f_b * rise)
        curve_a[i] = -2.0 * rise * slope_a[i] - w * (ddf_a - f_a * bend)  # ∂W/∂a
        curve_b[i] = -2.0 * rise * slope_b[i] - w * (f_b * bend - ddf_b)
        upper[i] = w * f_a - 0.5 * leverage[i] * curve_a[i]
        lower[i] = -w * f_b - 0.5 * leverage[i] * curve_b[i]
        pull = 0.5 * leverage[i] * (curve_a[i] + curve_b[i])
        for t in range(terms):
            r[rows.effects[i, t]] += pull * loadings[i, t]
    solve(shape, values, r)
    for i in range(n):
        along = 0.0
        for t in range(terms):
            along += loadings[i, t] * r[rows.effects[i, t]]
        upper[i] += along * slope_a[i]
        lower[i] += along * slope_b[i]
        curvature = slope_a[i] + slope_b[i]
        for t in range(terms):
            j = rows.effects[i, t]
            loading = -u[j] * (upper[i] + lower[i]) - curvature * spread[i, t] + r[j] * slope[i]
            sd[t] += covariates[i, t] * loading


class Laplace:
    """The Laplace log-likelihood of one data set as a function of edges and standard deviations.

    Parameters
    ----------
    link : str
        One of `links.LINKS`.
    levels : list of ndarray of int
        Level of each row, from 0, by random term.
    covariates : ndarray of float
        Shape (rows, terms): 1 for a random intercept, a predictor for a random slope.
    weights : ndarray of float
        Weight of each row.
    """

    def __init__(self, link: str, levels: list[Ints], covariates: Floats, weights: Floats) -> None:
        self.link = LINKS.index(link)
        self.covariates = np.ascontiguousarray(covariates, dtype=np.float64)
        self.sizes = [int(level.max()) + 1 for level in levels]
        self.count = sum(self.sizes)
        offsets = np.cumsum([0, *self.sizes])[: len(levels)]
        plain = np.array(levels, dtype=np.int64).reshape(len(levels), len(weights)).T + offsets
        self.order = elimination_order(plain, self.count) if levels else np.empty(0, np.int64)
        effects = np.ascontiguousarray(self.order[plain])
        self.shape = pattern(effects, self.count)
        self.rows = Rows(effects, _entries(self.shape, effects), weights)
        self._factor = np.zeros(len(self.shape.rows))
        self._inverse = np.zeros(len(self.shape.rows))
        self._has_factor = False

    def evaluate(self, a: Floats, b: Floats, sd: Floats, start: Floats) -> Evaluation:
        """Log-likelihood and derivatives at the edges a, b and standard deviations `sd`.

        Parameters
        ----------
        a, b : ndarray of float
            Upper and lower edge of each row's category, less what is fixed.
        sd : ndarray of float
            Standard deviation by term; its sign does not matter.
        start : ndarray of float
            Where to start looking for the mode.
        """
        loadings = self.covariates * sd
        mode = start.copy()
        curvature = np.empty(len(a))
        h, log_det = find_mode(
            self.link, a, b, loadings, self.rows,
            self.shape, self._factor, self._has_factor, mode, curvature,
        )  # fmt: skip
        self._has_factor = not np.isnan(log_det)
        upper, lower, slopes = np.zeros(len(a)), np.zeros(len(a)), np.zeros(len(sd))
        if not self._has_factor:
            return Evaluation(-np.inf, upper, lower, slopes, mode)
        differentiate(
            self.link, a, b, loadings, self.covariates, self.rows,
            self.shape, self._factor, mode, self._inverse, upper, lower, slopes,
        )  # fmt: skip
        return Evaluation(h - 0.5 * log_det, upper, lower, slopes, mode)

    def forget(self) -> None:
        """Drop the factor kept from earlier evaluations, on which the last digits depend."""
        self._has_factor = False

    def mode_variances(self) -> Floats:
        """Conditional variances of u at the last evaluation, in order of elimination."""
        return self._inverse[self.shape.starts[:-1]]


def _entries(shape: Pattern, effects: Ints) -> Ints:
    n, terms = effects.shape
    pairs = [(s, t) for s in range(terms) for t in range(s, terms)]
    columns = [entry_of(shape, effects[:, s], effects[:, t]) for s, t in pairs]
    return np.array(columns, dtype=np.int64).reshape(len(pairs), n).T.copy()
