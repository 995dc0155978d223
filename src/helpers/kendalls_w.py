"""Kendall's coefficient of concordance W, with Friedman's test of no agreement at all.

Each of m raters orders the same n items. With R_j the sum of the ranks of item j,

    W = 12 Σ_j (R_j − m(n + 1)/2)² / (m²(n³ − n) − m Σ_i T_i),   T_i = Σ (t³ − t),

where t runs over the sizes of the groups of items that rater i left tied. W is 1 when all raters
give the same order and 0 when every item has the same rank sum; m(n − 1)W is Friedman's χ² with
n − 1 degrees of freedom (Kendall & Gibbons, *Rank Correlation Methods*, 5th ed., chapter 6).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from helpers.errors import HelpersError


@dataclass(frozen=True)
class Concordance:
    """Agreement of raters on the order of items.

    Attributes
    ----------
    w : float
        Kendall's W, between 0 and 1.
    chi2 : float
        Friedman's χ² = `raters` · `df` · `w`.
    df : int
        Its degrees of freedom, the number of items less one.
    p : float
        Probability of a χ² as large under random orders (large-sample approximation).
    raters : int
        Number of raters.
    """

    w: float
    chi2: float
    df: int
    p: float
    raters: int

    @property
    def mean_correlation(self) -> float:
        """Mean of Spearman's correlation over all pairs of raters, (m W − 1)/(m − 1)."""
        return (self.raters * self.w - 1) / (self.raters - 1)


def kendalls_w(ratings: ArrayLike, ties: bool = True) -> Concordance:
    """Kendall's W of a raters × items table of scores or ranks.

    Parameters
    ----------
    ratings : array_like
        Shape (raters, items), at least 2 × 2, every cell a finite number. Only their order within
        a row counts; equal numbers share the mean of their ranks.
    ties : bool
        Whether to correct for ties, as Friedman's test does. Without the correction W cannot
        reach 1 where raters leave ties.

    Returns
    -------
    Concordance
        W, χ², degrees of freedom and p-value.

    Raises
    ------
    HelpersError
        If the table is too small, has a gap, or no rater tells any two items apart.
    """
    table = np.asarray(ratings, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        shape = " × ".join(map(str, table.shape))
        raise HelpersError(f"Kendall's W needs at least 2 raters × 2 items, got {shape}")
    if not np.isfinite(table).all():
        rater, item = np.argwhere(~np.isfinite(table))[0] + 1
        raise HelpersError(
            f"Kendall's W needs complete ratings; rater {rater} has none for item {item}: "
            "leave that rater or that item out"
        )
    m, n = table.shape
    ranks = stats.rankdata(table, axis=1)
    spread = float(((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2).sum())
    most = m**2 * (n**3 - n) - (m * _tie_term(table) if ties else 0)
    if most == 0:
        raise HelpersError("Kendall's W is not defined: every rater holds all items equal")
    w = 12 * spread / most
    chi2 = m * (n - 1) * w
    return Concordance(w, chi2, n - 1, float(stats.chi2.sf(chi2, n - 1)), m)


def _tie_term(table: np.ndarray) -> int:
    """Sum of t³ − t over the sizes t of the groups of equal numbers within rows."""
    sizes = [np.unique(row, return_counts=True)[1] for row in table]
    return int(sum((size**3 - size).sum() for size in sizes))
