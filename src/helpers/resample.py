"""Resampling whole clusters, as weights: how much each row counts in each replicate.

Evaluators, not ratings, are the sample: all that one evaluator wrote stands or falls together. A
*cluster bootstrap* draws as many clusters as there are, with replacement (Davison & Hinkley 1997,
*Bootstrap Methods and their Application*, section 3.8); a *jackknife* leaves each cluster out once
(Efron & Stein 1981). Both are tables of weights, replicates × rows, that a statistic can take in
one go: a weighted mean of `values` in all replicates is `weights @ values / weights.sum(axis=1)`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError

Floats = NDArray[np.float64]

FEWEST = 0.9  # of all resamples must have an estimate for an interval to mean anything


class LeftOut(NamedTuple):
    """Weights without each cluster in turn, shape (clusters, rows), and the clusters' names."""

    weights: Floats
    names: list[str]


@dataclass(frozen=True)
class Interval:
    """Intervals of one or more quantities.

    Attributes
    ----------
    low, high : ndarray
        Ends; nan for a quantity that has none.
    se : ndarray
        Standard error, from the same replicates.
    replicates : int
        Number of replicates with any estimate.
    lost : int
        Number of replicates without one.
    """

    low: Floats
    high: Floats
    se: Floats
    replicates: int
    lost: int


def bootstrap(clusters: ArrayLike, resamples: int, seed: int) -> Floats:
    """Draw clusters with replacement.

    Parameters
    ----------
    clusters : array_like
        The cluster of each row.
    resamples : int
        Number of replicates.
    seed : int
        Seed; the same seed gives the same weights.

    Returns
    -------
    ndarray
        Shape (resamples, rows): how often each row's cluster was drawn.

    Raises
    ------
    NotEstimableError
        If there is one cluster only.
    """
    names, cluster = _clusters(clusters)
    if resamples < 1:
        raise HelpersError(f"bootstrap: at least one resample is needed, got {resamples}")
    share = np.full(len(names), 1 / len(names))
    drawn = np.random.default_rng(seed).multinomial(len(names), share, size=resamples)
    return drawn[:, cluster].astype(float)


def leave_one_out(clusters: ArrayLike) -> LeftOut:
    """Leave out each cluster once.

    Parameters
    ----------
    clusters : array_like
        The cluster of each row.

    Returns
    -------
    LeftOut
        Weights 0 for the rows of the cluster left out, 1 for the others.

    Raises
    ------
    NotEstimableError
        If there is one cluster only.
    """
    names, cluster = _clusters(clusters)
    return LeftOut((np.arange(len(names))[:, None] != cluster).astype(float), names)


def percentile(draws: Floats, level: float = 0.95) -> Interval:
    """Interval between percentiles of bootstrap replicates.

    Parameters
    ----------
    draws : ndarray
        Shape (replicates, quantities); nan where a replicate has no estimate.
    level : float
        Probability with which such intervals cover, about.

    Returns
    -------
    Interval
        nan where more than a tenth of the replicates have no estimate.
    """
    known = np.isfinite(draws)
    found = known.sum(axis=0)
    use = found >= max(2, FEWEST * len(draws))
    low, high, se = (np.full(draws.shape[1], np.nan) for _ in range(3))
    tails = [(1 - level) / 2, (1 + level) / 2]
    if use.any():
        low[use], high[use] = np.nanquantile(draws[:, use], tails, axis=0)
        se[use] = np.nanstd(draws[:, use], axis=0, ddof=1)
    lost = int((~known).all(axis=1).sum())
    return Interval(low, high, se, len(draws) - lost, lost)


def jackknife(estimate: Floats, without: Floats, level: float = 0.95) -> Interval:
    """Interval from estimates that leave out one cluster each.

    With G clusters the variance is (G − 1)/G · Σ (estimate without g − their mean)², and the
    interval is that of Student's t with G − 1 degrees of freedom around the estimate.

    Parameters
    ----------
    estimate : ndarray
        Shape (quantities,), of the whole data.
    without : ndarray
        Shape (clusters, quantities); nan where there is no estimate.
    level : float
        Probability with which such intervals cover, about.

    Returns
    -------
    Interval
        nan for quantities that are not estimable without some cluster.
    """
    groups = len(without)
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    se = np.sqrt((groups - 1) / groups * spread)
    margin = stats.t.ppf((1 + level) / 2, groups - 1) * se
    lost = int((~np.isfinite(without)).all(axis=1).sum())
    return Interval(estimate - margin, estimate + margin, se, groups - lost, lost)


def _clusters(labels: ArrayLike) -> tuple[list[str], NDArray[np.int64]]:
    names, cluster = np.unique(np.asarray(labels), return_inverse=True)
    if len(names) < 2:
        told = f"'{names[0]}' alone" if len(names) else "nothing"
        raise NotEstimableError("intervals are", f"there is {told} to resample, and no second")
    return [str(name) for name in names], cluster
