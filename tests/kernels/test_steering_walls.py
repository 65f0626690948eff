"""What walls do to agents who steer, in a square room whose sides are known."""

import numpy as np
import pytest

from ecs_anim.kernels.steering_walls import held_off, let_out, repelled_by, turned_along
from ecs_anim.walls.build import walls_from_text
from tests.helpers import called

ROOM = walls_from_text("POLYGON ((0 0, 8 0, 8 8, 0 8, 0 0))").arrays
turned, repelled, held, let = called(turned_along), called(repelled_by), called(held_off), called(let_out)
single = np.float32


@pytest.mark.parametrize(
    ("y", "facing", "expected"),
    [
        (1.0, (0.0, -1.0), (0.0, -1.0)),  # out of reach
        (0.6, (0.0, -1.0), (0.0, -1.0)),  # where it begins
        (0.45, (0.0, -1.0), (0.0, -1.0 + 0.5 * 1.3)),  # half
        (0.2, (0.0, -1.0), (0.0, 0.3)),  # all of what goes into the wall is gone
        (0.2, (0.6, -0.8), (0.6, 0.3)),
        (0.2, (0.6, 0.8), (0.6, 1.1)),  # what goes away from it stays
    ],
)
def test_who_is_near_no_longer_goes_into_a_wall(y, facing, expected):
    found = turned(ROOM, 4.0, y, single(facing[0]), single(facing[1]), single(0.3))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_in_a_corner_both_walls_count():
    x, y = turned(ROOM, 0.2, 0.2, single(-0.6), single(-0.8), single(0.3))
    np.testing.assert_allclose((x, y), (0.3, 0.3), atol=1e-5)


def test_walls_repel_by_their_distance():
    near = repelled(ROOM, 4.0, 0.21, single(0.2), single(5.0), single(0.02))
    np.testing.assert_allclose(near, (0.0, 5 * np.exp(-0.5)), rtol=1e-4, atol=1e-5)
    assert np.hypot(*repelled(ROOM, 4.0, 4.0, single(0.2), single(5.0), single(0.02))) < 1e-20


@pytest.mark.parametrize(
    ("y", "velocity", "expected"),
    [
        (0.5, (1.0, -1.0), (1.0, -1.0)),  # it would not get there in this step
        (0.22, (1.0, -1.0), (1.0, -0.4)),  # 0.02 m in 0.05 s
        (0.2, (1.0, -1.0), (1.0, 0.0)),
        (0.19, (1.0, -1.0), (1.0, 0.2)),  # and out again
        (0.05, (0.0, 0.0), (0.0, 0.5)),  # by so much at most
    ],
)
def test_nobody_comes_nearer_than_their_radius(y, velocity, expected):
    found = held(ROOM, 4.0, y, single(velocity[0]), single(velocity[1]), single(0.2), single(0.05))
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (4.0, 0.0, (1.0, 0.5)),  # out to where people may be
        (8.0, 4.0, (-0.5, -1.0)),
        (0.0, 0.0, (1.0, 0.5)),  # a corner: along one wall already, off the other
    ],
)
def test_who_stands_on_a_wall_comes_off_it(x, y, expected):
    found = held(ROOM, x, y, single(1.0), single(-1.0), single(0.2), single(0.05))
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (6.0, 4.0 + 0.03, (0.0, 0.5)),  # walls are 0.2 m thick
        (6.0, 4.0 - 0.03, (0.0, -0.5)),
        (4.02, 4.05, (0.0, 0.5)),
        (6.0, 4.1, (0.0, 0.5)),  # on the face
    ],
)
def test_who_is_in_a_wall_is_let_out_where_it_is_nearest(x, y, expected):
    walls = walls_from_text("LINESTRING (3 4, 9 4)").arrays
    np.testing.assert_allclose(let(walls, x, y), expected, atol=1e-6)
