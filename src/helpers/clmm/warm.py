"""Compile everything once, at set-up, so that no reader waits for it."""

import polars as pl

from helpers.clmm.compiled import forget_old_versions
from helpers.clmm.fit import clmm


def warm_up() -> None:
    """Fit a tiny model, which leaves the compiled code in the environment's cache.

    Takes about fifteen seconds after a change of the compiled sources, and none otherwise.
    """
    forget_old_versions()
    ratings = {
        "rating": [1, 2, 1, 3, 2, 3, 3, 1],
        "judge": ["a", "b"] * 4,
        "case": ["p", "p", "q", "q"] * 2,
    }
    clmm("rating ~ 1 + (1 | judge) + (1 | case)", pl.DataFrame(ratings))
