"""How often permuting a dimension brings the ranking near the benchmark's: the paper's Table 6.

Source: section 4.3.2 of the perception study; see `projection` for the formula.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.orders import enumerable, every, some
from helpers.permutation.permuted import Rows, by_analyst, by_row
from helpers.permutation.projection import Bound, Line
from helpers.permutation.ranks import Floats, Ints, doubled_ranks
from helpers.ranking_weights import normalised


@dataclass(frozen=True)
class Counts:
    """Permuted rankings of each dimension, and where they come to lie.

    Attributes
    ----------
    dimensions : tuple of str
        Names.
    line : Line
        Through the rankings of evaluators and benchmark.
    unpermuted : ndarray of int
        Shape (analysts,), doubled ranks by the weighted sum of scores as they are.
    rankings : ndarray of int
        Shape (dimensions, permutations, analysts), the same after each permutation.
    exact : bool
        Whether these are all permutations, each once; else they are random ones.
    epsilon, bound
        The threshold, and what it bounds.
    """

    dimensions: tuple[str, ...]
    line: Line
    unpermuted: Ints
    rankings: Ints
    exact: bool
    epsilon: float
    bound: Bound

    @property
    def permutations(self) -> int:
        """How many permutations of each dimension."""
        return int(self.rankings.shape[1])

    @cached_property
    def along(self) -> Ints:
        """Shape (dimensions, permutations); see `Line.along`."""
        return self.line.along(self.rankings)

    @cached_property
    def reach(self) -> int:
        """See `Line.reach`."""
        return self.line.reach(self.epsilon, self.bound)

    @cached_property
    def within(self) -> Ints:
        """The counts: permutations whose projection is below the threshold."""
        return np.asarray((np.abs(self.along) <= self.reach).sum(axis=1))

    @property
    def share(self) -> Floats:
        """The same, of all permutations."""
        return np.asarray(self.within / self.permutations)

    @property
    def error(self) -> Floats:
        """Monte-Carlo standard error of `share`; zero where all permutations were made."""
        if self.exact:
            return np.zeros(len(self.dimensions))
        return np.sqrt(self.share * (1 - self.share) / self.permutations)

    @property
    def overshot(self) -> Ints:
        """Counted permutations that project past the benchmark's ranking."""
        return np.asarray(((self.along < 0) & (self.along >= -self.reach)).sum(axis=1))

    @property
    def beyond(self) -> Ints:
        """Permutations that are not counted since they project too far past it."""
        return np.asarray((self.along < -max(self.reach, 0)).sum(axis=1))

    @property
    def moved(self) -> Floats:
        """Share of permutations that change the ranking at all."""
        changed = (self.rankings != self.unpermuted).any(axis=2)
        return np.asarray(changed.mean(axis=1))

    def table(self) -> pl.DataFrame:
        """By `dimension`: counts `within`, `overshot` and `beyond`, `permutations` and `exact`.

        `share` is of all permutations, with its Monte-Carlo standard `error`; `along` the mean of
        t, `off` the mean distance from the line in ranks, `moved` the share of permutations that
        change the ranking.
        """
        return pl.DataFrame(
            {
                "dimension": self.dimensions,
                "within": self.within,
                "overshot": self.overshot,
                "beyond": self.beyond,
                "permutations": self.permutations,
                "exact": self.exact,
                "share": self.share,
                "error": self.error,
                "along": self.line.share(self.rankings).mean(axis=1),
                "off": self.line.off(self.rankings).mean(axis=1),
                "moved": self.moved,
            }
        )


def counts(
    scores: ArrayLike,
    weights: ArrayLike,
    accuracies: ArrayLike,
    *,
    epsilon: float = 0.5,
    bound: Bound = "ratio",
    mean_ranks: ArrayLike | None = None,
    rows: Rows | None = None,
    permutations: int = 10_000,
    exact: bool = True,
    seed: int = 1,
    dimensions: Sequence[str] | None = None,
) -> Counts:
    """Permute each dimension's scores among analysts and see how near the ranking comes.

    Parameters
    ----------
    scores : array_like
        Shape (analysts, dimensions), mean scores; higher is better.
    weights : array_like
        Shape (dimensions,), of one sign; only their proportions matter.
    accuracies : array_like
        Shape (analysts,), on the benchmark; equal ones are tied.
    epsilon : float
        The threshold, below which a projection counts as near the benchmark's ranking.
    bound : str
        What it bounds: the "ratio" of distances, or the "distance" itself in ranks.
    mean_ranks : array_like, optional
        Shape (analysts,), 1 the best: evaluators' ranking is that of these, instead of the ranking
        by weighted scores.
    rows : Rows, optional
        Scores within judgements, which are then permuted in place of their means. Their means take
        the place of `scores`.
    permutations, seed : int
        How many random permutations, and where chance begins.
    exact : bool
        Whether to make all permutations of means instead, where they are no more than that.
    dimensions : sequence of str, optional
        Names.

    Returns
    -------
    Counts
        Counts by dimension, and all that they are made of.

    Raises
    ------
    NotEstimableError
        If fewer than two analysts are given, all have the same accuracy or score, both rankings are
        the same, or weights cannot be normalised.
    HelpersError
        If shapes do not agree, a number is missing, or a setting is none.
    """
    values = np.asarray(scores if rows is None else rows.means, dtype=float)
    accuracy = np.asarray(accuracies, dtype=float)
    names = _names(values, np.asarray(weights, dtype=float), dimensions)
    shares = normalised(weights, names)
    bench = benchmark_ranks(accuracy)
    if len(values) != len(bench):
        raise HelpersError(f"counts: {len(values)} analysts have scores, {len(bench)} accuracies")
    own = doubled_ranks(values @ shares)
    line = Line(evaluators_ranks(own, mean_ranks), bench)
    line.reach(epsilon, bound)
    whole = exact and rows is None and enumerable(len(values), permutations)
    if rows is None:
        orders = every(len(values)) if whole else some(len(values), permutations, seed)
        rankings = by_analyst(values, shares, orders)
    else:
        rankings = by_row(rows, shares, permutations, seed)
    return Counts(names, line, own, rankings, whole, epsilon, bound)


def benchmark_ranks(accuracies: Floats) -> Ints:
    """Doubled ranks by accuracy; refused where they rank nobody."""
    _finite("accuracies", accuracies)
    if len(accuracies) < 2:
        told = "one analyst alone" if len(accuracies) else "no analyst"
        raise NotEstimableError("the projection is", f"{told} has an accuracy to rank by")
    if np.ptp(accuracies) == 0:
        reason = "all accuracies are the same, so that the benchmark ranks nobody"
        raise NotEstimableError("the projection is", reason)
    return doubled_ranks(accuracies)


def evaluators_ranks(by_score: Ints, mean_ranks: ArrayLike | None) -> Ints:
    """Doubled ranks by score, or by mean ranks if given; refused where they rank nobody."""
    ranks, of = by_score, "scores"
    if mean_ranks is not None:
        given = np.asarray(mean_ranks, dtype=float)
        _finite("mean ranks", given)
        if given.shape != by_score.shape:
            raise HelpersError(f"counts: {len(by_score)} scores, but {len(given)} mean ranks")
        ranks, of = doubled_ranks(-given), "mean ranks"
    if (ranks == ranks[0]).all():
        reason = f"all {of} are the same, so that evaluators rank nobody"
        raise NotEstimableError("the projection is", reason)
    return ranks


def _names(scores: Floats, weights: Floats, names: Sequence[str] | None) -> tuple[str, ...]:
    if scores.ndim != 2 or weights.shape != scores.shape[1:]:
        raise HelpersError(
            f"counts: scores of shape {scores.shape} do not go with weights of {weights.shape}"
        )
    _finite("scores", scores)
    given = tuple(names) if names is not None else tuple(map(str, range(1, len(weights) + 1)))
    if len(given) != len(weights):
        raise HelpersError(f"counts: {len(weights)} dimensions, but {len(given)} names")
    return given


def _finite(what: str, values: Floats) -> None:
    if not np.isfinite(values).all():
        raise HelpersError(f"counts: {what} are missing or not finite; leave those analysts out")
