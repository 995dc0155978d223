"""Means by dimension and their relation to accuracies: the other methods that the paper names.

Its section 4.1 compares dimension-wise means and normalised weights; it does not say how. Read
here: how far models that do better on the benchmark are ahead of the others on each dimension, and
how closely each dimension goes with accuracies beside how closely it goes with scores.
"""

import numpy as np

from helpers.permutation.ranks import Floats


def halves(scores: Floats, accuracies: Floats) -> Floats:
    """Mean of the models above the median accuracy less that of those below, by dimension.

    Parameters
    ----------
    scores : ndarray
        Shape (analysts, dimensions).
    accuracies : ndarray
        Shape (analysts,), not all the same. Models at the median are left out.

    Returns
    -------
    ndarray
        Shape (dimensions,); nan where no model is on one of the sides.
    """
    above, below = sides(accuracies)
    if not above.any() or not below.any():
        return np.full(scores.shape[1], np.nan)
    return np.asarray(scores[above].mean(axis=0) - scores[below].mean(axis=0))


def sides(accuracies: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Which models are above the median accuracy, and which below."""
    middle = np.median(accuracies)
    return accuracies > middle, accuracies < middle


def correlations(scores: Floats, other: Floats) -> Floats:
    """Pearson's correlation of each dimension with something else; nan where either is constant.

    Parameters
    ----------
    scores : ndarray
        Shape (analysts, dimensions).
    other : ndarray
        Shape (analysts,).
    """
    x, y = scores - scores.mean(axis=0), other - other.mean()
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum())
    tiny = np.ptp(scores, axis=0) <= 1e-12 * np.abs(scores).max(initial=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = (x * y[:, None]).sum(axis=0) / spread
    return np.where(tiny | (np.ptp(other) == 0), np.nan, np.clip(r, -1, 1))
