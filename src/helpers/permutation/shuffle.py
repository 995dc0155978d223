"""Sums of values shuffled within blocks: one dimension's scores among the analysts of a judgement.

Compiled, since a study has thousands of rows to shuffle ten thousand times for each dimension.
"""

import numpy as np
from numpy.typing import NDArray

from helpers.clmm.compiled import compiled
from helpers.permutation.ranks import Floats, Ints

AT_ONCE = 2_000_000  # random numbers held at a time


@compiled
def _shuffle(
    values: Floats,
    start: Ints,
    place: Ints,
    factor: Floats,
    chance: NDArray[np.uint32],
    sums: Floats,
) -> None:
    """Shuffle (Fisher and Yates) and add up; 32 bits of chance choose one of what is left."""
    left = np.empty(len(values))
    for draw in range(len(sums)):
        for block in range(len(start) - 1):
            first = start[block]
            size = start[block + 1] - first
            for row in range(size):
                left[row] = values[first + row]
            for last in range(size - 1, -1, -1):
                row = first + last
                chosen = np.int64(
                    (np.uint64(chance[draw, row]) * np.uint64(last + 1)) >> np.uint64(32)
                )
                sums[draw, place[row]] += factor[row] * left[chosen]
                left[chosen] = left[last]


def shuffled_sums(
    values: Floats, start: Ints, place: Ints, factor: Floats, draws: int, seed: int
) -> Floats:
    """Shuffle values within blocks, again and again, and add up those that come to each place.

    Parameters
    ----------
    values : ndarray
        Shape (rows,); rows of a block stand together.
    start : ndarray of int
        First row of each block.
    place : ndarray of int
        Shape (rows,): the sum to which a row adds.
    factor : ndarray
        Shape (rows,): what a value counts there.
    draws, seed : int
        How often, and where chance begins.

    Returns
    -------
    ndarray
        Shape (draws, places).
    """
    values, factor = (np.ascontiguousarray(given, dtype=float) for given in (values, factor))
    place = np.ascontiguousarray(place, dtype=np.int64)
    ends = np.append(np.asarray(start, dtype=np.int64), len(values))
    sums = np.zeros((draws, int(place.max(initial=-1)) + 1))
    random = np.random.default_rng(seed)
    chunk = max(1, AT_ONCE // max(1, len(values)))
    for first in range(0, draws, chunk):
        own = sums[first : first + chunk]
        pairs = random.integers(0, 2**64, (len(own), len(values) // 2 + 1), dtype=np.uint64)
        _shuffle(values, ends, place, factor, pairs.view(np.uint32), own)
    return sums
