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

import numpy as np

from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.compiled import compiled
from helpers.clmm.links import LINKS, rating
from helpers.clmm.mode import Rows, find_mode, shift
from helpers.clmm.sparse import (
    Pattern,
    elimination_order,
    entry_of,
    invert_on_pattern,
    pattern,
    solve,
)


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
def _spread(rows: Rows, inverse: Floats, i: int, spread: Floats) -> float:
    """Put H⁻¹m_i, at the effects of row i, into `spread`; the row's leverage m_iᵀH⁻¹m_i."""
    terms = rows.effects.shape[1]
    entry = 0
    for s in range(terms):
        for t in range(s, terms):
            z = inverse[rows.entries[i, entry]]
            entry += 1
            spread[i, s] += z * rows.loadings[i, t]
            if t > s:
                spread[i, t] += z * rows.loadings[i, s]
    leverage = 0.0
    for t in range(terms):
        leverage += rows.loadings[i, t] * spread[i, t]
    return leverage


@compiled
def differentiate(
    rows: Rows, shape: Pattern, values: Floats, u: Floats, inverse: Floats, covariates: Floats,
    upper: Floats, lower: Floats, sd: Floats,
) -> None:  # fmt: skip
    """Fill in dℓ/da, dℓ/db and dℓ/dσ at the mode u, where `values` holds the factor of H.

    First what acts on each row alone, then what acts on it through the mode, that is through r.
    """
    n, terms = rows.effects.shape
    invert_on_pattern(shape, values, inverse)
    slope, slope_a, slope_b = np.empty(n), np.empty(n), np.empty(n)
    spread, r = np.zeros((n, terms)), np.zeros(len(u))
    for i in range(n):
        leverage = _spread(rows, inverse, i, spread)
        moved = shift(rows, u, i)
        a, b, w = rows.upper[i] - moved, rows.lower[i] - moved, rows.weights[i]
        _, f_a, f_b, df_a, df_b, ddf_a, ddf_b = rating(rows.link, a, b)
        # ∂log p/∂η = −rise and W = rise² − bend; the rest is the quotient rule.
        rise, bend = f_a - f_b, df_a - df_b
        slope[i] = -w * rise
        slope_a[i] = w * (f_a * rise - df_a)  # ∂²log p/∂η∂a
        slope_b[i] = w * (df_b - f_b * rise)
        curve_a = -2.0 * rise * slope_a[i] - w * (ddf_a - f_a * bend)  # ∂W/∂a
        curve_b = -2.0 * rise * slope_b[i] - w * (f_b * bend - ddf_b)
        upper[i] = w * f_a - 0.5 * leverage * curve_a
        lower[i] = -w * f_b - 0.5 * leverage * curve_b
        for t in range(terms):
            pull = 0.5 * leverage * (curve_a + curve_b)
            r[rows.effects[i, t]] += pull * rows.loadings[i, t]
    solve(shape, values, r)
    sd[:] = 0.0
    for i in range(n):
        along = shift(rows, r, i)
        upper[i] += along * slope_a[i]
        lower[i] += along * slope_b[i]
        for t in range(terms):
            j = rows.effects[i, t]
            by_loading = -u[j] * (upper[i] + lower[i]) + r[j] * slope[i]
            by_loading -= (slope_a[i] + slope_b[i]) * spread[i, t]
            sd[t] += covariates[i, t] * by_loading


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
        self.effects = effects
        self.weights = weights
        self._entries = _entries(self.shape, effects)
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
        mode = start.copy()
        rows = Rows(
            self.link, a, b, self.covariates * sd, self.effects, self._entries, self.weights
        )
        h, log_det = find_mode(rows, self.shape, self._factor, self._has_factor, mode)
        self._has_factor = not np.isnan(log_det)
        upper, lower, slopes = np.zeros(len(a)), np.zeros(len(a)), np.zeros(len(sd))
        if not self._has_factor:
            return Evaluation(-np.inf, upper, lower, slopes, mode)
        differentiate(
            rows, self.shape, self._factor, mode, self._inverse, self.covariates,
            upper, lower, slopes,
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
