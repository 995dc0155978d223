"""How exactly a number of simulated studies knows a share and a mean."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

Ends = tuple[float, float]


def share_interval(hits: int, studies: int, level: float) -> Ends:
    """Exact interval of a share (Clopper and Pearson 1934, *Biometrika* 26, 404–413).

    Parameters
    ----------
    hits, studies : int
        How many studies showed something, of how many; at least one study.
    level : float
        Confidence level.
    """
    ends = stats.binomtest(hits, studies).proportion_ci(level, method="exact")
    return float(ends.low), float(ends.high)


def mean_interval(values: Sequence[float], level: float) -> Ends | None:
    """Interval of a mean by Student's t; None of fewer than two values."""
    if len(values) < 2:
        return None
    mean = float(np.mean(values))
    reach = float(stats.t.ppf((1 + level) / 2, len(values) - 1) * stats.sem(values))
    return mean - reach, mean + reach
