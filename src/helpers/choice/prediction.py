"""Rankings predicted by weighted scores, beside the rankings given.

Two utilities are tied when they differ by no more than rounding does: scores times decimal weights
tie exactly, and floating-point sums of them do not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from helpers.choice.logit import CELLS, Floats
from helpers.choice.rankings import Rankings
from helpers.errors import HelpersError

ROUNDING = 1e-9  # of the sum of what is added up


@dataclass(frozen=True)
class Prediction:
    """Agreement of predictions with rankings; nan where there is no prediction.

    Attributes
    ----------
    tau : ndarray
        Shape (predictions, rankings), Kendall's τ-b, which corrects for ties on either side
        (Kendall 1945, "The treatment of ties in ranking problems"); nan also where all items are
        tied, in the prediction or the ranking.
    whole : ndarray
        Shape (predictions, rankings), 1 where all items are ordered and tied as in the ranking.
    hits : ndarray
        Shape (predictions, rankings), number of pairs ordered as in the ranking; pairs predicted
        to tie count ½, and pairs that the ranking ties do not count.
    pairs : ndarray
        Shape (rankings,), number of pairs that count.
    exact : ndarray of bool
        Shape (predictions, rows), whether the predicted rank is the rank; ties share the mean of
        their ranks. False where there is no prediction.
    """

    tau: Floats
    whole: Floats
    hits: Floats
    pairs: Floats
    exact: NDArray[np.bool_]


def predict(rankings: Rankings, coefficients: Floats) -> Prediction:
    """Compare rankings with those of weighted scores.

    Parameters
    ----------
    rankings : Rankings
        With scores.
    coefficients : ndarray
        Shape (predictions, dimensions); rows of nan give no prediction.

    Returns
    -------
    Prediction
        Each row of coefficients applied to all rankings.
    """
    if not rankings.dimensions:
        raise HelpersError("predictions need rankings with scores; name their dimensions")
    at_once = max(1, CELLS // len(rankings.pairs.order))
    parts = [
        _predict(rankings, coefficients[i : i + at_once])
        for i in range(0, len(coefficients), at_once)
    ]
    tau, whole, hits, exact = (np.concatenate(part) for part in zip(*parts, strict=True))
    unknown = np.isnan(coefficients).any(axis=1)
    for values in (tau, whole, hits):
        values[unknown] = np.nan
    exact[unknown] = False
    decided = rankings.pairs.order != 0
    pairs = np.bincount(rankings.pairs.ranking, decided, len(rankings)).astype(float)
    return Prediction(tau, whole, hits, pairs, exact)


def predicted_order(rankings: Rankings, coefficients: Floats) -> NDArray[np.int8]:
    """Sign of the difference of weighted scores of all pairs, 0 for a tie.

    Returns
    -------
    ndarray of int
        Shape (predictions, pairs).
    """
    difference = rankings.scores[rankings.pairs.first] - rankings.scores[rankings.pairs.second]
    margin = coefficients @ difference.T
    size = np.abs(coefficients) @ np.abs(difference.T)
    return np.where(np.abs(margin) <= ROUNDING * size, 0, np.sign(margin)).astype(np.int8)


def mean_ranks(rankings: Rankings) -> Floats:
    """Ranks from 1 within each ranking, ties sharing the mean of theirs."""
    won = rankings.pairs.order @ _to_rows(rankings)
    return np.asarray((rankings.sizes[rankings.ranking] + 1) / 2 - won)


def _predict(
    rankings: Rankings, coefficients: Floats
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    order = rankings.pairs.order.astype(np.int8)
    predicted = predicted_order(rankings, np.nan_to_num(coefficients))
    start = np.searchsorted(rankings.pairs.ranking, np.arange(len(rankings)))

    def total(values: NDArray[np.generic]) -> Floats:
        return np.add.reduceat(values, start, axis=-1, dtype=np.int64).astype(float)

    concordance, decided, given = total(predicted * order), total(predicted**2), total(order**2)
    most = np.sqrt(decided * given)
    tau = np.where(most > 0, concordance / np.maximum(most, 1), np.nan)
    whole = (total(predicted != order) == 0).astype(float)
    # Each pair moves its items by half a rank up or down.
    moved = (predicted - order).astype(float) @ _to_rows(rankings)
    return tau, whole, (concordance + given) / 2, np.abs(moved) < 0.25


def _to_rows(rankings: Rankings) -> csr_array:
    """Matrix of pairs × rows, ½ for the first of each pair and −½ for its second."""
    first, second, _, order = rankings.pairs
    count = len(order)
    half = np.repeat([0.5, -0.5], count)
    at = np.tile(np.arange(count), 2), np.concatenate([first, second])
    return csr_array((half, at), shape=(count, len(rankings.item)))
