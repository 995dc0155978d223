"""Other rankings that agree with the evaluators' as much as a benchmark's does.

If a benchmark's ranking were the evaluators' ranking and noise, in which any ranking is the less
likely the farther it is off (Mallows 1957, with Spearman's squared distance), then, given how far
it is off, each ranking at that distance would be equally likely. So these are what to hold it
against: whatever sets it apart from them is not explained by how well it agrees with evaluators.
"""

from typing import NamedTuple

import numpy as np

from helpers.orders import MOST, every
from helpers.permutation.ranks import Ints

LISTED = 720  # rankings that are kept at most
BAND = 0.05  # of the distance, up and down, is taken for the same where rankings are not listed
STEPS = 30  # of a chain, for each analyst


class Alike(NamedTuple):
    """Rankings, shape (rankings, analysts), doubled; and whether they are all that there are."""

    rankings: Ints
    whole: bool


def alike(evaluators: Ints, benchmark: Ints, seed: int, listed: int = LISTED) -> Alike:
    """The benchmark's ranks in other orders, as far from the evaluators' ranking.

    Parameters
    ----------
    evaluators, benchmark : ndarray of int
        Shape (analysts,), doubled ranks.
    seed : int
        Where chance begins, if rankings are drawn.
    listed : int
        How many to draw, if there are more; of more than eight analysts always. Then they are
        exchangeable with the benchmark's, by the parallel method of Besag and Clifford (1989).

    Returns
    -------
    Alike
        Whole lists hold the benchmark's own ranking, draws do not.
    """
    random = np.random.default_rng(seed)
    if len(benchmark) > MOST:
        return Alike(_drawn(evaluators, benchmark, listed, random), whole=False)
    rankings = benchmark[every(len(benchmark))]
    same = rankings[rankings @ evaluators == benchmark @ evaluators]  # and so as far off
    if len(same) <= listed:
        return Alike(same, whole=True)
    return Alike(same[random.integers(0, len(same), listed)], whole=False)


def _drawn(evaluators: Ints, benchmark: Ints, count: int, random: np.random.Generator) -> Ints:
    """Walk away from the benchmark's ranking, and from there so many times anew."""
    far = int(((benchmark - evaluators) ** 2).sum())
    ends = far * (1 - BAND), far * (1 + BAND)
    away = _walk(benchmark[None, :], evaluators, ends, random)
    return _walk(np.repeat(away, count, axis=0), evaluators, ends, random)


def _walk(
    rankings: Ints, evaluators: Ints, ends: tuple[float, float], random: np.random.Generator
) -> Ints:
    """Swap pairs at random, where that keeps the distance within its ends."""
    rankings = rankings.copy()
    chains, items = rankings.shape
    row = np.arange(chains)
    for _ in range(STEPS * items):
        swapped = rankings.copy()
        one, other = random.integers(0, items, (2, chains))
        swapped[row, one], swapped[row, other] = rankings[row, other], rankings[row, one]
        far = ((swapped - evaluators) ** 2).sum(axis=1)
        kept = (far >= ends[0]) & (far <= ends[1])
        rankings[kept] = swapped[kept]
    return rankings
