"""Structures of the thresholds: θ = J α, with fewer parameters α where distances are tied.

- flexible: every threshold by itself, α = θ.
- symmetric: distances mirrored about the centre. With an odd number of thresholds the middle one is
  `central`, else the two in the middle are `central.1` and `central.2`; `spacing.j` is the distance
  of the j-th pair out from the middle.
- equidistant: θ_k = `threshold.1` + (k − 1) `spacing`.

The parameters are those of R's ordinal (Christensen 2018, section 2.4), so that they compare.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from helpers.errors import HelpersError

STRUCTURES = ("flexible", "symmetric", "equidistant")


def structure(kind: str, categories: list[str]) -> tuple[NDArray[np.float64], list[str]]:
    """Matrix J of a structure and the names of α.

    Parameters
    ----------
    kind : str
        One of `STRUCTURES`.
    categories : list of str
        The K ≥ 2 categories in order.

    Returns
    -------
    tuple
        J, of shape (K − 1, parameters), and a name for each of its columns.

    Raises
    ------
    HelpersError
        If distances are to be tied where there is none, with only two categories.
    """
    count = len(categories) - 1
    if kind == "flexible":
        return np.eye(count), names(categories)
    if count < 2:
        raise HelpersError(
            f"{kind} thresholds need at least three categories, and there are only "
            f"{' and '.join(categories)}: use flexible ones"
        )
    if kind == "equidistant":
        return np.column_stack([np.ones(count), np.arange(count)]), ["threshold.1", "spacing"]
    half = count // 2
    out = np.eye(half)
    if count % 2:
        middle = np.zeros((1, half))
        distances = np.vstack([-out[::-1], middle, out])
        spacings = [f"spacing.{j + 1}" for j in range(half)]
        return np.column_stack([np.ones(count), distances]), ["central", *spacings]
    centres = np.repeat(np.eye(2), half, axis=0)
    distances = np.vstack([-out[::-1], out])[:, 1:]  # the innermost pair is the centre itself
    spacings = [f"spacing.{j + 1}" for j in range(half - 1)]
    return np.column_stack([centres, distances]), ["central.1", "central.2", *spacings]


def names(categories: list[str]) -> list[str]:
    """Names of the thresholds, "1|2", "2|3" and so on."""
    return [f"{low}|{high}" for low, high in itertools.pairwise(categories)]


def location(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vector e with J e = 1: what to add to α, per unit, to move all thresholds alike."""
    solution = np.linalg.lstsq(matrix, np.ones(len(matrix)), rcond=None)[0]
    return np.asarray(solution.round(12), dtype=np.float64)
