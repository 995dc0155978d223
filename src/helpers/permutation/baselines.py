"""What a count can be without any benchmark: baselines beside which to read it."""

import numpy as np
from scipy import stats

from helpers.orders import MOST, every, some
from helpers.permutation.counts import Counts
from helpers.permutation.ranks import Floats, Ints

DRAWN = 40_320  # random rankings, where there are too many to list


def any_ranking(analysts: int, seed: int) -> Ints:
    """Doubled ranks in all orders, or in many at random: rankings that know nothing.

    Returns
    -------
    ndarray of int
        Shape (rankings, analysts).
    """
    orders = every(analysts) if analysts <= MOST else some(analysts, DRAWN, seed)
    return 2 * orders + 2


def random_share(found: Counts, rankings: Ints) -> float:
    """Share of rankings, such as `any_ranking` gives, that are within the threshold."""
    return float((np.abs(found.line.along(rankings)) <= found.reach).mean())


def displacement(found: Counts) -> Floats:
    """Mean distance of permuted rankings from the unpermuted, in ranks, by dimension.

    It needs no benchmark. Of one that ranks as evaluators do, it is the distance from the
    benchmark's ranking too: all that is left where there is no line to project on.
    """
    squares = ((found.rankings - found.unpermuted) ** 2).sum(axis=2)
    return np.asarray(np.sqrt(squares).mean(axis=1) / 2)


def leverage(scores: Floats, shares: Floats) -> Floats:
    """Weight times the standard deviation of models' mean scores, divided by the sum of these.

    Parameters
    ----------
    scores : ndarray
        Shape (analysts, dimensions).
    shares : ndarray
        Shape (dimensions,), weights that add up to one.

    Returns
    -------
    ndarray
        Shape (dimensions,); nan where models do not differ on any dimension.
    """
    product = shares * scores.std(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(product / product.sum())


def agreement(one: Floats, other: Floats) -> float:
    """Spearman's correlation over dimensions; nan where either has one value only."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(stats.spearmanr(one, other).statistic)
