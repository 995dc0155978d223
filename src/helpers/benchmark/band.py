"""Curves in resamples of evaluators: how far the uncertainty of scores moves them.

The models stay the same in every resample, so that bands are for these models. They do not say
what other models would have shown.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from helpers import resample
from helpers.benchmark.fit import Fit
from helpers.not_estimable import NotEstimableError

Floats = NDArray[np.float64]


def curves(
    make: Callable[[Floats, Floats], Fit],
    draws: Floats,
    accuracies: Floats,
    at: Floats,
    outcome: str,
) -> Floats:
    """Fit a curve to every resample of scores.

    Parameters
    ----------
    make : callable
        From x and y to a curve.
    draws : ndarray
        Shape (resamples, models): scores; nan where a resample has none.
    accuracies : ndarray
        Shape (models,).
    at : ndarray
        Shape (places,), on the axis across.
    outcome : str
        "accuracy" or "score": which of the two is upwards.

    Returns
    -------
    ndarray
        Shape (resamples, places); nan where a curve has no value, or there is none.
    """
    found = np.full((len(draws), len(at)), np.nan)
    for row, scores in enumerate(draws):
        if np.isfinite(scores).all():
            sides = (accuracies, scores) if outcome == "score" else (scores, accuracies)
            try:
                found[row] = make(*sides).predict(at)
            except NotEstimableError:
                continue
    return found


def band(
    make: Callable[[Floats, Floats], Fit],
    draws: Floats,
    accuracies: Floats,
    at: Floats,
    outcome: str,
    confidence: float = 0.95,
) -> tuple[Floats, Floats]:
    """Ends between which the curve lies, place by place; see `curves`.

    Returns
    -------
    tuple of ndarray
        Shape (places,) each; nan where more than a tenth of the resamples have no value, or there
        are no resamples.
    """
    if not len(draws):
        nothing = np.full(len(at), np.nan)
        return nothing, nothing
    ends = resample.percentile(curves(make, draws, accuracies, at, outcome), confidence)
    return ends.low, ends.high
