"""Intervals from leaving one rater (unit, cluster) out at a time.

A coefficient of agreement must not be resampled with replacement: a rater drawn twice agrees
perfectly with its own copy, and the coefficient rises. The delete-one jackknife never makes
copies. With θ₋ᵢ the estimate without unit i of m, and θ̄ the mean of these,

    ψᵢ = √((m − 1)/m) · (θ̄ − θ₋ᵢ),   variance of θ = Σ ψᵢ²

(Efron & Stein 1981, *Annals of Statistics* 9, 586–596). The interval is symmetric, with Student's
t of m − 1 degrees of freedom, on a scale without bounds, and is carried back from there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from helpers.agreement.tables import Floats


class Limits(NamedTuple):
    """An interval, or the reason why there is none."""

    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Scale:
    """A change of scale that takes an estimate's range to the whole line.

    Attributes
    ----------
    forward, back : callable
        The change and its inverse.
    slope : callable
        Derivative of `forward`: it carries standard errors over.
    low, high : float
        Ends of the range, where `forward` has no value.
    """

    forward: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]
    low: float
    high: float


SHARE = Scale(  # between 0 and 1: logit
    lambda x: float(np.log(x / (1 - x))),
    lambda y: float(1 / (1 + np.exp(-y))),
    lambda x: 1 / (x * (1 - x)),
    0,
    1,
)
CORRELATION = Scale(  # between −1 and 1: Fisher's z
    lambda x: float(np.arctanh(x)), lambda y: float(np.tanh(y)), lambda x: 1 / (1 - x**2), -1, 1
)
UP_TO_ONE = Scale(  # reliability, which has no lower end
    lambda x: float(-np.log(1 - x)),
    lambda y: float(1 - np.exp(-y)),
    lambda x: 1 / (1 - x),
    -np.inf,
    1,
)


def influences(without: Floats) -> Floats:
    """ψᵢ of each unit: their sum of squares is the jackknife's variance.

    Parameters
    ----------
    without : numpy.ndarray
        Shape (units, …), the estimates (one or several) without each unit.
    """
    m = len(without)
    return np.asarray(np.sqrt((m - 1) / m) * (without.mean(axis=0) - without))


def limits(value: float, without: Floats, scale: Scale, confidence: float, unit: str) -> Limits:
    """The delete-one interval of an estimate.

    Parameters
    ----------
    value : float
        The estimate from all units.
    without : numpy.ndarray
        Shape (units,), the estimate without each unit; nan where there was none.
    scale : Scale
        Where the interval is symmetric.
    confidence : float
        Confidence level.
    unit : str
        What a unit is, in the singular, for the reason why there is no interval.

    Returns
    -------
    Limits
        Both limits, or the reason for their absence.
    """
    m = len(without)
    if m < 3:
        return Limits(reason=f"an interval needs at least 3 {unit}s")
    if not np.isfinite(without).all():
        missing = int(np.argmin(np.isfinite(without))) + 1
        return Limits(reason=f"without {unit} {missing} of {m} there would be no estimate")
    error = float(np.sqrt((influences(without) ** 2).sum()))
    if not scale.low < value < scale.high:
        return Limits(reason=f"an estimate of {value:.3g} is at the end of its range")
    if error < 1e-12:
        return Limits(reason=f"leaving out any one {unit} changes nothing")
    centre, margin = scale.forward(value), error * scale.slope(value)
    margin *= float(stats.t.ppf((1 + confidence) / 2, m - 1))
    with np.errstate(over="ignore"):
        low, high = scale.back(centre - margin), scale.back(centre + margin)
    if not np.isfinite([low, high]).all():
        return Limits(reason=f"leaving out one {unit} changes too much")
    return Limits(low, high)
