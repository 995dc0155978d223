"""Emphasis and comparisons of means when evaluators or cases count otherwise."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from helpers.choice.rankings import Rankings, codes
from helpers.orders import enumerable, every, some
from helpers.permutation.alike import alike
from helpers.permutation.by_chance import by_chance
from helpers.permutation.counts import benchmark_ranks
from helpers.permutation.emphasis import emphases, measured, value_of
from helpers.permutation.means import correlations, halves
from helpers.permutation.permuted import Rows, by_analyst
from helpers.permutation.ranks import Floats, Ints, doubled_ranks
from helpers.permutation.settings import MEAN_RANK, Settings
from helpers.permutation.shuffle import shuffled_sums
from helpers.ranking import table as ranked
from helpers.ranking_weights import Weighing

LISTED, DRAWN = 720, 300  # permutations in a replicate: all if no more, else so many at random
FAR = 200  # rankings as far off that are drawn in a replicate, if there are more
AT_ONCE = 100  # replicates


@dataclass(frozen=True)
class Judgements:
    """Scores and ranks of some analysts.

    Attributes
    ----------
    scores : ndarray
        Shape (evaluators, cases, analysts, dimensions); nan where there is none.
    ranks : ndarray
        Shape (evaluators, cases, analysts), among all analysts that were ranked.
    evaluator, case : ndarray of int
        Of each ranking.
    """

    scores: Floats
    ranks: Floats
    evaluator: Ints
    case: Ints

    @classmethod
    def of(cls, rankings: Rankings, analysts: tuple[str, ...]) -> "Judgements":
        """Lay out rankings; rows of other analysts are left out."""
        evaluators, cases = (
            list(dict.fromkeys(own.tolist())) for own in (rankings.evaluator, rankings.case)
        )
        evaluator, case = codes(rankings.evaluator, evaluators), codes(rankings.case, cases)
        rank = np.concatenate(
            [stats.rankdata(own) for own in np.split(rankings.rank, rankings.start[1:])]
        )
        used = np.flatnonzero(np.isin(rankings.item, analysts))
        analyst = codes(rankings.item[used], analysts)
        place = evaluator[rankings.ranking[used]], case[rankings.ranking[used]], analyst
        shape = len(evaluators), len(cases), len(analysts)
        scores = np.full((*shape, len(rankings.dimensions)), np.nan)
        ranks = np.full(shape, np.nan)
        scores[place], ranks[place] = rankings.scores[used], rank[used]
        return cls(scores, ranks, evaluator, case)

    @cached_property
    def given(self) -> NDArray[np.bool_]:
        """Shape (evaluators, cases, analysts): what was judged."""
        return np.isfinite(self.ranks)

    @cached_property
    def rows(self) -> Rows:
        """Row by row, an evaluator's of a case together."""
        evaluator, case, analyst = np.nonzero(self.given)
        often = self.given.sum(axis=0)
        cases = (often > 0).sum(axis=0)
        judgement = evaluator * self.given.shape[1] + case
        start = np.unique(judgement, return_index=True)[1].astype(np.int64)
        factor = 1 / (often[case, analyst] * cases[analyst])
        return Rows(self.scores[self.given], start, analyst.astype(np.int64), factor)

    @cached_property
    def mean_ranks(self) -> Floats:
        """Shape (analysts,)."""
        evaluators, cases, _ = self.ranks.shape
        return np.asarray(
            ranked.means(self.ranks, np.ones((1, evaluators)), np.ones((1, cases)))[0]
        )

    def means(self, values: Floats, counts: Floats) -> Floats:
        """Means when rankings count otherwise, each case that counts the same.

        Parameters
        ----------
        values : ndarray
            Shape (evaluators, cases, …).
        counts : ndarray
            Shape (replicates, rankings); of an evaluator's rankings all the same, or none.

        Returns
        -------
        ndarray
            Shape (replicates, …).
        """
        often = np.zeros((len(counts), *self.ranks.shape[:2]))
        often[:, self.evaluator, self.case] = counts
        flat = values.reshape(*values.shape[:2], -1)
        cases = (often > 0).any(axis=1).astype(float)
        found = ranked.means(flat, often.max(axis=2, initial=0), cases)
        return np.asarray(found.reshape(len(counts), *values.shape[2:]))


@dataclass(frozen=True)
class Replicates:
    """The statistic that `choice.resampled` resamples.

    Attributes
    ----------
    weighing : Weighing
        Weights in replicates.
    judgements : Judgements
        Of the analysts that have an accuracy.
    accuracies : ndarray
        Shape (analysts,).
    declared : ndarray of bool
        Shape (dimensions,).
    settings : Settings
        How to permute.
    seed : int
        Where chance begins.
    """

    weighing: Weighing
    judgements: Judgements
    accuracies: Floats
    declared: NDArray[np.bool_]
    settings: Settings
    seed: int

    @staticmethod
    def parts(dimensions: int) -> dict[str, slice]:
        """Where to find what among the quantities."""
        names = ("emphasis along", "emphasis count", "weight", "halves", "correlation", "apart")
        found = {"along": slice(0, 1), "count": slice(1, 2)}
        for number, name in enumerate(names):
            found[name] = slice(2 + number * dimensions, 2 + (number + 1) * dimensions)
        return found

    def __call__(self, counts: Floats) -> Floats:
        """Quantities in the order of `parts`, shape (replicates, quantities); nan without any."""
        size = len(self.declared)
        shares = self.weighing(counts)[:, size:]
        found = np.full((len(counts), 2 + 6 * size), np.nan)
        for first in range(0, len(counts), AT_ONCE):
            own = slice(first, first + AT_ONCE)
            scores = self.judgements.means(self.judgements.scores, counts[own])
            ranks = self.judgements.means(self.judgements.ranks, counts[own])
            permuted = self._permuted(counts[own])
            for number in range(len(scores)):
                given = shares[first + number], scores[number], ranks[number]
                if all(np.isfinite(one).all() for one in given):
                    rows = None if permuted is None else permuted[number]
                    found[first + number] = self._quantities(*given, rows)
        return found

    @cached_property
    def benchmark(self) -> Ints:
        """Doubled ranks by accuracy."""
        return benchmark_ranks(self.accuracies)

    @cached_property
    def orders(self) -> Ints:
        """Permutations of the analysts."""
        items = len(self.accuracies)
        return every(items) if enumerable(items, LISTED) else some(items, DRAWN, self.seed)

    @cached_property
    def shuffled(self) -> Floats:
        """Scores within judgements, shuffled: (evaluators, cases, analysts, dimensions, draws)."""
        own, rows = self.judgements, self.judgements.rows
        size = len(rows.analyst)
        scores = np.full((*own.scores.shape, DRAWN), np.nan)
        for number, values in enumerate(rows.scores.T):
            drawn = shuffled_sums(
                values, rows.start, np.arange(size), np.ones(size), DRAWN, self.seed + number
            )
            scores[..., number, :][own.given] = drawn.T
        return scores

    def _permuted(self, counts: Floats) -> Floats | None:
        """Means of shuffled scores, (replicates, analysts, dimensions, draws); none of means."""
        if self.settings.level != "row":
            return None
        return self.judgements.means(self.shuffled, counts)

    def _quantities(
        self, shares: Floats, scores: Floats, ranks: Floats, permuted: Floats | None
    ) -> Floats:
        by_score = doubled_ranks(scores @ shares)
        evaluators = doubled_ranks(-ranks) if self.settings.perceived == MEAN_RANK else by_score
        rankings = (
            by_analyst(scores, shares, self.orders)
            if permuted is None
            else _from_rows(scores, shares, permuted)
        )
        return np.concatenate(
            [
                *self._emphases(evaluators, rankings),
                shares,
                halves(scores, self.accuracies),
                correlations(scores, self.accuracies),
                correlations(scores, self.accuracies) - correlations(scores, scores @ shares),
            ]
        )

    def _emphases(self, evaluators: Ints, rankings: Ints) -> list[Floats]:
        """Values by both measures, then emphases by both."""
        if (evaluators == evaluators[0]).all():
            return [np.full(2 + 2 * len(self.declared), np.nan)]
        if (evaluators == self.benchmark).all():  # no other ranking is as near: nothing stands out
            return [np.zeros(2 + 2 * len(self.declared))]
        setting = self.settings
        others = alike(evaluators, self.benchmark, self.seed, FAR).rankings
        bench = np.vstack([self.benchmark[None, :], others])
        found = by_chance(evaluators, bench, rankings, setting.epsilon, setting.bound)
        both = [measured(found, "along"), measured(found, "count")]
        own = [emphases(one[0], one[1:]) for one in both]
        values = np.array([float(value_of(one, self.declared)) for one in own])
        return [values, *own]


def _from_rows(scores: Floats, shares: Floats, permuted: Floats) -> Ints:
    """Doubled ranks, (dimensions, draws, analysts), by sums with one dimension's means replaced."""
    parts = scores * shares
    rest = parts.sum(axis=1)[:, None] - parts
    new = np.moveaxis(permuted, 0, -1) * shares[:, None, None]
    return doubled_ranks(rest.T[:, None, :] + new)
