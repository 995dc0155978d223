"""How far two raters order items alike, on average over all pairs of distinct raters."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from helpers.agreement.tables import Floats


@dataclass(frozen=True)
class RankAgreement:
    """Mean covariance of two raters' ranks over the mean variance of one.

    Attributes
    ----------
    mean : float
        r̄ over all pairs; nan if no rater tells any two items apart.
    without : numpy.ndarray
        Shape (raters,), r̄ of the other raters when one is left out; nan where there is none.
    """

    mean: float
    without: Floats


def rank_agreement(table: Floats, ties: bool = True) -> RankAgreement:
    """Mean rank correlation r̄ of a complete raters × items table.

    Parameters
    ----------
    table : numpy.ndarray
        Shape (raters, items), at least 2 × 2, without gaps.
    ties : bool
        Whether a rater's variance is that of the ranks as they are; otherwise it is that of
        n different ranks, (n³ − n)/12 for each.
    """
    m, n = table.shape
    ranks = stats.rankdata(table, axis=1) - (n + 1) / 2
    products = ranks @ ranks.T
    own = np.diag(products)
    squares = own if ties else np.full(m, (n**3 - n) / 12)
    total, all_squares = products.sum(), squares.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (total / all_squares - 1) / (m - 1)
        rest = total - 2 * products.sum(axis=1) + own
        without = (rest / (all_squares - squares) - 1) / (m - 2)
    return RankAgreement(float(mean), np.where(np.isfinite(without), without, np.nan))
