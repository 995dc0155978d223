"""What permutations would show if the benchmark had ranked the analysts otherwise.

How often a dimension's permutations come near a benchmark depends on its weight and on how far
apart the analysts are on it, whatever the benchmark is. So what they show is held against what they
show for other rankings that the benchmark might have given.
"""

from dataclasses import dataclass

import numpy as np

from helpers.permutation.projection import Bound, reach
from helpers.permutation.ranks import Floats, Ints


@dataclass(frozen=True)
class Chance:
    """What permutations show for many rankings by a benchmark; nan for one that has no line.

    Attributes
    ----------
    along : ndarray
        Shape (rankings, dimensions), mean of t.
    within : ndarray
        Shape (rankings, dimensions), share of permutations within the threshold.
    """

    along: Floats
    within: Floats


def by_chance(
    evaluators: Ints, benchmarks: Ints, rankings: Ints, epsilon: float, bound: Bound
) -> Chance:
    """See where permuted rankings come to lie for each of many benchmarks.

    Parameters
    ----------
    evaluators : ndarray of int
        Shape (analysts,), doubled ranks.
    benchmarks : ndarray of int
        Shape (benchmarks, analysts), doubled ranks.
    rankings : ndarray of int
        Shape (dimensions, permutations, analysts), doubled ranks.
    epsilon, bound
        The threshold, and what it bounds.
    """
    direction = evaluators - benchmarks
    squared = (direction**2).sum(axis=1)
    own = (direction * benchmarks).sum(axis=1)[:, None]
    distinct, share = _distinct(rankings)
    sizes, size = np.unique(squared, return_inverse=True)
    reaches = np.array([reach(int(one), epsilon, bound) if one else -1 for one in sizes])
    products = direction.astype(float) @ distinct.T.astype(float)  # whole numbers, far below 2^53
    near = np.abs(products - own) <= reaches[size][:, None]
    within = near.astype(float) @ share.T
    with np.errstate(invalid="ignore", divide="ignore"):
        along = (direction @ rankings.mean(axis=1).T - own) / squared[:, None]
    within[squared == 0] = np.nan
    along[squared == 0] = np.nan
    return Chance(along, within)


def _distinct(rankings: Ints) -> tuple[Ints, Floats]:
    """Rankings that differ, and of how many permutations of each dimension they are the ranking."""
    dimensions, permutations, items = rankings.shape
    flat = rankings.reshape(-1, items)
    code = flat @ np.random.default_rng(0).integers(1, 2**40, items)  # few, and faster than rows
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    share = np.zeros((dimensions, len(first)))
    np.add.at(share, (np.arange(dimensions)[:, None], which.reshape(dimensions, -1)), 1)
    return flat[first], share / permutations
