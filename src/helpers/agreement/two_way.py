"""Restricted likelihood of ratings with item, rater and error variance, complete or not.

Ratings follow y = Xβ + item + rater + error, with X a constant or, for fixed raters, a column per
rater. With λ_i and λ_r the variances of items and raters over that of the errors, and V the
covariance of the ratings over the error variance, the restricted log-likelihood, profiled over β
and the error variance, times −2 is

    (N − p)(log 2πs² + 1) + log|V| + log|X'V⁻¹X|,   s² = minimum of (y − Xβ)'V⁻¹(y − Xβ)/(N − p)

(Bates et al. 2015, *Journal of Statistical Software* 67(1), section 3). V is I + ZΛZ', so that
counts and sums by item and by rater are all it takes: |V| = |I + ΛZ'Z|, whose block of items is
diagonal, which leaves one system of the raters' size.

The share ρ of the items' variance is a parameter itself, ρ = λ_i/(1 + λ_i + λ_r), so that its
profile likelihood gives the interval: all ρ whose −2 log-likelihood lies within χ²₁'s quantile of
the smallest. In simulations with 6 to 30 items and 3 to 20 raters, with a quarter of the ratings
missing, it covered 92 to 99 % at the 95 % level.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import optimize, sparse, stats

from helpers.agreement.tables import Floats

Raters = Literal["random", "fixed", "none"]
TOP = 1 - 1e-6  # of a share; at 1 there would be no error variance


class Share(NamedTuple):
    """Share of the items' variance with its profile-likelihood interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class _Sums:
    """What the likelihood needs of X and y: their sums by item and by rater, and products."""

    counts: Floats  # (items, raters), 1 where there is a rating
    by_item: Floats  # (items, p + 1)
    by_rater: Floats  # (raters, p + 1)
    products: Floats  # (p + 1, p + 1)


def variance_share(ratings: Floats, raters: Raters, confidence: float) -> Share:
    """The items' share of the variance by restricted maximum likelihood.

    Parameters
    ----------
    ratings : numpy.ndarray
        Shape (raters, items), nan where there is none. Some item must have several ratings, and
        the ratings must not all be what item and rater alone would give.
    raters : {"random", "fixed", "none"}
        Whether raters are a sample of many, the only ones of interest, or not told apart.
    confidence : float
        Confidence level.
    """
    sums = _sums(ratings.T - np.nanmean(ratings), raters == "fixed")

    def deviance(rho: float) -> float:
        if raters == "random":  # τ is the raters' share of what is not the items'
            return _least(
                lambda tau: _deviance(sums, rho / (1 - rho) / (1 - tau), tau / (1 - tau))
            )[1]
        return _deviance(sums, rho / (1 - rho), 0.0)

    value, least = _least(deviance)
    limit = least + float(stats.chi2.ppf(confidence, 1))

    def excess(rho: float) -> float:
        return deviance(rho) - limit

    low = optimize.brentq(excess, 0, value, xtol=1e-7) if excess(0) > 0 else 0
    high = optimize.brentq(excess, value, TOP, xtol=1e-7) if excess(TOP) > 0 else 1
    return Share(value, float(low), float(high))


def nothing_left(ratings: Floats, raters: Raters) -> bool:
    """Whether items (and raters, where told apart) account for every rating exactly.

    So it is where no item has two ratings, where there are as many items and raters as ratings,
    or where the ratings are their sums.
    """
    rater, item = np.nonzero(np.isfinite(ratings))
    y = ratings[rater, item] - np.nanmean(ratings)
    effects = [item] if raters == "none" else [item, ratings.shape[1] + rater]
    rows = np.tile(np.arange(len(y)), len(effects))
    design = sparse.coo_array((np.ones(len(rows)), (rows, np.concatenate(effects))))
    residual = sparse.linalg.lsqr(design.tocsr(), y, atol=1e-14, btol=1e-14)[3]
    return bool(residual < 1e-8 * np.linalg.norm(y))


def _least(function: Callable[[float], float]) -> tuple[float, float]:
    """Where a function is smallest between 0 and 1, and how small; the end 0 counts too."""
    found = optimize.minimize_scalar(
        function, bounds=(0, TOP), method="bounded", options={"xatol": 1e-8}
    )
    at_zero = function(0.0)
    return (0.0, at_zero) if at_zero <= found.fun else (float(found.x), float(found.fun))


def _sums(table: Floats, fixed: bool) -> _Sums:
    """Sums of an items × raters table, with a column of X for each rater or one in all."""
    there = np.isfinite(table)
    counts, y = there.astype(float), np.where(there, table, 0.0)
    x_by_item = counts if fixed else counts.sum(axis=1, keepdims=True)
    x_by_rater = np.diag(counts.sum(axis=0)) if fixed else counts.sum(axis=0)[:, None]
    xx = x_by_rater if fixed else np.array([[counts.sum()]])
    xy = y.sum(axis=0)[:, None] if fixed else np.array([[y.sum()]])
    return _Sums(
        counts,
        np.hstack([x_by_item, y.sum(axis=1, keepdims=True)]),
        np.hstack([x_by_rater, y.sum(axis=0)[:, None]]),
        np.block([[xx, xy], [xy.T, (y**2).sum()]]),
    )


def _deviance(sums: _Sums, item: float, rater: float) -> float:
    """−2 times the profiled restricted log-likelihood at these variance ratios λ."""
    by_item, by_rater = np.sqrt(item) * sums.by_item, np.sqrt(rater) * sums.by_rater
    shared = np.sqrt(item * rater) * sums.counts
    items = 1 + item * sums.counts.sum(axis=1)
    raters = np.diag(1 + rater * sums.counts.sum(axis=0)) - shared.T @ (shared / items[:, None])
    root = np.linalg.cholesky(raters)
    rest = np.linalg.solve(root, by_rater - shared.T @ (by_item / items[:, None]))
    # (X y)'V⁻¹(X y), whose Cholesky root ends in the weighted residual sum of squares
    inner = sums.products - by_item.T @ (by_item / items[:, None]) - rest.T @ rest
    inner_root = np.diag(np.linalg.cholesky(inner))
    degrees = sums.counts.sum() - (len(inner) - 1)
    log_v = np.log(items).sum() + 2 * np.log(np.diag(root)).sum()
    log_x = 2 * np.log(inner_root[:-1]).sum()
    return float(degrees * (np.log(2 * np.pi * inner_root[-1] ** 2 / degrees) + 1) + log_v + log_x)
