"""Least squares on ranks: the plain regression that ranking models are set against.

Within each ranking, ranks are regressed on scores, both less their means (a fixed effect for each
ranking). It takes the step from rank 1 to 2 for as large as that from 5 to 6. Ties share the mean
of their ranks. Weights are turned so that positive ones go with better ranks, as elsewhere.
"""

import numpy as np

from helpers.choice.abilities import require_order
from helpers.choice.estimable import free_columns
from helpers.choice.fit import Fit
from helpers.choice.logit import FLAT, Choices, Floats
from helpers.choice.rankings import Rankings
from helpers.not_estimable import NotEstimableError

MODEL = "least squares on ranks"


def regression(rankings: Rankings) -> Fit:
    """Fit ranks by weighted scores: places won for a point on each dimension.

    Parameters
    ----------
    rankings : Rankings
        Whole rankings with scores.

    Returns
    -------
    Fit
        Log-likelihoods are those of normal errors.

    Raises
    ------
    NotEstimableError
        If everything is tied, or no dimension differs within rankings.
    """
    require_order(rankings, MODEL, "weights")
    x, y = _centred(rankings)
    free = free_columns(
        Choices(x, np.arange(len(x)), rankings.ranking, np.ones(len(x)), len(rankings)),
        rankings.dimensions,
    )
    if not len(free.kept):
        told = "; ".join(f"'{name}' {reason}" for name, reason in free.reasons.items())
        raise NotEstimableError(f"{MODEL} weights are", told)
    x = x[:, free.kept]
    cross = np.add.reduceat(x[:, :, None] * x[:, None, :], rankings.start)
    product = np.add.reduceat(x * y[:, None], rankings.start)
    total = cross.sum(axis=0)
    kept = np.linalg.solve(total, product.sum(axis=0))
    residual = y - x @ kept
    freedom = len(y) - len(rankings) - len(kept)
    names = rankings.dimensions
    own = np.array([name not in free.reasons for name in names])
    solution = np.zeros(len(names))
    solution[free.kept] = kept
    covariance = np.full((len(names), len(names)), np.nan)
    if freedom > 0:
        inside = np.ix_(own[free.kept], own[free.kept])
        variance = residual @ residual / freedom
        covariance[np.ix_(own, own)] = (variance * np.linalg.inv(total))[inside]

    def refit(weights: Floats) -> Floats:
        left = np.tensordot(weights, cross, 1)
        rows = np.maximum(weights @ rankings.sizes, 1)[:, None]
        size = np.sqrt(np.einsum("jj->j", total) / len(x))
        found = np.linalg.eigvalsh(left / rows[:, :, None] / np.outer(size, size))[:, 0] > FLAT
        result = np.full((len(weights), len(names)), np.nan)
        solved = np.linalg.solve(left[found], (weights @ product)[found][:, :, None])[:, :, 0]
        result[found] = 0
        result[np.ix_(found, free.kept)] = solved
        return result

    def scores() -> Floats:
        result = np.zeros((len(rankings), len(names)))
        pull = np.add.reduceat(x * residual[:, None], rankings.start)
        result[:, free.kept] = pull * freedom / (residual @ residual)
        return result

    return Fit(
        model=MODEL,
        names=names,
        estimate=np.where(own, solution, np.nan),
        covariance=covariance,
        solution=solution,
        loglik=_normal_loglik(residual),
        null_loglik=_normal_loglik(y),
        units=len(rankings),
        reasons=free.reasons,
        refit=refit,
        scores=scores,
    )


def _centred(rankings: Rankings) -> tuple[Floats, Floats]:
    """Scores, and places won (the mean rank less the rank), both centred within rankings."""
    total = np.add.reduceat(rankings.scores, rankings.start)
    mean = total / rankings.sizes[:, None]
    won = np.zeros(len(rankings.item))
    np.add.at(won, rankings.pairs.first, rankings.pairs.order / 2)
    np.add.at(won, rankings.pairs.second, -rankings.pairs.order / 2)
    return rankings.scores - mean[rankings.ranking], won


def _normal_loglik(residual: Floats) -> float:
    variance = max(float(residual @ residual) / len(residual), np.finfo(float).tiny)
    return float(-len(residual) / 2 * (np.log(2 * np.pi * variance) + 1))
