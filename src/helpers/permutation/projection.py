"""A ranking projected on the line from the benchmark's ranking to the evaluators'.

Rankings are points: a coordinate for each analyst, its rank. With D = R_eval − R_bench the
projection of R_perm on the line through both is

    P = R_bench + t D,   t = (R_perm − R_bench)·D / D·D

so that t is 1 at the evaluators' ranking, 0 at the benchmark's, and negative past it. The distance
from P to the benchmark's ranking is |t| ‖D‖, and its ratio to ‖D‖ is |t|. Source: section 4.3.2 of
the perception study. Ranks are doubled, which leaves t as it is, and t is kept as a fraction of
whole numbers: whether it is below a threshold is decided exactly.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt
from typing import Literal, get_args

import numpy as np

from helpers.errors import HelpersError, did_you_mean
from helpers.not_estimable import NotEstimableError
from helpers.permutation.ranks import Floats, Ints

Bound = Literal["ratio", "distance"]
ALIKE = "evaluators and benchmark rank the analysts alike, so that no line runs through the two"


@dataclass(frozen=True)
class Line:
    """The line through two rankings.

    Attributes
    ----------
    evaluators, benchmark : ndarray of int
        Shape (analysts,), doubled ranks.

    Raises
    ------
    NotEstimableError
        If both are the same: there is no line.
    """

    evaluators: Ints
    benchmark: Ints

    def __post_init__(self) -> None:
        if not self.squared:
            raise NotEstimableError("the projection is", ALIKE)

    @cached_property
    def direction(self) -> Ints:
        """From the benchmark's ranking to the evaluators', doubled."""
        return np.asarray(self.evaluators - self.benchmark)

    @cached_property
    def squared(self) -> int:
        """Four times the squared distance of both rankings."""
        return int(self.direction @ self.direction)

    @property
    def distance(self) -> float:
        """Distance of both rankings, in ranks."""
        return float(np.sqrt(self.squared)) / 2

    def along(self, rankings: Ints) -> Ints:
        """Where rankings come to lie on the line, as t times `squared`.

        Parameters
        ----------
        rankings : ndarray of int
            Shape (…, analysts), doubled ranks.

        Returns
        -------
        ndarray of int
            Shape (…,).
        """
        return np.asarray((rankings - self.benchmark) @ self.direction)

    def share(self, rankings: Ints) -> Floats:
        """The same as t: 1 at the evaluators' ranking, 0 at the benchmark's, negative past it."""
        return np.asarray(self.along(rankings) / self.squared)

    def off(self, rankings: Ints) -> Floats:
        """Distance of rankings from the line, in ranks."""
        apart = ((rankings - self.benchmark) ** 2).sum(axis=-1)
        square = apart * self.squared - self.along(rankings) ** 2  # whole, and so never below zero
        return np.asarray(np.sqrt(square / self.squared) / 2)

    def reach(self, epsilon: float, bound: Bound = "ratio") -> int:
        """The largest |t| times `squared` that is below the threshold; −1 if none is.

        Parameters
        ----------
        epsilon : float
            The threshold, taken as the decimal number that it is written as.
        bound : str
            What it bounds: the "ratio" |t|, or the "distance" |t| ‖D‖ in ranks.
        """
        return reach(self.squared, epsilon, bound)


def reach(squared: int, epsilon: float, bound: Bound = "ratio") -> int:
    """See `Line.reach`; for a line with this `squared`.

    Raises
    ------
    HelpersError
        If the threshold is negative or not finite, or what it bounds is unknown.
    """
    if bound not in get_args(Bound):
        near = did_you_mean(bound, get_args(Bound)) or "; there are: ratio, distance"
        raise HelpersError(f"a threshold cannot bound '{bound}'{near}")
    if not 0 <= epsilon < float("inf"):
        raise HelpersError(f"the threshold must be zero or more, got {epsilon:g}")
    exact = Fraction(str(epsilon))
    if bound == "ratio":
        return ceil(exact * squared) - 1
    square = 4 * exact**2 * squared  # the distance is |along| / √squared / 2
    return isqrt(ceil(square) - 1) if square > 0 else -1
