"""Forces: the rules that force models share."""

import numpy as np
import pytest

from ecs_anim.kernels.steering_forces import faced_wall, walls_within
from ecs_anim.kernels.steering_forces import positive as own_positive
from ecs_anim.walls.build import walls_from_text
from tests.helpers import called

ROOM = "POLYGON ((0 0, 8 0, 8 6, 0 6, 0 0), (3 2, 5 2, 5 4, 3 4, 3 2))"
within, faced, positive = called(walls_within), called(faced_wall), called(own_positive)


def faced_points(x, y):
    """The nearest points of all walls that face a point, sorted."""
    walls = walls_from_text(ROOM).arrays
    first, end, is_listed = within(walls, x, y)
    found = [faced(walls, number, is_listed, x, y) for number in range(first, end)]
    return sorted((round(x + fx, 4), round(y + fy, 4)) for fx, fy, size in found if size < 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("x", "y", "points"),
    [
        (0.5, 1.0, [(0.0, 1.0), (0.5, 0.0), (3.0, 2.0)]),
        (2.5, 2.5, [(0.0, 2.5), (2.5, 0.0), (3.0, 2.5)]),
        (2.9, 1.9, [(0.0, 1.9), (2.9, 0.0), (3.0, 2.0)]),
        (5.1, 4.1, [(5.0, 4.0), (5.1, 6.0), (8.0, 4.1)]),
    ],
)
def test_each_face_and_each_corner_counts_once(x, y, points):
    assert [point for point in faced_points(x, y) if np.hypot(point[0] - x, point[1] - y) < 2.95] == points


def test_negative_numbers_are_0():
    assert [positive(np.float32(value)) for value in (-1, 0, 2)] == [0, 0, 2]
