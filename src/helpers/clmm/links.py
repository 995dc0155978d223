"""The five links, and what one rating adds to the log-likelihood.

A rating y falls into category k with probability p = F(a) − F(b), where a = θ_k − η is its upper
edge, b = θ_{k−1} − η its lower one, θ_0 = −∞ and θ_K = ∞. F is a distribution function:

    logit    1 / (1 + exp(−x))        cloglog  1 − exp(−exp(x))
    probit   Φ(x)                     loglog   exp(−exp(−x))
    cauchit  ½ + arctan(x) / π

(Christensen, *Cumulative Link Models for Ordinal Regression with the R Package ordinal*, 2018,
Table 5; McCullagh 1980). Everything is computed from log F, log(1 − F) and log f, so that ratings
far out in a tail, where p itself underflows, still have exact derivatives.
"""

import math

import numpy as np

from helpers.clmm.compiled import compiled

LINKS = ("logit", "probit", "cloglog", "loglog", "cauchit")
LOGIT, PROBIT, CLOGLOG, LOGLOG, CAUCHIT = range(5)

# Variance of a latent variable with distribution function F; a Cauchy variable has none.
RESIDUAL_VARIANCE = {
    "logit": math.pi**2 / 3,
    "probit": 1.0,
    "cloglog": math.pi**2 / 6,
    "loglog": math.pi**2 / 6,
    "cauchit": math.nan,
}

_LOG_PI = math.log(math.pi)
_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


@compiled
def _log_normal_tail(x: float) -> float:
    """Log of the standard normal distribution function at x ≤ 0."""
    if x > -30.0:
        return math.log(0.5 * math.erfc(-x / math.sqrt(2.0)))
    # erfc underflows: the asymptotic series of Mills' ratio, exact to 1e-13 from here on.
    y = 1.0 / (x * x)
    series = -y * (1.0 - y * (3.0 - y * (15.0 - 105.0 * y)))
    return -0.5 * x * x - _LOG_ROOT_2PI - math.log(-x) + math.log1p(series)


@compiled
def _log_cauchy_tail(x: float) -> float:
    """Log of the Cauchy distribution function at x ≤ 0."""
    return math.log(math.atan2(1.0, -x)) - _LOG_PI


@compiled
def distribution(link: int, x: float) -> tuple[float, float, float, float, float]:
    """What is needed of F at x.

    Returns
    -------
    tuple of float
        log F, log(1 − F), log f, f′/f and f″/f, where f = F′.
    """
    if link == LOGIT:
        e = math.exp(-abs(x))
        log_larger = -math.log1p(e)
        log_smaller = log_larger - abs(x)
        log_f = log_larger + log_smaller
        slope = (e - 1.0) / (1.0 + e)
        curve = 1.0 - 6.0 * e / (1.0 + e) ** 2
        if x > 0.0:
            return log_larger, log_smaller, log_f, slope, curve
        return log_smaller, log_larger, log_f, -slope, curve
    if link == PROBIT:
        log_smaller = _log_normal_tail(-abs(x))
        log_larger = math.log1p(-math.exp(log_smaller))
        log_f = -0.5 * x * x - _LOG_ROOT_2PI
        if x > 0.0:
            return log_larger, log_smaller, log_f, -x, x * x - 1.0
        return log_smaller, log_larger, log_f, -x, x * x - 1.0
    if link == CAUCHIT:
        log_smaller = _log_cauchy_tail(-abs(x))
        log_larger = math.log1p(-math.exp(log_smaller))
        square = 1.0 + x * x
        log_f = -_LOG_PI - math.log(square)
        slope = -2.0 * x / square
        curve = (6.0 * x * x - 2.0) / square**2
        if x > 0.0:
            return log_larger, log_smaller, log_f, slope, curve
        return log_smaller, log_larger, log_f, slope, curve
    # loglog is cloglog seen from the other end: F(x) = 1 − F_cloglog(−x).
    z = min(x if link == CLOGLOG else -x, 300.0)
    e = math.exp(z)
    log_upper = -e
    log_lower = math.log(-math.expm1(-e)) if z > -30.0 else z - 0.5 * e
    slope = 1.0 - e
    curve = slope * slope - e
    if link == CLOGLOG:
        return log_lower, log_upper, z - e, slope, curve
    return log_upper, log_lower, z - e, -slope, curve


@compiled
def rating(link: int, a: float, b: float) -> tuple[float, float, float, float, float, float, float]:
    """Log-probability of a rating between the edges b < a, and ratios of f and its derivatives.

    Returns
    -------
    tuple of float
        log p; f(a)/p, f(b)/p; f′(a)/p, f′(b)/p; f″(a)/p, f″(b)/p. Where an edge is infinite its
        ratios are 0; where b ≥ a, log p is −∞ and the ratios are 0.
    """
    if not a > b:
        return -np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    log_below_a, log_above_a, log_f_a, slope_a, curve_a = 0.0, -np.inf, -np.inf, 0.0, 0.0
    log_below_b, log_above_b, log_f_b, slope_b, curve_b = -np.inf, 0.0, -np.inf, 0.0, 0.0
    if a < np.inf:
        log_below_a, log_above_a, log_f_a, slope_a, curve_a = distribution(link, a)
    if b > -np.inf:
        log_below_b, log_above_b, log_f_b, slope_b, curve_b = distribution(link, b)
    # p as a difference of whichever tails are small, for their difference is the exact one.
    if log_above_b < log_below_a:
        log_p = log_above_b + math.log(-math.expm1(log_above_a - log_above_b))
    else:
        log_p = log_below_a + math.log(-math.expm1(log_below_b - log_below_a))
    if not log_p > -np.inf:
        return -np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    f_a = math.exp(log_f_a - log_p)
    f_b = math.exp(log_f_b - log_p)
    return log_p, f_a, f_b, f_a * slope_a, f_b * slope_b, f_a * curve_a, f_b * curve_b
