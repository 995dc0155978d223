"""Conditional logit: the one likelihood behind Bradley–Terry and Plackett–Luce, fitted in batches.

Someone picks alternative c out of a set, with covariates x_a of the alternatives a:

    P(c) = exp(β·x_c) / Σ_a exp(β·x_a)            (McFadden 1974, "Conditional logit analysis of
                                                   qualitative choice behavior", eq. 12)

Only differences matter, so that a set is held as the rows z_a = x_a − x_c of the alternatives
passed over, and with p_a = exp(β·z_a) / (1 + Σ_b exp(β·z_b)) their probabilities

    log L      = −Σ w log(1 + Σ_a exp(β·z_a))
    gradient   = −Σ w m,   m = Σ_a p_a z_a
    information = Σ w (Σ_a p_a z_a z_aᵀ − m mᵀ)

summed over sets of weight w. A pair of items is a set with one row (Bradley–Terry); the pairs that
an item of a ranking wins, taken together as one set, make the rank-ordered logit (Plackett–Luce).

Sets belong to *units*, such as rankings. Resampling changes how much each unit counts; all
resamples are fitted together, replicates first: β has shape (replicates, columns).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 60  # about eight are needed
GAIN = 1e-10  # fitted when a full Newton step promises less log-likelihood than half this
FLAT = 1e-9  # least curvature per row, columns of unit length, of a maximum that is none
MANY = 16  # columns; beyond, products of all of them would fill the memory
CELLS = 2**20  # replicates are fitted as many at a time as keep arrays near 8 MB


class Slopes(NamedTuple):
    """Log-likelihood, gradient and information, each for all replicates."""

    loglik: Floats
    gradient: Floats
    information: Floats


class Maximum(NamedTuple):
    """Where the log-likelihood of each replicate is highest; `found` is False where it is not."""

    beta: Floats
    loglik: Floats
    information: Floats
    found: NDArray[np.bool_]


@dataclass(frozen=True)
class Choices:
    """Choices out of sets, as differences of covariates.

    Attributes
    ----------
    rows : ndarray
        Shape (rows, columns), covariates of each alternative passed over less those of the chosen.
    start : ndarray of int
        First row of each set; sets follow one another.
    unit : ndarray of int
        The unit each set belongs to, 0 to `units` − 1, never decreasing.
    weight : ndarray
        How often each set was met.
    units : int
        Number of units.
    """

    rows: Floats
    start: Ints
    unit: Ints
    weight: Floats
    units: int

    @cached_property
    def pairs(self) -> bool:
        """Whether every set has one row, which needs no sums within sets."""
        return len(self.start) == len(self.rows)

    @cached_property
    def sizes(self) -> Ints:
        """Rows in each set."""
        return np.diff(self.start, append=len(self.rows))

    @cached_property
    def length(self) -> Floats:
        """Root mean square of each column; 1 for a column of zeros."""
        length: Floats = np.sqrt((self.rows**2).mean(axis=0))
        return np.where(length > 0, length, 1.0)

    @cached_property
    def products(self) -> Floats:
        """Products of all columns with each other, row by row."""
        return (self.rows[:, :, None] * self.rows[:, None, :]).reshape(len(self.rows), -1)

    @cached_property
    def sparse(self) -> csr_array:
        """The rows, of which only what is not zero is held."""
        return csr_array(self.rows)

    def columns(self, kept: Ints) -> "Choices":
        """Give the same choices with these columns alone."""
        return Choices(self.rows[:, kept], self.start, self.unit, self.weight, self.units)

    def null_loglik(self) -> float:
        """Log-likelihood when all alternatives of a set are equally likely."""
        return float(-(self.weight * np.log1p(self.sizes)).sum())

    def slopes(self, beta: Floats, weights: Floats) -> Slopes:
        """Derivatives of the log-likelihood.

        Parameters
        ----------
        beta : ndarray
            Shape (replicates, columns).
        weights : ndarray
            Shape (replicates, units).

        Returns
        -------
        Slopes
            Shapes (replicates,), (replicates, columns) and (replicates, columns, columns).
        """
        each = weights[:, self.unit] * self.weight
        share, total = self._shares(beta)
        loglik = -(each * np.log1p(total)).sum(axis=1)
        if self.pairs:
            pull = each * share
            return Slopes(loglik, -pull @ self.rows, self.cross(pull * (1 - share)))
        mean = self._means(share)
        spread = self.cross(np.repeat(each, self.sizes, axis=1) * share)
        between = (mean * each[:, None]) @ mean.swapaxes(1, 2)
        return Slopes(loglik, -(mean @ each[:, :, None])[:, :, 0], spread - between)

    def by_unit(self, beta: Floats) -> Slopes:
        """Derivatives at one β of shape (columns,) unit by unit, units in place of replicates."""
        share, total = self._shares(beta[None])
        mean = self._means(share)[0] if not self.pairs else (share * self.rows.T)
        gradient = np.zeros((self.units, len(beta)))
        np.add.at(gradient, self.unit, -(self.weight * mean).T)
        loglik = np.bincount(self.unit, -self.weight * np.log1p(total[0]), self.units).astype(float)
        information = np.zeros((self.units, len(beta), len(beta)))
        # Where each unit's sets begin, and their rows.
        first = np.searchsorted(self.unit, np.arange(self.units + 1))
        row = np.append(self.start, len(self.rows))[first]
        pull = np.repeat(self.weight, self.sizes) * share[0]
        for unit in range(self.units):
            own, sets = slice(row[unit], row[unit + 1]), slice(first[unit], first[unit + 1])
            z, m = self.rows[own], mean[:, sets]
            information[unit] = (z.T * pull[own]) @ z - (m * self.weight[sets]) @ m.T
        return Slopes(loglik, gradient, information)

    def cross(self, weights: Floats) -> Floats:
        """Σ w z zᵀ over the rows z.

        Parameters
        ----------
        weights : ndarray
            Shape (replicates, rows).

        Returns
        -------
        ndarray
            Shape (replicates, columns, columns).
        """
        columns = self.rows.shape[1]
        if columns > MANY:  # abilities of many items: each row is zero but for two
            z = self.sparse
            return np.stack([(z.T @ z.multiply(w[:, None])).toarray() for w in weights])
        return np.asarray((weights @ self.products).reshape(-1, columns, columns))

    def _shares(self, beta: Floats) -> tuple[Floats, Floats]:
        """Probability of each row, and Σ exp(β·z) of each set, for all replicates."""
        odds = np.exp(np.minimum(beta @ self.rows.T, 500))  # beyond, all is certain anyway
        if self.pairs:
            return odds / (1 + odds), odds
        total: Floats = np.add.reduceat(odds, self.start, axis=1)
        return odds / np.repeat(1 + total, self.sizes, axis=1), total

    def _means(self, share: Floats) -> Floats:
        """Expected row of each set, shape (replicates, columns, sets)."""
        means = [np.add.reduceat(share * column, self.start, axis=1) for column in self.rows.T]
        return np.stack(means, axis=1)


def maximise(
    choices: Choices, weights: Floats | None = None, start: Floats | None = None
) -> Maximum:
    """Maximise the log-likelihood by Newton's method, all replicates together.

    The log-likelihood is concave, so that a flat point is its maximum.

    Parameters
    ----------
    choices : Choices
        What was chosen; its columns must not depend on one another.
    weights : ndarray, optional
        Shape (replicates, units), how much each unit counts; by default one replicate of all once.
    start : ndarray, optional
        Shape (columns,), where to begin; best where the maximum of the whole data lies.

    Returns
    -------
    Maximum
        `found` is False where a replicate's log-likelihood has no single maximum, because its
        units separate the choices or leave a column without variation.
    """
    length = choices.length
    scaled = Choices(
        choices.rows / length, choices.start, choices.unit, choices.weight, choices.units
    )
    begin = np.zeros(len(length)) if start is None else start * length
    if weights is None:
        best = _newton(scaled, np.ones((1, choices.units)), begin)
    else:
        at_once = max(1, CELLS // max(1, len(choices.rows)))
        parts = [weights[i : i + at_once].astype(float) for i in range(0, len(weights), at_once)]
        shared = scaled.by_unit(begin)
        fits = [_newton(scaled, part, begin, shared) for part in parts]
        best = Maximum(*(np.concatenate(part) for part in zip(*fits, strict=True)))
    information = best.information * length[:, None] * length
    return Maximum(best.beta / length, best.loglik, information, best.found)


def _newton(
    choices: Choices, weights: Floats, begin: Floats, shared: Slopes | None = None
) -> Maximum:
    """Newton's method on scaled columns, from one point for all replicates.

    There the derivatives of a replicate are weighted sums of those of the units (`shared`), which
    makes the first and largest step of a resample cheap.
    """
    beta = np.tile(begin, (len(weights), 1))
    if shared is None:
        now = choices.slopes(beta, weights)
    else:
        now = Slopes(*(np.tensordot(weights, part, 1) for part in shared))
    step, gain = _solve(now)
    for _ in range(STEPS):
        going = np.flatnonzero(gain > GAIN)
        if not going.size:
            break
        beta[going] += _damping(choices, step[going])[:, None] * step[going]
        new = choices.slopes(beta[going], weights[going])
        for kept, part in zip(now, new, strict=True):
            kept[going] = part
        step[going], gain[going] = _solve(new)
    rows = np.maximum(weights[:, choices.unit] @ (choices.weight * choices.sizes), 1)
    curvature = np.linalg.eigvalsh(now.information / rows[:, None, None])[:, :1].min(axis=1)
    found = (gain <= GAIN) & (curvature > FLAT)
    # One more step costs nothing and squares what error is left.
    return Maximum(beta + step, now.loglik, now.information, found)


def _damping(choices: Choices, step: Floats) -> Floats:
    """How much of each Newton step to take so that the log-likelihood is sure to rise.

    The third derivative along a step is at most D times the second, D the range of what the step
    changes in β·z. Then log(1 + D)/D of it is safe (Sun & Tran-Dinh 2019, "Generalized
    self-concordant functions", Mathematical Programming 178, theorem 2 with ν = 2), and close to
    the maximum it is nearly all of it. Full steps can fail for Plackett–Luce (Hunter 2004).
    """
    change = step @ choices.rows.T
    span = np.maximum(change.max(axis=1), 0) - np.minimum(change.min(axis=1), 0)
    return np.asarray(np.log1p(span) / np.maximum(span, np.finfo(float).tiny))


def _solve(slopes: Slopes) -> tuple[Floats, Floats]:
    """Newton's step, and twice the log-likelihood it promises.

    A trace of ridge keeps the step finite where the information is singular.
    """
    _, gradient, information = slopes
    columns = gradient.shape[1]
    size = np.trace(information, axis1=1, axis2=2)[:, None, None] / columns
    ridge = (1e-12 * size + np.finfo(float).tiny) * np.eye(columns)
    step: Floats = np.linalg.solve(information + ridge, gradient[:, :, None])[:, :, 0]
    return step, (gradient * step).sum(axis=1)
