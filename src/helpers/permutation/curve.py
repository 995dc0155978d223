"""Counts against the threshold, over its whole range.

Thresholds are of the ratio: one of the distance is the same as that distance divided by the
distance of both rankings.
"""

import numpy as np
import polars as pl

from helpers.permutation.baselines import any_ranking
from helpers.permutation.counts import Counts
from helpers.permutation.projection import reach
from helpers.permutation.ranks import Floats, Ints

RANDOM = "a random ranking"
TO = 1.25  # evaluators' own ranking lies at 1


def curve(found: Counts, seed: int, steps: int) -> pl.DataFrame:
    """Shares of permutations within each of many thresholds, and of random rankings.

    Parameters
    ----------
    found : Counts
        Permuted rankings; their own threshold is not used.
    seed : int
        Of random rankings, where they are not listed.
    steps : int
        How many thresholds, from zero to `TO`.

    Returns
    -------
    DataFrame
        By `epsilon` and `dimension`: `share`, and `overshot`, the part of it that is past the
        benchmark's ranking. Random rankings stand under `RANDOM`.
    """
    grid = [round(TO * step / (steps - 1), 4) for step in range(steps)]
    random = found.line.along(any_ranking(len(found.unpermuted), seed))[None, :]
    rows = []
    for names, along in ((found.dimensions, found.along), ((RANDOM,), random)):
        for epsilon in grid:
            most = reach(found.line.squared, epsilon)
            shares, past = _shares(along, most)
            rows += [
                {"epsilon": epsilon, "dimension": name, "share": share, "overshot": over}
                for name, share, over in zip(names, shares, past, strict=True)
            ]
    return pl.DataFrame(rows)


def _shares(along: Ints, most: int) -> tuple[Floats, Floats]:
    near = np.abs(along) <= most
    return near.mean(axis=1), (near & (along < 0)).mean(axis=1)


def as_ratio(found: Counts) -> float:
    """The threshold of the counts as a bound of the ratio."""
    return found.epsilon if found.bound == "ratio" else found.epsilon / found.line.distance
