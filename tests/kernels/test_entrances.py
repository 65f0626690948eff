"""Entrances and exits: points of areas where there is room, and who is in an area."""

import numpy as np

from ecs_anim.kernels.entrances import are_inside, find_entrance
from ecs_anim.walls.arrays import no_walls
from tests.helpers import FEW

CORNERS = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]])  # an L


def test_whoever_is_in_a_polygon_is_told():
    points = np.random.default_rng(1).uniform(-1, 5, (FEW or 500, 2)).astype(np.float32)
    translation = np.stack([points[:, 0], np.zeros(len(points)), -points[:, 1]], axis=-1).astype(np.float32)
    out = np.empty(len(points), bool)
    are_inside(CORNERS, translation, out)
    x, y = points.T
    np.testing.assert_array_equal(out, (x > 0) & (y > 0) & (((x < 4) & (y < 1)) | ((x < 1) & (y < 4))))


def test_entrances_are_points_of_the_area_where_nobody_is():
    taken, out, found = np.zeros((0, 3), np.float32), np.zeros(3, np.float32), []
    for name in range(FEW or 60):
        for turn in range(3):
            find_entrance(CORNERS, taken, no_walls(), 7, name, turn, 0.1, out)
            if out[2]:
                x, y = out[:2]
                assert (0 <= x <= 4 and 0 <= y <= 1) or (0 <= x <= 1 and 0 <= y <= 4)
                assert (np.linalg.norm(taken[:, :2] - out[:2], axis=1) > 0.1 + taken[:, 2]).all()
                taken = np.concatenate([taken, [[x, y, 0.1]]]).astype(np.float32)
                found.append((x, y))
                break
    found = np.array(found)
    assert len(found) > (FEW or 60) / 3
    assert (found[:, 0] > 2).any()
    assert (found[:, 1] > 2).any()
    find_entrance(CORNERS, np.array([[2, 2, 5]], np.float32), no_walls(), 7, 0, 0, 0.1, out)
    assert out[2] == 0
