"""Reading what a statistic is given: numbers in a table, gaps as nan."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from helpers.errors import HelpersError

Floats = NDArray[np.float64]


def numbers(table: ArrayLike, rows: str, columns: str) -> Floats:
    """A table of numbers, with nan for gaps.

    Parameters
    ----------
    table : array_like
        Two-dimensional; a gap is nan, None or pandas' NA.
    rows, columns : str
        What a row and a column stand for, in the singular, for messages.

    Raises
    ------
    HelpersError
        If it is not a table, or a cell is neither a finite number nor a gap.
    """
    try:
        cells = np.asarray(table)
        if cells.dtype == object:  # None and pandas' NA are gaps too
            cells = np.where(pd.isna(cells), np.nan, cells)
        result = cells.astype(float)
    except (TypeError, ValueError) as error:
        raise HelpersError(f"expected a table of numbers, {rows}s × {columns}s: {error}") from None
    if result.ndim != 2:
        raise HelpersError(f"expected a table of {rows}s × {columns}s, got shape {result.shape}")
    if np.isinf(result).any():
        row, column = np.argwhere(np.isinf(result))[0] + 1
        raise HelpersError(
            f"{rows} {row}, {columns} {column}: {result[row - 1, column - 1]} is no rating; "
            "a gap is nan"
        )
    return result


def coded(categories: ArrayLike) -> tuple[NDArray[np.int64], list[Any]]:
    """Categories of any kind as positions in their sorted list; a gap is −1.

    Returns
    -------
    tuple
        Positions in the shape of the input, and the categories in order.
    """
    labels = np.asarray(categories, dtype=object)
    codes, known = pd.factorize(labels.ravel(), sort=True)
    return codes.reshape(labels.shape).astype(np.int64), list(known)


def name(category: object) -> str:
    """A category for a message: 3, not 3.0."""
    return f"{category:g}" if isinstance(category, float) else str(category)
