"""Adjusting p-values for the number of tests."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's adjusted p-values, which keep the family-wise error rate.

    Parameters
    ----------
    p_values : sequence of float or None
        In any order; None for a test that could not be made. It stays None and does not count.

    Returns
    -------
    tuple of float or None
        In the same order, at most 1.

    Raises
    ------
    ValueError
        If a p-value lies outside 0 to 1.

    Notes
    -----
    Holm (1979), *Scandinavian Journal of Statistics* 6, 65–70.
    """
    made = [p for p in p_values if p is not None]
    if not all(0 <= p <= 1 for p in made):
        raise ValueError(f"p-values lie between 0 and 1: {made}")
    order = np.argsort(made)
    adjusted = np.empty(len(made))
    raised = np.array(made)[order] * np.arange(len(made), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1)
    following = iter(adjusted.tolist())
    return tuple(None if p is None else next(following) for p in p_values)
