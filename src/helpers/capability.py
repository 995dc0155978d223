"""The Perceived Capability Score: the dimension scores of an answer, weighted as rankings do.

Weights come from a regression of rankings on scores and are divided by their sum, so that they
add up to one and the score stays on the scale of the dimensions: higher is better, whatever the
direction of ranks. The score of an analyst is the mean over cases of its mean there, so that each
case counts the same, however many evaluators it had. Where evaluators rate all analysts of a case,
analysts are compared on the same cases by the same people; where they do not, scores of analysts
differ by their cases too.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from helpers.choice.fit import Fit
from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings, codes
from helpers.choice.resampled import resampled
from helpers.ranking_weights import Weighing, normalised, weight_table


@dataclass(frozen=True)
class Capability:
    """Perceived Capability Scores.

    Attributes
    ----------
    weights : DataFrame
        As `ranking_weights.weights` gives them; `share_weight` makes the score.
    scores : DataFrame
        By `analyst`: `score`, `low`, `high` (resampling evaluators), `case_low`, `case_high`
        (leaving out one case each) and number of `ratings`.
    by_case : DataFrame
        By `case` and `analyst`: `score`, `low`, `high`, `ratings`.
    draws : ndarray
        Shape (resamples, analysts), scores in resamples of evaluators, in the order of `scores`;
        to carry their uncertainty further. A resample without any rating of a case is scored on the
        other cases.
    without : ndarray
        Shape (cases, analysts), scores without each case in turn.
    changed_sign : float or None
        Share of resamples in which weights have different signs. They are kept, with weights
        divided by their sum all the same: leaving them out would narrow intervals.
    notes : tuple of str
        What could not be estimated, and why.
    """

    weights: pl.DataFrame
    scores: pl.DataFrame
    by_case: pl.DataFrame
    draws: Floats
    without: Floats
    changed_sign: float | None
    notes: tuple[str, ...]


def score(scores: ArrayLike, weights: ArrayLike) -> Floats:
    """Score answers: the sum of their dimension scores times normalised weights.

    Parameters
    ----------
    scores : array_like
        Shape (answers, dimensions).
    weights : array_like
        Shape (dimensions,), positive where higher scores are better.

    Returns
    -------
    ndarray
        Shape (answers,), on the scale of the dimensions.

    Raises
    ------
    NotEstimableError
        As for `ranking_weights.normalised`.
    """
    return np.asarray(scores, dtype=float) @ normalised(weights)


def perceived_capability(
    fit: Fit, rankings: Rankings, resamples: int = 2000, seed: int = 1, level: float = 0.95
) -> Capability:
    """Score analysts by the weights of a fit.

    Weights and scores are resampled together, so that intervals hold the uncertainty of both.

    Parameters
    ----------
    fit : Fit
        A regression on these rankings.
    rankings : Rankings
        What it was fitted to; its ratings are those that are scored.
    resamples, seed, level
        Of the bootstrap over evaluators; the jackknife over cases has the same level.

    Returns
    -------
    Capability
        Scores with intervals.

    Raises
    ------
    NotEstimableError
        If weights cannot be normalised.
    """
    dimensions, analysts = rankings.dimensions, rankings.items
    normalised(fit.estimate[: len(dimensions)], dimensions)
    found = resampled(_Scoring(fit, rankings), rankings, resamples, seed, level)
    own = slice(2 * len(dimensions), 2 * len(dimensions) + len(analysts))
    cases = _cases(rankings)
    ratings = np.zeros((len(cases), len(analysts)), dtype=int)
    np.add.at(ratings, (codes(rankings.case, cases)[rankings.ranking], rankings.code), 1)
    drawn = found.draws[:, : len(dimensions)]
    signs = drawn[np.isfinite(drawn).all(axis=1)] > 0
    return Capability(
        weights=weight_table(dimensions, found, fit.reasons),
        scores=found.table(own, "score").select(
            pl.Series("analyst", analysts), pl.all(), pl.Series("ratings", ratings.sum(axis=0))
        ),
        by_case=found.table(slice(own.stop, None), "score")
        .select(
            pl.Series("case", np.repeat(cases, len(analysts))),
            pl.Series("analyst", np.tile(analysts, len(cases))),
            "score",
            "low",
            "high",
            pl.Series("ratings", ratings.ravel()),
        )
        .filter(pl.col("ratings") > 0),
        draws=found.draws[:, own],
        without=found.without[:, own],
        changed_sign=float((signs != signs[:, :1]).any(axis=1).mean()) if len(signs) else None,
        notes=found.notes,
    )


def scores_by(rankings: Rankings, shares: ArrayLike) -> Floats:
    """Scores of analysts by other weights than those of a fit.

    Parameters
    ----------
    rankings : Rankings
        Whose ratings are scored.
    shares : array_like
        Shape (weightings, dimensions), weights that add up to one.

    Returns
    -------
    ndarray
        Shape (weightings, analysts), in the order of `rankings.items`.
    """
    cases = _cases(rankings)
    where = codes(rankings.case, cases)[rankings.ranking], rankings.code
    sums = np.zeros((len(cases), len(rankings.items), len(rankings.dimensions)))
    ratings = np.zeros(sums.shape[:2])
    np.add.at(sums, where, rankings.scores)
    np.add.at(ratings, where, 1)
    there = ratings > 0
    means = np.where(there[:, :, None], sums / np.maximum(ratings, 1)[:, :, None], 0).sum(axis=0)
    return np.asarray(np.asarray(shares, dtype=float) @ (means / there.sum(axis=0)[:, None]).T)


class _Scoring(Weighing):
    """`Weighing`, followed by scores by analyst and scores by case and analyst."""

    def __call__(self, counts: Floats) -> Floats:
        rankings = self.rankings
        weighed = super().__call__(counts)
        share = weighed[:, len(rankings.dimensions) :, None]
        where = rankings.ranking, rankings.code
        rated = np.zeros((len(rankings), len(rankings.items)))
        rated[where] = 1
        scores = np.zeros((*rated.shape, len(rankings.dimensions)))
        scores[where] = rankings.scores
        sums, numbers = [], []
        for case in _cases(rankings):
            own = rankings.case == case
            sums.append((np.tensordot(counts[:, own], scores[own], 1) @ share)[:, :, 0])
            numbers.append(counts[:, own] @ rated[own])
        with np.errstate(invalid="ignore"):  # a resample may hold no rating of an analyst
            by_case = np.array(sums) / np.array(numbers)
            there = np.array(numbers) > 0
            of_all = np.where(there, by_case, 0).sum(axis=0) / there.sum(axis=0)
        return np.hstack([weighed, of_all, *by_case])


def _cases(rankings: Rankings) -> list[str]:
    return list(dict.fromkeys(rankings.case.tolist()))
