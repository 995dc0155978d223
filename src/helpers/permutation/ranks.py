"""Ranks with ties, as whole numbers, so that what is computed from them is exact."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TOLERANCE = 1e-9  # of the largest value: sums that are equal on paper differ by less when computed


def doubled_ranks(values: ArrayLike) -> Ints:
    """Twice the mid-rank of each value among those beside it, where the highest value has rank 1.

    Values that differ by no more than `TOLERANCE` times the largest of a row are tied and share
    the mean of their places. Twice that is a whole number.

    Parameters
    ----------
    values : array_like
        Shape (…, items), higher is better; ranked along the last axis.

    Returns
    -------
    ndarray of int
        The same shape; 2 for the best of a row, 2 × items for the worst, if they are not tied.
    """
    given = np.asarray(values, dtype=float)
    apart = TOLERANCE * np.abs(given).max(axis=-1, keepdims=True)
    ranks = np.full(given.shape, 1, dtype=np.int64)
    for item in range(given.shape[-1]):  # the item itself is tied with itself and adds one
        other = given[..., item, None]
        ranks += (other > given + apart).astype(np.int64) + (other >= given - apart)
    return ranks
