"""Where names of points can stand so that none covers another, a point, or the edge."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

DIRECTIONS = 16
RINGS = 60
STEP = 0.5  # of a label's height, between rings


class Box(NamedTuple):
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float


def overlaps(box: Box, others: ArrayLike) -> Floats:
    """Area that a box shares with each of others, shape (others, 4), in the order of its fields."""
    edges = np.asarray(others, dtype=float).reshape(-1, 4)
    across = np.minimum(box.right, edges[:, 2]) - np.maximum(box.left, edges[:, 0])
    upwards = np.minimum(box.top, edges[:, 3]) - np.maximum(box.bottom, edges[:, 1])
    return np.asarray(np.maximum(0, across) * np.maximum(0, upwards))


def place(
    points: ArrayLike,
    sizes: Sequence[tuple[float, float]],
    within: Box,
    radius: float,
    avoid: Sequence[Box] = (),
) -> list[Box]:
    """Find a place for each label, near its point.

    Parameters
    ----------
    points : array_like
        Shape (n, 2), in any unit, the same for all that follows.
    sizes : sequence of (float, float)
        Width and height of each label.
    within : Box
        Where labels may stand.
    radius : float
        Half the width that a point takes.
    avoid : sequence of Box
        What else labels should not cover.

    Returns
    -------
    list of Box
        In the order of the points. Labels are placed from the most crowded point on, each at the
        nearest place that is free, or where it covers least if none is.
    """
    at = np.asarray(points, dtype=float).reshape(-1, 2)
    dots = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in at]
    distance = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    near = np.sort(distance, axis=1)[:, 1:3].sum(axis=1) if len(at) > 1 else np.zeros(len(at))
    placed: dict[int, Box] = {}
    for own in np.argsort(near, kind="stable").tolist():
        taken = np.array([*dots, *placed.values(), *avoid])
        best, least = None, np.inf
        for box in _candidates(at[own], sizes[own], radius):
            area = (box.right - box.left) * (box.top - box.bottom)
            cost = overlaps(box, taken).sum() + area - overlaps(box, [within])[0]
            if cost < least - 1e-9:
                best, least = box, cost
            if cost <= 1e-9:
                break
        placed[own] = best or next(_candidates(at[own], sizes[own], radius))
    return [placed[own] for own in range(len(at))]


def _candidates(point: Floats, size: tuple[float, float], radius: float) -> Iterator[Box]:
    """Boxes around a point, the nearest first: above, below, to the sides, and ever further out."""
    width, height = size
    for ring in range(RINGS):
        gap = radius * 1.3 + ring * STEP * height
        for turn in range(DIRECTIONS):
            angle = np.pi / 2 + (turn // 2 + turn % 2) * (-1) ** turn * 2 * np.pi / DIRECTIONS
            x = point[0] + np.cos(angle) * (gap + width / 2)
            y = point[1] + np.sin(angle) * (gap + height / 2)
            yield Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
