"""Intraclass correlation: the share of the ratings' variance that lies between items.

| form | raters | what counts as disagreement | McGraw & Wong |
|---|---|---|---|
| ICC(1,1) | others for each item | everything | ICC(1) |
| ICC(2,1) | a sample of many | also a rater's constant leniency | ICC(A,1) |
| ICC(3,1) | the only ones of interest | only what is not a rater's leniency | ICC(C,1) |

ICC(·,k) is the same for the mean of k ratings of an item, k ρ/(1 + (k − 1)ρ) (Spearman & Brown).

Complete tables are estimated from the mean squares of items, raters and residual, with intervals
from the F distribution; for ICC(2,1) with Satterthwaite's degrees of freedom (Shrout & Fleiss 1979,
*Psychological Bulletin* 86, 420–428; McGraw & Wong 1996, *Psychological Methods* 1, 30–46). Tables
with gaps are estimated by restricted maximum likelihood, which uses every rating; the two agree
where the table is complete and no variance is estimated below zero.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from helpers import say
from helpers.agreement.estimate import Estimate
from helpers.agreement.jackknife import Limits
from helpers.agreement.tables import Floats, numbers
from helpers.agreement.two_way import Raters, nothing_left, variance_share
from helpers.errors import HelpersError, did_you_mean

Method = Literal["auto", "anova", "reml"]
RATERS: dict[str, Raters] = {"1": "none", "2": "random", "3": "fixed"}
ALIASES = {  # by McGraw & Wong
    "ICC(1)": "ICC(1,1)",
    "ICC(A,1)": "ICC(2,1)",
    "ICC(C,1)": "ICC(3,1)",
    "ICC(k)": "ICC(1,k)",
    "ICC(A,k)": "ICC(2,k)",
    "ICC(C,k)": "ICC(3,k)",
}
FORMS = tuple(ALIASES.values())


@dataclass(frozen=True, kw_only=True)
class Icc(Estimate):
    """An intraclass correlation; `used` and `dropped` count ratings.

    Attributes
    ----------
    form : str
        "ICC(1,1)", "ICC(2,1)", "ICC(3,1)" or the same with k.
    method : str
        "anova" or "reml".
    items, raters : int
        How many of each are in the ratings used.
    k : float
        Number of ratings in the mean that a form with k speaks of; 1 for the others.
    """

    form: str
    method: str
    items: int
    raters: int
    k: float


def icc(
    ratings: ArrayLike,
    form: str = "ICC(2,1)",
    method: Method = "auto",
    k: float | None = None,
    confidence: float = 0.95,
) -> Icc:
    """Intraclass correlation of a raters × items table.

    Parameters
    ----------
    ratings : array_like
        Shape (raters, items), a gap is nan.
    form : str
        One of `FORMS`, in Shrout & Fleiss' names or those of McGraw & Wong.
    method : {"auto", "anova", "reml"}
        "anova" leaves out items with a gap and counts their ratings as dropped; "reml" uses all
        ratings; "auto" is "anova" for a complete table and "reml" otherwise.
    k : float, optional
        Number of ratings in the mean, for forms with k; the harmonic mean of the items' numbers
        of ratings if not given, which is the number of raters of a complete table.
    confidence : float
        Confidence level.

    Returns
    -------
    Icc
        The coefficient with its interval, or the reason why there is none. By mean squares it can
        be negative; by likelihood it is at least 0.

    Raises
    ------
    HelpersError
        If `ratings` is no table of numbers, or form or method is unknown.
    """
    form = ALIASES.get(form, form)
    if form not in FORMS:
        raise HelpersError(f"no form '{form}' of the ICC{did_you_mean(form, FORMS)}")
    if method not in ("auto", "anova", "reml"):
        raise HelpersError(f"no method '{method}': expected auto, anova or reml")
    table = numbers(ratings, "rater", "item")
    table = table[~np.isnan(table).all(axis=1)]
    given = int(np.isfinite(table).sum())
    if method == "auto":
        method = "reml" if np.isnan(table).any() else "anova"
    table = table[:, ~np.isnan(table).any(axis=0)] if method == "anova" else _rated(table)
    per_item = np.isfinite(table).sum(axis=0)
    if not form.endswith("k)"):
        k = 1.0
    elif k is None:
        k = float(stats.hmean(per_item)) if per_item.any() else 1.0
    result = partial(
        Icc,
        confidence=confidence,
        used=int(per_item.sum()),
        dropped=given - int(per_item.sum()),
        unit="ratings",
        form=form,
        method=method,
        items=table.shape[1],
        raters=len(table),
        k=k,
    )
    raters = RATERS[form[4]]
    reason = _obstacle(table, raters, method)
    if reason:
        return result(reason=reason)
    estimate = _by_mean_squares if method == "anova" else _by_likelihood
    single, (low, high, reason) = estimate(table, raters, confidence)
    value = _of_mean(single, k)
    if value is None:
        return result(reason="the items' means differ less than chance alone would make them")
    low, high = _of_mean(low, k), _of_mean(high, k)
    if not reason and None in (low, high):
        low, high, reason = Limits(reason="the interval reaches below what a mean can have")
    return result(value=value, low=low, high=high, reason=reason)


def _rated(table: Floats) -> Floats:
    """The table without the items that nobody rated."""
    return table[:, ~np.isnan(table).all(axis=0)]


def _of_mean(single: float | None, k: float) -> float | None:
    """Reliability of the mean of k ratings (Spearman & Brown); None where there is none."""
    if single is None or 1 + (k - 1) * single < 1e-9:
        return None
    return k * single / (1 + (k - 1) * single)


def _obstacle(table: Floats, raters: Raters, method: Method) -> str:
    """Why there is nothing to estimate; empty if there is something."""
    m, n = table.shape
    if m < 2:
        return f"{say.count(m, 'rater')}; at least 2 are needed"
    if n < 2:
        complete = "item without a gap" if method == "anova" else "item"
        complete_plural = "items without a gap" if method == "anova" else "items"
        return f"{say.count(n, complete, complete_plural)}; at least 2 are needed"
    if np.nanmin(table) == np.nanmax(table):
        return f"every rating is {np.nanmin(table):g}"
    if method == "reml" and nothing_left(table, raters):
        return "nothing is left for the error when items and raters have their share"
    return ""


def _by_mean_squares(
    table: Floats, raters: Raters, confidence: float
) -> tuple[float | None, Limits]:
    """Coefficient of a single rating and its interval from a complete table."""
    k, n = table.shape
    centred = table - table.mean()
    by_item, by_rater = centred.mean(axis=0), centred.mean(axis=1)
    ms_item = k * (by_item**2).sum() / (n - 1)
    ms_rater = n * (by_rater**2).sum() / (k - 1)
    if raters == "none":
        df, residual = n * (k - 1), centred - by_item
    else:
        df, residual = (n - 1) * (k - 1), centred - by_item - by_rater[:, None]
    ms_error = (residual**2).sum() / df
    more = k * (ms_rater - ms_error) / n if raters == "random" else 0.0
    total = ms_item + (k - 1) * ms_error + more
    if total < 1e-12 * (centred**2).sum():
        return None, Limits()
    rho = float((ms_item - ms_error) / total)
    if ms_error < 1e-12 * total:
        return rho, Limits(reason="the ratings leave no error to build an interval on")
    if raters == "random":
        return rho, _agreement_limits(rho, ms_item, ms_rater, ms_error, k, n, confidence)
    f = ms_item / ms_error
    low = f / stats.f.ppf((1 + confidence) / 2, n - 1, df)
    high = f * stats.f.ppf((1 + confidence) / 2, df, n - 1)
    return rho, Limits(float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1)))


def _agreement_limits(
    rho: float, ms_item: float, ms_rater: float, ms_error: float, k: int, n: int, confidence: float
) -> Limits:
    """Limits of ICC(2,1) (McGraw & Wong 1996, table 7)."""
    a = k * rho / (n * (1 - rho))
    b = 1 + k * rho * (n - 1) / (n * (1 - rho))
    df = (a * ms_rater + b * ms_error) ** 2 / (
        (a * ms_rater) ** 2 / (k - 1) + (b * ms_error) ** 2 / ((n - 1) * (k - 1))
    )
    f_low = stats.f.ppf((1 + confidence) / 2, n - 1, df)
    f_high = stats.f.ppf((1 + confidence) / 2, df, n - 1)
    rest = k * ms_rater + (k * n - k - n) * ms_error
    with np.errstate(invalid="ignore"):
        low = n * (ms_item - f_low * ms_error) / (f_low * rest + n * ms_item)
        high = n * (f_high * ms_item - ms_error) / (rest + n * f_high * ms_item)
    if not low <= rho <= high:  # the approximation breaks down far below 0
        return Limits(reason="the items differ too little for an interval")
    return Limits(float(low), float(high))


def _by_likelihood(table: Floats, raters: Raters, confidence: float) -> tuple[float | None, Limits]:
    """Coefficient of a single rating and its interval from any table."""
    share = variance_share(table, raters, confidence)
    return share.value, Limits(share.low, share.high)
