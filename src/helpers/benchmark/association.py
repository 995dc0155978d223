"""Pearson's correlation of scores and accuracies, with a p-value that few systems allow.

The p-value is the share of orders of the accuracies whose correlation with the scores is as far
from zero: every system may have had every accuracy, if they are unrelated. Nothing is taken for
normal, and of six systems all 720 orders are tried.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from helpers import say
from helpers.orders import ALL_ORDERS, orders

Floats = NDArray[np.float64]

FEWEST = 3  # systems: two points always lie on a line
EDGE = 1e-9  # correlations nearer than this are the same


@dataclass(frozen=True)
class Association:
    """Pearson's correlation.

    Attributes
    ----------
    r : float or None
        The correlation; None where there is none.
    low, high : float or None
        Interval by Fisher's z, which takes systems for a sample of a bivariate normal distribution.
        None with fewer than four systems or all points on one line.
    p : float or None
        Two-sided, by permutation.
    n : int
        Systems with both.
    method : str
        Which orders were tried, in words.
    error : float
        Monte-Carlo standard error of `p`; 0 where all orders were tried.
    least : float or None
        Least p that any pairing of these values can have; None where not all were tried.
    p_student : float or None
        Two-sided, by Student's t of n − 2 degrees of freedom, for comparison.
    reason : str
        Why there is no correlation, or no interval.
    """

    r: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    method: str
    error: float = 0.0
    least: float | None = None
    p_student: float | None = None
    reason: str = ""


def pearson(
    scores: ArrayLike, accuracies: ArrayLike, confidence: float = 0.95, seed: int = 0
) -> Association:
    """Correlate scores with accuracies.

    Parameters
    ----------
    scores, accuracies : array_like
        Shape (systems,); systems with a gap (nan) in either are left out.
    confidence : float
        Level of the interval.
    seed : int
        Of the random orders that stand in for all of them above nine systems.

    Returns
    -------
    Association
        With the reason where there is no correlation: fewer than three systems, or equal values.

    Raises
    ------
    ValueError
        If the two do not have the same length.

    Notes
    -----
    Pitman (1937), *Supplement to the Journal of the Royal Statistical Society* 4, 225–232, for the
    test; Fisher (1921), *Metron* 1, 3–32, for the interval. With random orders p is (k + 1)/(N + 1)
    as Phipson and Smyth (2010) have it, the order as it is being one of them.
    """
    x, y = complete(scores, accuracies)
    n = len(x)
    if reason := lacking(x, y):
        return Association(None, None, None, None, n, "", reason=reason)
    a, b = unit(x), unit(y)
    r = float(np.clip(a @ b, -1, 1))
    found = np.abs(b[orders(n, seed)] @ a)
    p = float((found >= abs(r) - EDGE).mean())
    exact = n <= ALL_ORDERS
    low, high, why = fisher(r, n, confidence)
    return Association(
        r,
        low,
        high,
        p,
        n,
        f"permutation, {'all' if exact else 'random'} {len(found):,} orders",
        error=0.0 if exact else float(np.sqrt(p * (1 - p) / len(found))),
        least=float((found >= found.max() - EDGE).mean()) if exact else None,
        p_student=_student(r, n),
        reason=why,
    )


def spearman(
    scores: ArrayLike, accuracies: ArrayLike, confidence: float = 0.95, seed: int = 0
) -> Association:
    """Correlate ranks of scores with ranks of accuracies; see `pearson`.

    Fisher's interval is not of ranks, so that there is none.
    """
    x, y = complete(scores, accuracies)
    found = pearson(stats.rankdata(x), stats.rankdata(y), confidence, seed)
    return replace(found, low=None, high=None, p_student=None)


def complete(scores: ArrayLike, accuracies: ArrayLike) -> tuple[Floats, Floats]:
    """Both for the systems that have both."""
    x, y = (np.asarray(side, dtype=float) for side in (scores, accuracies))
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"scores have the shape {x.shape} and accuracies {y.shape}")
    both = np.isfinite(x) & np.isfinite(y)
    return x[both], y[both]


def lacking(x: Floats, y: Floats) -> str:
    """Why these have no correlation; empty where they have one."""
    if len(x) < FEWEST:
        told = f"{say.count(len(x), 'system')} with score and accuracy"
        return f"{told}; two points always lie on a line" if len(x) == 2 else told
    if flat(x):
        return "all scores are equal"
    return "all accuracies are equal" if flat(y) else ""


def flat(values: Floats) -> bool:
    """Whether values are equal, but for rounding."""
    return bool(np.ptp(values) <= EDGE * max(1.0, float(np.abs(values).max())))


def fisher(r: float, n: int, confidence: float) -> tuple[float | None, float | None, str]:
    """Interval of a correlation by Fisher's z, or why there is none."""
    if n <= 3:
        return None, None, f"no interval of {n} systems: Fisher's z needs at least 4"
    if abs(r) > 1 - EDGE:
        return None, None, "no interval: all points lie on one line"
    margin = stats.norm.ppf((1 + confidence) / 2) / np.sqrt(n - 3)
    low, high = np.tanh(np.arctanh(r) + np.array([-margin, margin]))
    return float(low), float(high), ""


def correlations(scores: Floats, accuracies: Floats) -> Floats:
    """Correlation of each row of scores with the accuracies; nan where a row has none.

    Parameters
    ----------
    scores : ndarray
        Shape (resamples, systems).
    accuracies : ndarray
        Shape (systems,), not all equal.

    Returns
    -------
    ndarray
        Shape (resamples,).
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    size = np.sqrt((centred**2).sum(axis=1))
    size[size <= EDGE] = np.nan
    return np.asarray(centred @ unit(accuracies) / size)


def needed(n: int, alpha: float = 0.05) -> float | None:
    """Least correlation that Student's t calls significant, two-sided; None without freedom."""
    if n < FEWEST:
        return None
    t = float(stats.t.ppf(1 - alpha / 2, n - 2))
    return t / float(np.sqrt(t**2 + n - 2))


def unit(values: Floats) -> Floats:
    """Values less their mean, with length one."""
    centred = values - values.mean()
    return np.asarray(centred / np.sqrt(centred @ centred))


def _student(r: float, n: int) -> float:
    if abs(r) > 1 - EDGE:
        return 0.0
    return float(2 * stats.t.sf(abs(r) * np.sqrt((n - 2) / (1 - r**2)), n - 2))
