"""Whether points bend away from a straight line, and how large a bend would have been seen.

A parabola is tried against the line. What the test can see is said in terms of slopes: a parabola
is steepest at one end of the points and flattest at the other, and `flat` is its slope at the flat
end as a share of that at the steep end: 1 on a line, 0 where it has levelled out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from helpers import say
from helpers.benchmark.association import EDGE, flat

Floats = NDArray[np.float64]

ENOUGH = 0.8  # power at which a test that sees nothing says something


@dataclass(frozen=True)
class Bend:
    """Test of a parabola against a straight line.

    Attributes
    ----------
    f, p : float or None
        F of 1 and n − 3 degrees of freedom, and its p; None where there is no test.
    df : int
        Degrees of freedom of the residuals, n − 3.
    ratio : float or None
        Slope of the parabola at the upper end, as a share of that at the lower end; None where
        that is zero.
    power : float or None
        Power against a parabola whose `flat` is the one asked for, with the line's mean slope and
        the scatter about the parabola as it is.
    power_low, power_high : float or None
        The same at the ends of the confidence interval of the scatter.
    visible : float or None
        The largest `flat` that would be seen with a power of `ENOUGH`. Below zero the curve would
        have to turn round.
    straight : bool
        Whether all points lie on one line.
    reason : str
        Why there is no test.
    """

    f: float | None = None
    p: float | None = None
    df: int = 0
    ratio: float | None = None
    power: float | None = None
    power_low: float | None = None
    power_high: float | None = None
    visible: float | None = None
    straight: bool = False
    reason: str = ""


def quadratic(
    x: ArrayLike, y: ArrayLike, share: float = 0.0, alpha: float = 0.05, confidence: float = 0.95
) -> Bend:
    """Test a parabola against a straight line.

    Parameters
    ----------
    x, y : array_like
        Shape (n,).
    share : float
        The `flat` of the alternative for which power is computed, from 0 to below 1.
    alpha : float
        Level of the test.
    confidence : float
        Level of the interval of the scatter.

    Returns
    -------
    Bend
        With the reason where there is no test.

    Notes
    -----
    With w the range of x and s the line's slope, the alternative has the quadratic term
    s (1 − share)/(1 + share)/w. The non-centrality is its square times the sum of squares of x²
    that is left by a line, divided by the residual variance.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    n = len(x)
    if len(np.unique(x)) < 3:
        return Bend(reason=f"{say.count(len(np.unique(x)), 'distinct value')} on the axis across")
    if flat(y):
        return Bend(reason="all outcomes are equal")
    z = (x - x.min()) / np.ptp(x)
    line, curve = _residuals(z, y, 1), _residuals(z, y, 2)
    rss = float(line @ line), float(curve @ curve)
    size = float(((y - y.mean()) ** 2).sum())
    if rss[0] <= EDGE**2 * size:
        return Bend(df=n - 3, straight=True, reason="all points lie on one line")
    _, first, second = np.polynomial.polynomial.polyfit(z, y, 2)
    ratio = float((first + 2 * second) / first) if abs(first) > EDGE else None
    if n < 4:
        return Bend(ratio=ratio, reason="three points fit any parabola; at least 4 are needed")
    if rss[1] <= EDGE**2 * size:
        return Bend(f=None, p=0.0, df=n - 3, ratio=ratio, reason="all points lie on one parabola")
    f = (rss[0] - rss[1]) / (rss[1] / (n - 3))
    slope = float(np.polynomial.polynomial.polyfit(z, y, 1)[1])
    left = _residuals(z, z**2, 1)
    seen = abs(slope) * float(np.sqrt(left @ left))
    tails = stats.chi2.ppf([(1 - confidence) / 2, (1 + confidence) / 2], n - 3)
    spreads = [rss[1] / tail for tail in tails]  # wide, narrow
    step = (1 - share) / (1 + share)
    power = [power_of((step * seen) ** 2 / s, n - 3, alpha) for s in (*spreads, rss[1] / (n - 3))]
    return Bend(
        f=f,
        p=float(stats.f.sf(f, 1, n - 3)),
        df=n - 3,
        ratio=ratio,
        power=power[2],
        power_low=power[0],
        power_high=power[1],
        visible=_visible(seen, rss[1] / (n - 3), n - 3, alpha),
    )


def power_of(noncentrality: float, df: int, alpha: float = 0.05) -> float:
    """Power of an F test with 1 and `df` degrees of freedom."""
    critical = stats.f.ppf(1 - alpha, 1, df)
    # F with one degree of freedom is t squared; scipy's non-central t holds where its F gives nan
    root, shift = np.sqrt(critical), np.sqrt(noncentrality)
    return float(min(1.0, stats.nct.sf(root, df, shift) + stats.nct.cdf(-root, df, shift)))


def _visible(seen: float, variance: float, df: int, alpha: float) -> float | None:
    """The largest `flat` that would be seen with enough power; None where no slope is there."""
    if seen <= EDGE:
        return None
    needed = optimize.brentq(lambda value: power_of(value, df, alpha) - ENOUGH, 0, 1e5)
    step = float(np.sqrt(needed * variance)) / seen
    return (1 - step) / (1 + step)


def _residuals(z: Floats, y: Floats, degree: int) -> Floats:
    fitted = np.polynomial.polynomial.polyval(z, np.polynomial.polynomial.polyfit(z, y, degree))
    return np.asarray(y - fitted)
