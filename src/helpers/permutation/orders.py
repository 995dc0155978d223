"""Orders in which a few things can stand: all of them, or some at random."""

from functools import cache
from itertools import permutations
from math import factorial

import numpy as np

from helpers.errors import HelpersError
from helpers.permutation.ranks import Ints

MOST = 8  # items whose orders are listed: 40,320


def enumerable(items: int, most: int) -> bool:
    """Whether there are no more orders than `most`, and few enough to list."""
    return items <= MOST and factorial(items) <= most


@cache
def every(items: int) -> Ints:
    """All orders of so many items, shape (items!, items), the unchanged one first; read only."""
    if items > MOST:
        raise HelpersError(f"orders: those of more than {MOST} items are too many to list")
    listed = np.array(list(permutations(range(items))), dtype=np.int64).reshape(-1, items)
    listed.flags.writeable = False
    return listed


def some(items: int, count: int, seed: int) -> Ints:
    """Orders drawn at random, each as likely as any other, shape (count, items)."""
    if count < 1:
        raise HelpersError(f"orders: at least one permutation is needed, got {count}")
    rows = np.broadcast_to(np.arange(items), (count, items))
    return np.random.default_rng(seed).permuted(rows, axis=1)
