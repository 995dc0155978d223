"""Orders of a few things: all of them, or random ones where they are too many."""

from functools import cache
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from helpers.errors import HelpersError

Ints = NDArray[np.int64]

ALL_ORDERS = 9  # things up to which every order is tried, 362,880
MOST = 8  # and up to which every order is listed to be worked on further, 40,320
RANDOM_ORDERS = 100_000


def orders(n: int, seed: int) -> Ints:
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
        return every(n)
    drawn = some(n, RANDOM_ORDERS, seed)
    drawn[0] = np.arange(n)
    return drawn


def enumerable(items: int, most: int) -> bool:
    """Whether there are no more orders than `most`, and few enough to list."""
    return items <= MOST and factorial(items) <= most


@cache
def every(items: int) -> Ints:
    """All orders of so many items, shape (items!, items), the unchanged one first; read only."""
    if items > ALL_ORDERS:
        raise HelpersError(f"orders: those of more than {ALL_ORDERS} items are too many to list")
    rows = np.dtype((np.int64, items))
    listed: Ints = np.asarray(np.fromiter(permutations(range(items)), rows, factorial(items)))
    listed.flags.writeable = False
    return listed


def some(items: int, count: int, seed: int) -> Ints:
    """Orders drawn at random, each as likely as any other, shape (count, items)."""
    if count < 1:
        raise HelpersError(f"orders: at least one permutation is needed, got {count}")
    rows = np.broadcast_to(np.arange(items), (count, items))
    return np.random.default_rng(seed).permuted(rows, axis=1)
