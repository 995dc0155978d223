"""Conditional logit: the one likelihood behind Bradley–Terry and Plackett–Luce, fitted in batches.

Someone picks alternative c out of a set, with covariates x_a of the alternatives a:

    P(c) = exp(β·x_c) / Σ_a exp(β·x_a)            (McFadden 1974, "Conditional logit analysis of
                                                   qualitative choice behavior")

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

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 60  # six or seven are usual
GAIN = 1e-10  # fitted when a Newton step promises half this log-likelihood for each choice
FLAT = 1e-5  # share of the information left in some direction where choices are separated
DEPENDENT = 1e-6  # of a column of unit length: what is its own if it depends on the others
FEW = 8  # replicates for which products of columns are not worth their making
MANY = 16  # columns; beyond, products of all of them would fill the memory
CELLS = 2**20  # replicates are fitted as many at a time as keep arrays near 8 MB


class Slopes(NamedTuple):
    """Gradient and information, each for all replicates."""

    gradient: Floats
    information: Floats


class Maximum(NamedTuple):
    """Where the log-likelihood of each replicate is highest.

    Newton's method `settled` there or not; the point is `found` to be a single one if the
    log-likelihood is curved in all directions.
    """

    beta: Floats
    information: Floats
    settled: NDArray[np.bool_]
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
        if self.pairs:
            return np.ones(len(self.rows), dtype=np.int64)
        return np.diff(self.start, append=len(self.rows))

    @cached_property
    def length(self) -> Floats:
        """Root mean square of each column; 1 for a column of zeros."""
        squares = np.einsum("ij,ij->j", self.rows, self.rows)
        return np.asarray(np.sqrt(np.where(squares > 0, squares / len(self.rows), 1)))

    @cached_property
    def products(self) -> Floats:
        """Products of all columns with each other, shape (products, rows)."""
        columns = np.ascontiguousarray(self.rows.T)
        first, second = np.triu_indices(len(columns))
        return columns[first] * columns[second]

    @cached_property
    def sparse(self) -> csr_array:
        """The rows, of which only what is not zero is held."""
        return csr_array(self.rows)

    def columns(self, kept: Ints) -> "Choices":
        """Give the same choices with these columns alone."""
        return replace(self, rows=self.rows[:, kept])

    def counts(self, weights: Floats) -> Floats:
        """How much each set counts, shape (replicates, sets), by how much its unit does."""
        return weights[:, self.unit] * self.weight

    def loglik(self, beta: Floats, counts: Floats) -> Floats:
        """Log-likelihood of each replicate, from β of shape (replicates, columns) and `counts`."""
        return -np.asarray((counts * np.log1p(self._odds(beta)[1])).sum(axis=1))

    def null_loglik(self) -> float:
        """Log-likelihood of all choices if those out of a set are equally likely."""
        if self.pairs:
            return float(-np.log(2) * self.weight.sum())
        return float(-(self.weight * np.log1p(self.sizes)).sum())

    def slopes(self, beta: Floats, counts: Floats) -> Slopes:
        """Derivatives of the log-likelihood.

        Parameters
        ----------
        beta : ndarray
            Shape (replicates, columns).
        counts : ndarray
            Shape (replicates, sets), see `counts`.

        Returns
        -------
        Slopes
            Shapes (replicates, columns) and (replicates, columns, columns).
        """
        share = self._shares(beta)
        if self.pairs:
            pull = counts * share
            return Slopes(-pull @ self.rows, self.cross(pull * (1 - share)))
        mean = self._means(share)
        spread = self.cross(np.repeat(counts, self.sizes, axis=1) * share)
        between = (mean * counts[:, None]) @ mean.swapaxes(1, 2)
        return Slopes(-(mean @ counts[:, :, None])[:, :, 0], spread - between)

    def by_unit(self, beta: Floats) -> Slopes:
        """Derivatives at one β of shape (columns,) unit by unit, units in place of replicates."""
        share = self._shares(beta[None])
        mean = share * self.rows.T if self.pairs else self._means(share)[0]
        gradient = np.zeros((self.units, len(beta)))
        np.add.at(gradient, self.unit, -(self.weight * mean).T)
        information = np.zeros((self.units, len(beta), len(beta)))
        # Where each unit's sets begin, and their rows.
        first = np.searchsorted(self.unit, np.arange(self.units + 1))
        row = np.append(self.start, len(self.rows))[first]
        pull = np.repeat(self.weight, self.sizes) * share[0]
        for unit in range(self.units):
            own, sets = slice(row[unit], row[unit + 1]), slice(first[unit], first[unit + 1])
            z, m = self.rows[own], mean[:, sets]
            information[unit] = (z.T * pull[own]) @ z - (m * self.weight[sets]) @ m.T
        return Slopes(gradient, information)

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
        if len(weights) < FEW:
            return np.stack([(self.rows.T * w) @ self.rows for w in weights])
        place = np.zeros((columns, columns), dtype=int)
        place[np.triu_indices(columns)] = np.arange(columns * (columns + 1) // 2)
        return np.asarray((weights @ self.products.T)[:, np.maximum(place, place.T)])

    def _odds(self, beta: Floats) -> tuple[Floats, Floats]:
        """Give exp(β·z) of each row, and its sum over each set, for all replicates."""
        odds = np.exp(np.minimum(beta @ self.rows.T, 500))  # beyond, all is certain anyway
        return odds, odds if self.pairs else np.add.reduceat(odds, self.start, axis=1)

    def _shares(self, beta: Floats) -> Floats:
        """Probability of each row, for all replicates."""
        odds, total = self._odds(beta)
        whole = 1 + total
        return np.asarray(odds / (whole if self.pairs else np.repeat(whole, self.sizes, axis=1)))

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
    if weights is None:
        return _maximise_once(choices)
    begin = np.zeros(choices.rows.shape[1]) if start is None else start
    # Where all begin, the derivatives of a replicate are weighted sums of those of the units, so
    # that the first and largest step of a resample is cheap.
    shared = choices.by_unit(begin)
    whole = shared.information.sum(axis=0)
    at_once = max(1, CELLS // max(1, len(choices.rows)))
    fits = []
    for part in (weights[i : i + at_once] for i in range(0, len(weights), at_once)):
        slopes = Slopes(*(np.tensordot(part, slope, 1) for slope in shared))
        fits.append(_newton(choices, choices.counts(part), begin, slopes, whole))
    return Maximum(*(np.concatenate(part) for part in zip(*fits, strict=True)))


def flat(information: Floats, reference: Floats) -> NDArray[np.bool_]:
    """Whether there is a direction in which hardly any of the reference's information is left.

    Parameters
    ----------
    information : ndarray
        Shape (replicates, columns, columns).
    reference : ndarray
        Shape (columns, columns), information of the same columns elsewhere.

    Returns
    -------
    ndarray of bool
        Shape (replicates,); all True if the reference itself leaves a column without information.
    """
    size = np.sqrt(np.maximum(np.diag(reference), 1e-200))
    try:
        root = np.linalg.cholesky(reference / np.outer(size, size))
    except np.linalg.LinAlgError:
        return np.ones(len(information), dtype=bool)
    if np.diag(root).min() < DEPENDENT:
        return np.ones(len(information), dtype=bool)
    half = np.linalg.inv(root) / size
    return np.asarray(np.linalg.eigvalsh(half @ information @ half.T)[:, 0] < FLAT)


def _maximise_once(choices: Choices) -> Maximum:
    """Maximise the log-likelihood of the choices as they are.

    Pairs begin at Newton's first step from zero, stretched. The step is least squares of wins on
    differences. Were these normal, it would have the right direction, but be too short by
    √(1 − ρ²), where ρ² = π/2 · R² is the share of what decides a win that they explain.
    """
    counts = choices.weight[None]
    nowhere = np.zeros((1, choices.rows.shape[1]))
    slopes = choices.slopes(nowhere, counts)
    reference = slopes.information[0].copy()
    if not choices.pairs:
        return _newton(choices, counts, nowhere[0], slopes, reference)
    step, gain = _solve(*slopes)
    explained = min(np.pi / 2 * gain[0] / counts.sum(), 0.95)
    begin = step[0] / np.sqrt(1 - explained)
    slopes = choices.slopes(begin[None], counts)
    return _newton(choices, counts, begin, slopes, reference)


def _newton(
    choices: Choices, counts: Floats, begin: Floats, slopes: Slopes, reference: Floats
) -> Maximum:
    """Newton's method from one point for all replicates, with their slopes there."""
    beta = np.tile(begin, (len(counts), 1))
    gradient, information = slopes
    step, gain = _solve(gradient, information)
    enough = GAIN * counts.sum(axis=1)
    for _ in range(STEPS):
        going = np.flatnonzero(gain > enough)
        if not going.size:
            break
        own = counts if going.size == len(counts) else counts[going]
        beta[going] += _damped(choices, own, beta[going], step[going], gain[going])
        gradient, information[going] = choices.slopes(beta[going], own)
        step[going], gain[going] = _solve(gradient, information[going])
    settled = gain <= enough
    # One more step costs nothing and squares what error is left.
    return Maximum(beta + step, information, settled, settled & ~flat(information, reference))


def _damped(choices: Choices, counts: Floats, beta: Floats, step: Floats, gain: Floats) -> Floats:
    """As much of each Newton step as is sure to raise the log-likelihood.

    The third derivative along a step is at most D times the second, D the range of what the step
    changes in β·z. So all of a step is safe if D ≤ 1, and log(1 + D)/D of it is always (Sun &
    Tran-Dinh 2019, "Generalized self-concordant functions", Mathematical Programming 178, for
    ν = 2). Of longer steps it is tried whether all of them help: in Plackett–Luce models they need
    not (Hunter 2004, "MM algorithms for generalized Bradley–Terry models").
    """
    change = step @ choices.rows.T
    span = np.maximum(change.max(axis=1), 0) - np.minimum(change.min(axis=1), 0)
    long = np.flatnonzero(span > 1)
    if long.size:
        begin, own = beta[long], counts[long]
        rise = choices.loglik(begin + step[long], own) - choices.loglik(begin, own)
        short = long[rise < gain[long] / 10]
        step[short] *= (np.log1p(span[short]) / span[short])[:, None]
    return step


def _solve(gradient: Floats, information: Floats) -> tuple[Floats, Floats]:
    """Newton's step, and twice the log-likelihood it promises.

    A trace of ridge keeps the step finite where the information is singular.
    """
    one = np.eye(gradient.shape[1])
    sure = information * (1 + 1e-12 * one) + 1e-200 * one
    step = np.asarray(np.linalg.solve(sure, gradient[:, :, None])[:, :, 0], dtype=float)
    return step, (gradient * step).sum(axis=1)
