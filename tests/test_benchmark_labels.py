"""Names of points that do not overlap."""

from itertools import combinations

import numpy as np
import pytest

from helpers.benchmark.labels import Box, overlaps, place

WITHIN = Box(0, 0, 600, 400)


def test_area_that_boxes_share():
    box = Box(0, 0, 2, 2)
    found = overlaps(box, [Box(1, 1, 3, 3), Box(2, 0, 4, 2), Box(0.5, 0.5, 1, 1)])
    assert found.tolist() == [1, 0, 0.25]


@pytest.mark.parametrize("kind", ["scattered", "one place", "a row", "corner"])
def test_no_name_covers_another_or_a_point(kind):
    random = np.random.default_rng(1)
    points = {
        "scattered": random.uniform([0, 0], [600, 400], (20, 2)),
        "one place": np.full((8, 2), 200.0),
        "a row": np.column_stack([np.linspace(200, 260, 8), np.full(8, 150)]),
        "corner": np.array([[0, 0], [2, 1], [600, 400], [598, 399.0]]),
    }[kind]
    bar = Box(0, 148, 600, 149) if kind == "a row" else Box(-9, -9, -9, -9)
    boxes = place(points, [(80.0, 12.0)] * len(points), WITHIN, 4, [bar])
    for one, other in combinations(boxes, 2):
        assert overlaps(one, [other])[0] == 0
    for box in boxes:
        dots = [Box(x - 4, y - 4, x + 4, y + 4) for x, y in points]
        assert overlaps(box, [*dots, bar]).sum() == 0
        assert box.left >= 0
        assert box.right <= 600
        assert box.bottom >= 0
        assert box.top <= 400


def test_where_there_is_no_room_names_still_stand_somewhere():
    assert len(place([[5, 5], [6, 6]], [(90.0, 20.0)] * 2, Box(0, 0, 10, 10), 4)) == 2
    assert place([], [], WITHIN, 4) == []
