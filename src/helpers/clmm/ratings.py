"""The ratings: which categories there are, in which order, and which of them were used."""

import numpy as np
import polars as pl

from helpers.clmm.arrays import Ints
from helpers.errors import HelpersError

MANY = 50  # different numbers that are measurements rather than ratings


def categories(response: pl.Series, spaced: bool) -> tuple[list[str], Ints, list[str]]:
    """Read a column of ratings.

    Parameters
    ----------
    response : polars.Series
        The ratings, none missing.
    spaced : bool
        Whether thresholds are tied, so that a category that nobody used still has its room.

    Returns
    -------
    tuple
        Categories in order, each row's from 0, and remarks on categories that nobody used.

    Raises
    ------
    HelpersError
        If fewer than two categories were used, or their order is not known.
    """
    name = response.name
    scale = _scale(response)
    codes = np.array([scale.index(value) for value in response.to_list()], dtype=np.int64)
    counts = np.bincount(codes, minlength=len(scale))
    used = np.flatnonzero(counts)
    if len(used) < 2:
        raise HelpersError(
            f"{name}: all {len(codes)} ratings are {scale[used[0]]}; "
            "expected at least two categories to be used"
        )
    unused = [str(scale[k]) for k in np.flatnonzero(counts == 0)]
    inner = [k for k in range(used[0], used[-1]) if counts[k] == 0]
    if spaced and unused:
        if len(inner) < len(unused):
            raise HelpersError(
                f"{name}: nobody used {' or '.join(unused)}, at an end of the scale; where the "
                "scale ends decides what tied thresholds mean: use flexible ones"
            )
        return (
            [str(value) for value in scale],
            codes,
            [f"nobody used {', '.join(unused)} of {name}; its thresholds follow from the others"],
        )
    remarks = [
        f"nobody used {', '.join(unused)} of {name}: left out, for no threshold beside an empty "
        "category can be estimated"
    ]
    kept = [str(scale[k]) for k in used]
    return kept, np.searchsorted(used, codes), remarks if unused else []


def _scale(response: pl.Series) -> list[object]:
    """All values that the response can take, in order."""
    kind = response.dtype
    if isinstance(kind, pl.Enum | pl.Categorical):
        return list(response.cat.get_categories())
    values = sorted(response.unique().to_list())
    if kind == pl.String:
        try:
            return sorted(values, key=float)
        except ValueError:
            raise HelpersError(
                f"{response.name} holds words ({', '.join(values[:3])}, …), whose order is not "
                "known: make it a polars Enum with the categories in order"
            ) from None
    if kind.is_integer() and values[-1] - values[0] < 2 * len(values):
        return list(range(values[0], values[-1] + 1))  # a gap is a category that nobody used
    if kind.is_float():
        if not np.isfinite(values).all():
            raise HelpersError(f"{response.name} holds an infinite rating")
        if len(values) > MANY:
            raise HelpersError(
                f"{response.name} has {len(values)} different values; expected ordered categories"
            )
        return [int(v) if v == int(v) else v for v in values]
    return values
