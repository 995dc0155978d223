"""Kendall's coefficient of concordance W, with Friedman's test of no agreement at all.

Each of m raters orders the same n items. With R_j the sum of the ranks of item j,

    W = 12 Σ_j (R_j − m(n + 1)/2)² / (m²(n³ − n) − m Σ_i T_i),   T_i = Σ (t³ − t),

where t runs over the sizes of the groups of items that rater i left tied. W is 1 when all raters
give the same order and 0 when every item has the same rank sum; m(n − 1)W is Friedman's χ² with
n − 1 degrees of freedom (Kendall & Gibbons 1990, *Rank Correlation Methods*, 5th ed., chapter 6).

W = (1 + (m − 1) r̄)/m, where r̄ is the mean covariance of two raters' ranks over the mean variance
of one (without ties: the mean of Spearman's correlation over all pairs). Only r̄ is free of the
number of raters: W of raters without any agreement is 1/m on average. So the interval leaves out
one rater at a time, takes r̄ of the others, and gives the W that m raters of such agreement have.
In simulations with nine items and 3 to 20 raters it covered 91 to 99 % at the 95 % level, less
(82 %) only where one rater in four ranks at random, the others agree well and the raters are six.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from helpers import say
from helpers.agreement.estimate import Estimate
from helpers.agreement.jackknife import SHARE, limits
from helpers.agreement.rank_agreement import rank_agreement
from helpers.agreement.tables import Floats, numbers


@dataclass(frozen=True, kw_only=True)
class Concordance(Estimate):
    """Agreement of raters on the order of items: `value` is W.

    Attributes
    ----------
    chi2 : float or None
        Friedman's χ² = `used` · `df` · W.
    df : int or None
        Its degrees of freedom, the number of items less one.
    p : float or None
        Probability of a χ² as large under random orders (large-sample approximation).
    mean_correlation : float or None
        r̄ of the module's text, for two raters picked at random.
    kept : tuple of int
        Rows of the table that were used, counted from 0.
    without : tuple of float or None
        W of the other raters when each of the `kept` is left out; None where there is none.
    """

    chi2: float | None = None
    df: int | None = None
    p: float | None = None
    mean_correlation: float | None = None
    kept: tuple[int, ...] = ()
    without: tuple[float | None, ...] = ()


def kendalls_w(ratings: ArrayLike, ties: bool = True, confidence: float = 0.95) -> Concordance:
    """Kendall's W of a raters × items table of scores or ranks.

    An item that nobody rated is left out; then every rater with a gap is left out and counted as
    dropped, since W compares whole orders.

    Parameters
    ----------
    ratings : array_like
        Shape (raters, items), a gap is nan. Only their order within a row counts; equal numbers
        share the mean of their ranks.
    ties : bool
        Whether to correct for ties, as Friedman's test does. Without the correction W cannot
        reach 1 where raters leave ties.
    confidence : float
        Confidence level of the interval (delete-one jackknife over raters, on the logit of W).

    Returns
    -------
    Concordance
        W with its interval, χ², degrees of freedom and p; or the reason why there is none.

    Raises
    ------
    HelpersError
        If `ratings` is no table of numbers.
    """
    return _concordance(ratings, ties, confidence, "rater", "item")


def friedman(scores: ArrayLike, confidence: float = 0.95) -> Concordance:
    """Friedman's test that no treatment is ranked above another, with Kendall's W.

    Parameters
    ----------
    scores : array_like
        Shape (blocks, treatments), a gap is nan. Blocks with a gap are dropped and counted;
        `kept` names the rows used.
    confidence : float
        Confidence level of W's interval.

    Returns
    -------
    Concordance
        χ² corrected for ties, its degrees of freedom and p; `value` is W.

    Raises
    ------
    HelpersError
        If `scores` is no table of numbers.

    Notes
    -----
    Friedman (1937), *Journal of the American Statistical Association* 32, 675–701.
    """
    return _concordance(scores, True, confidence, "block", "treatment")


def _concordance(
    ratings: ArrayLike, ties: bool, confidence: float, rater: str, item: str
) -> Concordance:
    table = numbers(ratings, rater, item)
    table = table[:, ~np.isnan(table).all(axis=0)]
    complete = ~np.isnan(table).any(axis=1) & (table.shape[1] > 0)
    m, n = int(complete.sum()), table.shape[1]
    result = partial(
        Concordance,
        confidence=confidence,
        used=m,
        dropped=len(table) - m,
        unit=f"{rater}s",
        kept=tuple(np.flatnonzero(complete).tolist()),
    )
    if m < 2:
        return result(reason=f"{say.count(m, f'complete {rater}')}; at least 2 are needed")
    if n < 2:
        return result(reason=f"{say.count(n, item)}; at least 2 are needed")
    agreement = rank_agreement(table[complete], ties)
    if np.isnan(agreement.mean):
        return result(reason=f"every {rater} holds all {item}s equal")
    w = max(0.0, float(_w(m, agreement.mean)))  # not a hair below it by rounding
    low, high, reason = limits(w, _w(m, agreement.without), SHARE, confidence, rater)
    chi2 = m * (n - 1) * w
    return result(
        value=w,
        low=low,
        high=high,
        reason=reason,
        chi2=chi2,
        df=n - 1,
        p=float(stats.chi2.sf(chi2, n - 1)),
        mean_correlation=agreement.mean,
        without=tuple(None if np.isnan(x) else x for x in _w(m - 1, agreement.without).tolist()),
    )


def _w(m: int, agreement: ArrayLike) -> Floats:
    """W that m raters of a mean agreement r̄ have."""
    return np.asarray((1 + (m - 1) * np.asarray(agreement)) / m)
