"""Welch's t-test of two groups of any sizes and variances: which can have printed t, p and d."""

import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from helpers.printed import Interval

LARGEST = 100  # observations in both groups together, beyond which sizes are not searched
HIGHEST_DF = 1e6


def df_range(t: Interval, p: Interval) -> Interval | None:
    """Degrees of freedom, whole or not, on which some t in `t` has some p in `p`; None if none.

    p falls as t or the degrees of freedom rise, so the ends are where the largest t has the
    largest p, and the smallest t the smallest.
    """
    size = abs(t)
    low = _df_of(size.high, p.high, at_least=True)
    high = _df_of(size.low, p.low, at_least=False)
    return Interval(low, high) if low <= high and math.isfinite(low) else None


def _df_of(t: float, p: float, at_least: bool) -> float:
    """Smallest (or largest) df on which `t` has a p of at most (at least) `p`."""

    def excess(log_df: float) -> float:
        return float(2 * stats.t.sf(t, math.exp(log_df))) - p

    first, last = excess(0.0), excess(math.log(HIGHEST_DF))
    if at_least:
        if first <= 0:
            return 1.0
        return math.exp(optimize.brentq(excess, 0, math.log(HIGHEST_DF))) if last < 0 else math.inf
    if last >= 0:
        return math.inf
    return math.exp(optimize.brentq(excess, 0, math.log(HIGHEST_DF))) if first > 0 else 0.0


@functools.cache
def _grid() -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Pairs of sizes (n₁ ≤ n₂), and d / t and df for each pair (rows) and ratio of variances."""
    pairs = [(a, b) for a in range(2, LARGEST // 2 + 1) for b in range(a, LARGEST - a + 1)]
    sizes = np.array(pairs)
    n1, n2 = sizes[:, :1].astype(float), sizes[:, 1:].astype(float)
    ratio = np.exp(np.linspace(math.log(1 / 100), math.log(100), 1201))
    error = ratio / n1 + 1 / n2
    pooled = ((n1 - 1) * ratio + (n2 - 1)) / (n1 + n2 - 2)
    df = error**2 / ((ratio / n1) ** 2 / (n1 - 1) + (1 / n2) ** 2 / (n2 - 1))
    return sizes, np.sqrt(error / pooled), df


def sizes_by_welch(rows: list[tuple[Interval, Interval, Interval]]) -> list[tuple[int, int]]:
    """Group sizes with which Welch's test can have printed t, p and d of every row.

    Parameters
    ----------
    rows : list of (t, p, d)
        Intervals of the three figures, row by row. The ratio of the two variances is free in
        each row, between 1/100 and 100; d is the difference over the pooled SD.

    Returns
    -------
    list of (int, int)
        Sizes (n₁ ≤ n₂) of at most `LARGEST` observations together.

    References
    ----------
    Welch (1947); Cohen (1988), section 2.2.
    """
    sizes, ratios, dfs = _grid()
    fits = np.ones(len(sizes), dtype=bool)
    for t, p, d in rows:
        reach, possible = abs(d) / abs(t), df_range(t, p)
        if possible is None:
            return []
        row = (ratios >= reach.low) & (ratios <= reach.high)
        row &= (dfs >= possible.low) & (dfs <= possible.high)
        fits &= row.any(axis=1)
    return [(int(a), int(b)) for a, b in sizes[fits]]
