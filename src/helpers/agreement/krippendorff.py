"""Krippendorff's α: agreement of any number of raters, on any scale, with gaps.

α = 1 − D_o/D_e compares the mean difference δ² of two ratings of the same unit with that of any two
ratings. With n_uc how often unit u was given the value c, n_u and n_c the sums of these over values
and over units, and n all ratings of units with two or more,

    D_o = Σ_u Σ_ck n_uc n_uk δ²_ck / (n_u − 1) / n,   D_e = Σ_ck n_c n_k δ²_ck / (n (n − 1)),

where δ² is 1 for different values (nominal), (c − k)² (interval), ((c − k)/(c + k))² (ratio), or
the square of the number of ratings from c to k, those of c and k counted half (ordinal)
(Krippendorff 2019, *Content Analysis*, 4th ed., chapter 12).
"""

from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from helpers.agreement.estimate import Estimate
from helpers.agreement.jackknife import CORRELATION, limits
from helpers.agreement.tables import Floats, coded, name
from helpers.errors import HelpersError

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(
    ratings: ArrayLike,
    level: Level = "ordinal",
    over: Literal["raters", "units"] = "raters",
    confidence: float = 0.95,
) -> Estimate:
    """Krippendorff's α of a raters × units table.

    Parameters
    ----------
    ratings : array_like
        Shape (raters, units); a gap is nan or None. Numbers, or for "nominal" anything.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement: which differences between ratings mean something.
    over : {"raters", "units"}
        What the interval generalises over; it leaves out one rater, or one unit, at a time.
        Raters where many judge a few things, units where a few judge many.
    confidence : float
        Confidence level of the interval.

    Returns
    -------
    Estimate
        α with its interval, or the reason why there is none. `used` counts units with two or more
        ratings, `dropped` the others.

    Raises
    ------
    HelpersError
        If `ratings` is no table, its values are not numbers where they must be, or a ratio scale
        has a number below 0.
    """
    codes, values = coded(ratings)
    if codes.ndim != 2:
        raise HelpersError(f"expected a table of raters × units, got shape {codes.shape}")
    if over not in ("raters", "units"):
        raise HelpersError(f"an interval goes over raters or units, not over '{over}'")
    places = _places(values, level)
    use = (codes[:, :, None] == np.arange(len(values))).astype(float)
    counts = use.sum(axis=0)
    pairable = int((counts.sum(axis=1) > 1).sum())
    result = partial(
        Estimate,
        confidence=confidence,
        used=pairable,
        dropped=len(counts) - pairable,
        unit="units",
    )
    if pairable == 0:
        return result(reason="no unit has two ratings")
    value = _alpha(counts, places, level)
    if np.isnan(value):
        only = name(values[int(counts[counts.sum(axis=1) > 1].sum(axis=0).argmax())])
        return result(reason=f"every rating is {only}")
    if over == "raters":
        rest = [counts - own for own in use if own.any()]
    else:
        rest = [np.delete(counts, u, axis=0) for u in np.flatnonzero(counts.sum(axis=1) > 1)]
    without = np.array([_alpha(part, places, level) for part in rest])
    low, high, reason = limits(value, without, CORRELATION, confidence, over.removesuffix("s"))
    return result(value=value, low=low, high=high, reason=reason)


def _places(values: list[Any], level: Level) -> Floats:
    """The values as numbers; for nominal ones, whose size means nothing, their positions."""
    if level not in get_args(Level):
        raise HelpersError(
            f"no level of measurement '{level}': expected {', '.join(get_args(Level))}"
        )
    if level == "nominal":
        return np.arange(len(values), dtype=float)
    try:
        places = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise HelpersError(f"{level} ratings must be numbers: {error}") from None
    if not np.isfinite(places).all() or (level == "ratio" and (places < 0).any()):
        raise HelpersError(f"{level} ratings must be finite{', from 0 up' * (level == 'ratio')}")
    return places


def _alpha(counts: Floats, places: Floats, level: Level) -> float:
    """α of a units × values table of counts; nan if there are no two different ratings."""
    per_unit = counts.sum(axis=1)
    pairable = per_unit > 1
    counts, per_unit = counts[pairable], per_unit[pairable]
    per_value = counts.sum(axis=0)
    n = per_value.sum()
    apart = _differences(places, per_value, level)
    expected = per_value @ apart @ per_value / max(n - 1, 1)
    observed = (((counts @ apart) * counts).sum(axis=1) / (per_unit - 1)).sum()
    return float(1 - observed / expected) if expected > 0 else float("nan")


def _differences(places: Floats, per_value: Floats, level: Level) -> Floats:
    """δ² of each pair of values."""
    gap = np.abs(places[:, None] - places)
    if level == "nominal":
        return np.where(gap > 0, 1.0, 0.0)
    if level == "interval":
        return gap**2
    if level == "ratio":
        total = places[:, None] + places
        return np.divide(gap, total, out=np.zeros_like(gap), where=total > 0) ** 2
    middle = per_value.cumsum() - per_value / 2
    return np.asarray((middle[:, None] - middle) ** 2)
