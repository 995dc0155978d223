"""Whether a benchmark makes more of some dimensions than evaluators do.

If permuting a dimension takes the ranking towards the benchmark's, the benchmark makes less of that
dimension than evaluators do; if it takes it away, the benchmark makes more of it. There are two
measures of it:

| measure | of a dimension |
|---|---|
| along | mean of t over its permutations, see `projection` |
| count | share of its permutations that are not within the threshold |

The first needs no threshold. The emphasis of a dimension is the measure less its mean over all
rankings that agree with the evaluators' as much as the benchmark's does (see `alike`): above zero
where the benchmark makes more of the dimension than evaluators do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from helpers.not_estimable import NotEstimableError
from helpers.permutation.by_chance import Chance
from helpers.permutation.ranks import Floats

Measure = Literal["along", "count"]
TIED = 1e-12  # by which values may differ that are equal on paper


@dataclass(frozen=True)
class Emphasis:
    """What the permutations say of the dimensions.

    Attributes
    ----------
    of : ndarray
        Shape (dimensions,), emphasis of each.
    value : float
        With declared dimensions: their mean emphasis less that of the others, above zero where the
        benchmark makes more of them. Without: the largest emphasis less the smallest.
    p : float
        Share of the rankings as far from the evaluators' that have as large a value.
    least : float
        The smallest p that any of them can have.
    rankings : int
        How many they are.
    """

    of: Floats
    value: float
    p: float
    least: float
    rankings: int


def measured(found: Chance, measure: Measure) -> Floats:
    """The measure by ranking of the benchmark and dimension."""
    return found.along if measure == "along" else 1 - found.within


def value_of(emphases: Floats, declared: NDArray[np.bool_]) -> Floats:
    """See `Emphasis.value`, along the last axis."""
    if not declared.any():
        return np.asarray(np.ptp(emphases, axis=-1))
    mean = emphases[..., declared].mean(axis=-1)
    return np.asarray(mean - emphases[..., ~declared].mean(axis=-1))


def emphases(own: Floats, others: Floats) -> Floats:
    """Emphasis of each dimension.

    Parameters
    ----------
    own : ndarray
        Shape (dimensions,), the measure for the benchmark.
    others : ndarray
        Shape (rankings, dimensions), for rankings as far from the evaluators'.
    """
    known = others[np.isfinite(others).all(axis=1)]
    return np.asarray(own - known.mean(axis=0)) if len(known) else np.full(len(own), np.nan)


def emphasis(
    own: Floats, others: Floats, whole: bool, declared: NDArray[np.bool_], moved: Floats
) -> Emphasis:
    """Compare the emphasis of the declared dimensions with that of the others.

    Parameters
    ----------
    own, others : ndarray
        See `emphases`.
    whole : bool
        Whether the others are all rankings that there are, the benchmark's own among them.
    declared : ndarray of bool
        Shape (dimensions,), those that the benchmark is said to make more of; none for the question
        whether it makes more of any.
    moved : ndarray
        Shape (dimensions,), share of permutations that change the ranking.

    Raises
    ------
    NotEstimableError
        If there are no dimensions to compare, or permuting the one side never changes the ranking.
    """
    refuse(declared, moved)
    known = others[np.isfinite(others).all(axis=1)]
    of = emphases(own, others)
    value = float(value_of(of, declared))
    drawn = value_of(known - known.mean(axis=0), declared)
    itself = 0 if whole else 1
    size = len(drawn) + itself
    as_large = int((drawn >= value - TIED).sum()) + itself
    largest = int((drawn >= drawn.max() - TIED).sum()) if whole else 1
    return Emphasis(of, value, as_large / size, largest / size, size)


def refuse(declared: NDArray[np.bool_], moved: Floats | Sequence[float]) -> None:
    """Raise NotEstimableError where `emphasis` cannot compare."""
    changes = np.asarray(moved) > 0
    if len(declared) < 2:
        reason = "there is one dimension only"
    elif declared.all():
        reason = "no dimension is left beside the declared"
    elif not changes.any():
        reason = "permuting a dimension never changes the ranking"
    elif declared.any() and not changes[declared].any():
        reason = "permuting what is declared never changes the ranking"
    elif declared.any() and not changes[~declared].any():
        reason = "permuting anything but what is declared never changes the ranking"
    else:
        return
    raise NotEstimableError("the difference of emphasis is", reason)
