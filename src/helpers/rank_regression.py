"""Least squares on ranks: the plain regression that ranking models are set against.

Within each ranking, ranks are regressed on scores, both less their means (a fixed effect for each
ranking). It takes the step from rank 1 to 2 for as large as that from 5 to 6. Ties share the mean
of their ranks. Weights are turned so that positive ones go with better ranks, as elsewhere.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helpers.choice.abilities import require_order, require_scores
from helpers.choice.estimable import free_columns
from helpers.choice.fit import Fit, spread_out, told
from helpers.choice.logit import Choices, Floats, Ints, flat
from helpers.choice.rankings import Rankings
from helpers.choice.sets import without_rounding
from helpers.not_estimable import NotEstimableError

MODEL = "least squares on ranks"


@dataclass(frozen=True)
class RankFit(Fit):
    """Weights by least squares; log-likelihoods are those of normal errors.

    Attributes
    ----------
    rankings : Rankings
        What was fitted.
    x, y : ndarray
        Scores of the columns kept, and places won, both centred within rankings.
    kept : ndarray of int
        Place of the columns among `names`.
    """

    rankings: Rankings
    x: Floats
    y: Floats
    kept: Ints

    @cached_property
    def residual(self) -> Floats:
        """Places won beyond those predicted."""
        return self.y - self.x @ self.solution[self.kept]

    @cached_property
    def variance(self) -> float:
        """Residual variance; nan without degrees of freedom."""
        freedom = len(self.y) - len(self.rankings) - len(self.kept)
        return float(self.residual @ self.residual / freedom) if freedom > 0 else np.nan

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the estimate that takes all items for independent."""
        inverse = np.asarray(np.linalg.inv(self.x.T @ self.x))
        return spread_out(self.variance * inverse, self.kept, self.estimate)

    @property
    def loglik(self) -> float:
        """Log-likelihood of normal errors."""
        return _normal_loglik(self.residual)

    @property
    def null_loglik(self) -> float:
        """The same without scores."""
        return _normal_loglik(self.y)

    @property
    def units(self) -> int:
        """Number of rankings."""
        return len(self.rankings)

    def _refit(self, weights: Floats) -> Floats:
        x, start = self.x, self.rankings.start
        by_ranking = np.add.reduceat(x[:, :, None] * x[:, None, :], start)
        cross = np.tensordot(weights, by_ranking, 1)
        product = weights @ np.add.reduceat(x * self.y[:, None], start)
        ordered = np.add.reduceat(np.abs(self.y), start)  # nothing, where a ranking ties all
        found = ~flat(cross, x.T @ x) & (weights @ ordered > 0)
        result = np.zeros((len(weights), len(self.names)))
        solved = np.linalg.solve(cross[found], product[found][:, :, None])[:, :, 0]
        result[np.ix_(found, self.kept)] = solved
        result[~found] = np.nan
        return result

    def scores(self) -> Floats:
        """Gradient of the log-likelihood at the estimate by ranking, shape (rankings, names)."""
        result = np.zeros((len(self.rankings), len(self.names)))
        pull = np.add.reduceat(self.x * self.residual[:, None], self.rankings.start)
        result[:, self.kept] = pull / self.variance
        return result


def regression(rankings: Rankings) -> RankFit:
    """Fit ranks by weighted scores: places won for a point on each dimension.

    Parameters
    ----------
    rankings : Rankings
        Whole rankings with scores.

    Returns
    -------
    RankFit
        A positive weight means that higher scores go with better ranks.

    Raises
    ------
    HelpersError
        If the rankings have no scores.
    NotEstimableError
        If everything is tied, or no dimension differs within rankings.
    """
    require_scores(rankings, MODEL)
    require_order(rankings, MODEL, "weights")
    x, y = _centred(rankings)
    rows = np.arange(len(x))
    centred = Choices(x, rows, rankings.ranking, np.ones(len(x)), len(rankings))
    free = free_columns(centred, rankings.dimensions)
    if not len(free.kept):
        raise NotEstimableError(f"{MODEL} weights are", told(free.reasons))
    x = x[:, free.kept]
    solution = np.zeros(len(rankings.dimensions))
    solution[free.kept] = np.linalg.lstsq(x, y)[0]
    return RankFit(MODEL, rankings.dimensions, solution, free.reasons, rankings, x, y, free.kept)


def _centred(rankings: Rankings) -> tuple[Floats, Floats]:
    """Scores, and places won (the mean rank less the rank), both centred within rankings."""
    mean = np.add.reduceat(rankings.scores, rankings.start) / rankings.sizes[:, None]
    won = np.zeros(len(rankings.item))
    np.add.at(won, rankings.pairs.first, rankings.pairs.order / 2)
    np.add.at(won, rankings.pairs.second, -rankings.pairs.order / 2)
    centred = rankings.scores - mean[rankings.ranking]
    return without_rounding(centred, np.abs(rankings.scores).max(axis=0)), won


def _normal_loglik(residual: Floats) -> float:
    variance = max(float(residual @ residual) / len(residual), np.finfo(float).tiny)
    return float(-len(residual) / 2 * (np.log(2 * np.pi * variance) + 1))
