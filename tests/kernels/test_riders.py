"""The kernels of riders, compared with numpy and with shapely."""

import numpy as np
import shapely

from ecs_anim.kernels.riders import MARGIN, find_riders, stand_on_steps
from ecs_anim.storeys.connections import UP, End

RNG = np.random.default_rng(5)
COUNT = 400


def test_riders_are_carried_or_ride_or_are_in_front_of_an_end():
    """Without speed, the box in front of an end is a rectangle. shapely finds the points in the rectangle."""
    space = RNG.integers(-1, 4, COUNT).astype(np.int32)
    plan = RNG.uniform(-3, 3, (COUNT, 2))
    carried = np.full((COUNT, 3), np.nan, np.float32)
    carried[RNG.random(COUNT) < 0.1] = 0.5
    rides = np.array([False, False, True, False])
    end = End(1, (0.5, -0.25), (0.6, 0.8), 0.7, UP)
    found = np.zeros(COUNT, np.int32)
    translation = np.stack([plan[:, 0], np.zeros(COUNT), -plan[:, 1]], axis=1).astype(np.float32)
    said = space, translation, np.zeros((COUNT, 2), np.float32), carried, np.array([end.box(1.0, 2.0)]), rides
    count = find_riders(*said, 0.1, found)
    far, near = (-2.0 - MARGIN, -1.0 - MARGIN), (MARGIN, 1.0 + MARGIN)
    corners = [(s, t) for s, t in ((far[0], far[1]), (far[0], near[1]), (near[0], near[1]), (near[0], far[1]))]
    box = shapely.Polygon([(0.5 + s * 0.6 - t * 0.8, -0.25 + s * 0.8 + t * 0.6) for s, t in corners])
    expected = ~np.isnan(carried[:, 2]) | (space == 2) | ((space == 1) & shapely.contains_xy(box, plan))
    assert 0 < np.count_nonzero((space == 1) & shapely.contains_xy(box, plan)) < COUNT / 5
    np.testing.assert_array_equal(found[:count], np.flatnonzero(expected))


def test_fast_actors_reach_the_box():
    end = np.array([End(0, (0.0, 0.0), (1.0, 0.0), 0.5, UP).box(0.5, 0.01)])
    carried, rides, space = np.full((2, 3), np.nan, np.float32), np.zeros(1, bool), np.zeros(2, np.int32)
    at, velocity = np.array([[-0.1, 0, 0]] * 2, np.float32), np.array([[0.5, 0], [1.5, 0]], np.float32)
    rows = np.zeros(2, np.int32)
    assert find_riders(space, at, velocity, carried, end, rides, 0.1, rows) == 1
    assert rows[0] == 1


def test_carried_actors_stand_on_their_steps():
    carried, translation = RNG.random((COUNT, 3)).astype(np.float32), RNG.random((COUNT, 3)).astype(np.float32)
    carried[::3, 2] = np.nan
    expected = translation.copy()
    expected[:, 1] = np.where(np.isnan(carried[:, 2]), translation[:, 1], carried[:, 2] + np.float32(0.9))
    stand_on_steps(carried, 0.9, translation)
    np.testing.assert_array_equal(translation, expected)
