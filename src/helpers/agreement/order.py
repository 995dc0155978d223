"""Whether ranks follow an order stated beforehand, such as senior < junior < non-specialist.

The main test takes one number from each case, how far its mean ranks follow the order, and asks
whether these numbers lie above 0 when each could as well have had the other sign. Raters of the
same case judge the same texts, so cases are what repeats; raters within a case are not independent
repetitions. Page's L takes each block (a rater's ranking of a case) by itself; it says whether
raters see the order in these texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from helpers import say
from helpers.agreement.estimate import Estimate
from helpers.agreement.tables import Floats, numbers
from helpers.errors import HelpersError

ALL_SIGNS = 16  # numbers up to which every sign pattern is tried


@dataclass(frozen=True, kw_only=True)
class SignFlip(Estimate):
    """A mean tested by flipping signs: `value` is the mean.

    Attributes
    ----------
    p_greater, p_two_sided : float or None
        Probability of a mean as large, or as far from 0 on either side.
    patterns : int
        Sign patterns tried, all 2ⁿ or as many random ones.
    values : tuple of float
        What the mean is of.
    """

    p_greater: float | None = None
    p_two_sided: float | None = None
    patterns: int = 0
    values: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Page:
    """Page's test of an order.

    Attributes
    ----------
    statistic : float or None
        L, the sum over treatments of predicted rank times rank sum.
    p : float or None
        One-sided probability of an L as large; exact for few blocks and treatments.
    used, dropped : int
        Blocks without and with a gap.
    reason : str
        Why there is no test; empty where there is one.
    """

    statistic: float | None = None
    p: float | None = None
    used: int = 0
    dropped: int = 0
    reason: str = ""


def sign_flip(
    values: ArrayLike, confidence: float = 0.95, seed: int = 0, unit: str = "values"
) -> SignFlip:
    """Exact test and interval of a mean of numbers that are symmetric about it.

    If the numbers are symmetric about their mean μ, each number less μ could as well have the
    other sign. So p is the share of the 2ⁿ sign patterns that give a mean as large, and the means
    of all subsets of the numbers, in order, are the limits of exact intervals for μ.

    Parameters
    ----------
    values : array_like
        One number for each independent unit; gaps (nan) are dropped and counted.
    confidence : float
        Confidence level, kept or exceeded.
    seed : int
        Of the random sign patterns that stand in for all of them above 16 numbers.
    unit : str
        What is counted, in the plural.

    Returns
    -------
    SignFlip
        The mean, its interval where there are enough numbers for one, and p-values.

    Notes
    -----
    Fisher (1935), *The Design of Experiments*, section 21; intervals from subset means: Hartigan
    (1969), *Journal of the American Statistical Association* 64, 1303–1317.
    """
    given = np.asarray(values, dtype=float)
    kept = given[~np.isnan(given)]
    n = len(kept)
    result = partial(
        SignFlip,
        confidence=confidence,
        used=n,
        dropped=len(given) - n,
        unit=unit,
        values=tuple(kept.tolist()),
    )
    if n == 0:
        return result(reason=f"no {unit}")
    subsets = _subsets(n, seed)
    patterns = len(subsets) + 1  # and the numbers as they are
    means = np.sort(subsets @ kept / subsets.sum(axis=1))
    near = 1e-9 * np.abs(kept).max()  # equal but for rounding
    # flipping a subset leaves a mean as large if and only if the subset's own mean is at most 0
    p_greater = float((1 + (means <= near).sum()) / patterns)
    p_less = float((1 + (means >= -near).sum()) / patterns)
    ends = int((1 - confidence) / 2 * patterns + 1e-9)
    result = partial(
        result,
        value=float(kept.mean()),
        p_greater=p_greater,
        p_two_sided=min(1.0, 2 * min(p_greater, p_less)),
        patterns=patterns,
    )
    if ends == 0:
        return result(reason=f"too few {unit} for an interval: {n}")
    return result(low=float(means[ends - 1]), high=float(means[-ends]))


def ordered_contrast(
    ranks: ArrayLike, weights: Sequence[float] | None = None, confidence: float = 0.95
) -> SignFlip:
    """Mean over cases of how far mean ranks follow a predicted order, by exact sign flips.

    Parameters
    ----------
    ranks : array_like
        Shape (cases, levels), mean ranks of the levels, columns in the predicted order, lowest
        rank first. Cases with a gap are dropped and counted.
    weights : sequence of float, optional
        One for each level, summing to 0; evenly spaced ones if not given. They are scaled so that
        the contrast is the mean rise in rank from one level to the next.
    confidence : float
        Confidence level.

    Returns
    -------
    SignFlip
        `values` are the cases' contrasts, positive where a case follows the order; `value` is
        their mean.

    Raises
    ------
    HelpersError
        If `ranks` is no table of numbers, or the weights do not fit.
    """
    table = numbers(ranks, "case", "level")
    levels = table.shape[1]
    if levels < 2:
        reason = f"{say.count(levels, 'level')}; at least 2 are needed"
        return SignFlip(reason=reason, confidence=confidence, unit="cases", dropped=len(table))
    steps = np.arange(levels) - (levels - 1) / 2
    w = steps if weights is None else np.asarray(weights, dtype=float)
    if w.shape != (levels,) or abs(w.sum()) > 1e-9 or abs(w @ steps) < 1e-9:
        raise HelpersError(f"{levels} weights that rise and sum to 0 are needed, got {w.tolist()}")
    return sign_flip(table @ (w / (w @ steps)), confidence, unit="cases")


def pages_l(ranks: ArrayLike) -> Page:
    """Page's test that treatments are ranked in a predicted order.

    Parameters
    ----------
    ranks : array_like
        Shape (blocks, treatments), scores or ranks, columns in the predicted order, lowest first.
        Blocks with a gap are dropped and counted.

    Returns
    -------
    Page
        L and its one-sided p; or the reason why there is none. Ties share the mean of their ranks
        and make the large-sample p a little too large.

    Notes
    -----
    Page (1963), *Journal of the American Statistical Association* 58, 216–230.
    """
    table = numbers(ranks, "block", "treatment")
    kept = table[~np.isnan(table).any(axis=1)]
    result = partial(Page, used=len(kept), dropped=len(table) - len(kept))
    if table.shape[1] < 3:
        have = say.count(table.shape[1], "treatment")
        return result(reason=f"{have}; at least 3 are needed")
    if len(kept) < 2:
        have = say.count(len(kept), "complete block")
        return result(reason=f"{have}; at least 2 are needed")
    test = stats.page_trend_test(stats.rankdata(kept, axis=1), ranked=True)
    return result(statistic=float(test.statistic), p=float(test.pvalue))


def _subsets(n: int, seed: int) -> Floats:
    """All subsets of n things but the empty one, or 2¹⁶ − 1 random ones; rows of 0 and 1."""
    if n <= ALL_SIGNS:
        numbers_of_subsets = np.arange(1, 2**n)
        return (numbers_of_subsets[:, None] >> np.arange(n) & 1).astype(float)
    random = np.random.default_rng(seed)
    drawn = random.integers(0, 2, (2**ALL_SIGNS - 1, n)).astype(float)
    return drawn[drawn.any(axis=1)]
