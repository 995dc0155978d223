"""Orders of a few things: all of them, or random ones where they are too many."""

from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

ALL_ORDERS = 9  # things up to which every order is tried
RANDOM_ORDERS = 100_000


def orders(n: int, seed: int) -> NDArray[np.int64]:
    """All orders of n things, or random ones of which the first is the order as it is.

    Parameters
    ----------
    n : int
        Number of things.
    seed : int
        Of the `RANDOM_ORDERS` that stand in for all above `ALL_ORDERS` things.

    Returns
    -------
    ndarray
        Shape (orders, n), each row the numbers from 0 to n − 1.
    """
    if n <= ALL_ORDERS:
        every = np.fromiter(permutations(range(n)), np.dtype((np.int64, n)), factorial(n))
        return np.asarray(every)
    random = np.random.default_rng(seed)
    drawn = random.permuted(np.tile(np.arange(n), (RANDOM_ORDERS, 1)), axis=1)
    drawn[0] = np.arange(n)
    return drawn
