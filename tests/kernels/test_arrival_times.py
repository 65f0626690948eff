"""Arrival times against exact ones: straight ways, shortest ways of Dijkstra over corners, refraction."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from ecs_anim.routing.areas import Area, SpeedArea
from ecs_anim.routing.arrays import FREE, SOLID, TIGHT
from ecs_anim.routing.lattice import Goal
from ecs_anim.walls.queries import is_clear
from tests.helpers import FEW
from tests.helpers.routing import HALL, MAZE, ROOMS, free_points, lattice, shortest

GOAL = Goal(10.3, 1.2)


def times_at(found, points, field=0):
    number = np.linalg.norm(found.cells.nodes[:, None] - points, axis=-1).argmin(axis=0)
    return found.fields.times[field, number]


def test_without_walls_times_are_distances():
    found = lattice(None, [GOAL])
    away = np.linalg.norm(found.cells.nodes - GOAL[:2], axis=1)
    np.testing.assert_allclose(found.fields.times[0], away, rtol=0.02, atol=0.02)
    assert (found.fields.times[0] >= away * 0.999).all()


@pytest.mark.parametrize(("cell", "off"), [(0.2, 0.08), (0.1, 0.05), (0.05, 0.03)])
def test_round_walls_times_are_those_of_the_shortest_ways_the_finer_the_better(cell, off):
    if FEW and cell < 0.2:
        pytest.skip("without compiling, fine cells take minutes")
    found = lattice(MAZE, [GOAL], radius=0.01, cell=cell, even=True)
    points = free_points(found, 60)
    expected = shortest(found.walls, GOAL[:2], points)
    np.testing.assert_allclose(times_at(found, points), expected, rtol=off, atol=cell)


def test_ways_bend_where_people_are_slower_as_light_does():
    slow = Area((((5.0, -2.0), (13.5, -2.0), (13.5, 9.5), (5.0, 9.5)),), (9.0, 2.0))
    found = lattice(None, [Goal(9.0, 6.0)], areas=[SpeedArea(slow, 0.5)], cell=0.1)
    for x, y in [(1.0, 1.0), (2.0, 5.0), (0.5, 6.0), (4.0, 0.5)]:

        def seconds(at, x=x, y=y):
            return np.hypot(5.0 - x, at - y) + 2 * np.hypot(4.0, 6.0 - at)

        expected = minimize_scalar(seconds, bounds=(0, 8), method="bounded").fun
        np.testing.assert_allclose(times_at(found, np.array([[x, y]])), expected, rtol=0.015)


def test_areas_are_reached_where_they_are_nearest():
    room = Area((((8.0, 0.0), (12.0, 0.0), (12.0, 8.0), (8.0, 8.0)),), (10.0, 4.0))
    found = lattice(HALL, [Goal(*room.inner, room)], even=True)
    nodes, times = found.cells.nodes, found.fields.times[0]
    free = found.cells.kinds == FREE
    assert (times[free & (nodes[:, 0] > 8.05)] == 0).all()
    outside = free & (nodes[:, 0] < 7.95)
    np.testing.assert_allclose(times[outside], 8 - nodes[outside, 0], atol=0.2)
    np.testing.assert_allclose(found.fields.ways[0, outside], np.tile([1, 0], (outside.sum(), 1)), atol=1e-6)


@pytest.mark.parametrize("wkt", [MAZE, HALL])
def test_who_follows_the_ways_arrives_and_crosses_no_wall(wkt):
    found = lattice(wkt, [GOAL])
    cells, ways = found.cells, found.fields.ways[0].astype(np.float64)
    points = free_points(found, 40).astype(np.float64)
    for _ in range(800):
        column, row = ((points - [cells.origin_x, cells.origin_y]) / cells.spacing).astype(int).T
        step = points + 0.05 * ways[row * cells.columns + column]
        assert is_clear(found.walls, points, step).all()
        there = np.linalg.norm(points - GOAL[:2], axis=1) < 0.3
        points = np.where(there[:, None], points, step)
    assert there.all()


@pytest.mark.parametrize("x", [4.93, 5.0, 5.11, 5.2])
def test_ways_end_at_the_goal_alone_also_where_the_pace_changes(x):
    slow = Area((((3.0, 1.0), (5.05, 1.0), (5.05, 7.0), (3.0, 7.0)),), (4.0, 2.0))
    found = lattice(MAZE, [Goal(x, 2.0)], areas=[SpeedArea(slow, 0.5)])
    ends = (found.fields.ways[0] == 0).all(axis=1) & (found.cells.kinds == FREE)
    assert 1 <= ends.sum() <= 4
    assert np.linalg.norm(found.cells.nodes[ends] - [x, 2.0], axis=1).max() < 0.3


def test_in_walls_ways_lead_out_and_never_through():
    thin = f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (6 0, 6 6))"
    found = lattice(thin, [GOAL], cell=0.1)
    nodes, kinds, ways = found.cells.nodes, found.cells.kinds, found.fields.ways[0]
    assert np.isfinite(found.fields.times).all()
    west = (kinds == TIGHT) & (nodes[:, 0] < 5.9) & (nodes[:, 0] > 5.6) & (nodes[:, 1] > 1) & (nodes[:, 1] < 5)
    assert west.sum() > 20
    assert (ways[west, 0] <= 0).all()  # away from the wall, although the goal is beyond it
    border = (kinds == SOLID) & (nodes[:, 0] < -0.2) & (nodes[:, 1] > 1) & (nodes[:, 1] < 7)
    assert (ways[border, 0] > 0).all()


def test_where_no_way_leads_there_is_no_time():
    found = lattice(ROOMS, [GOAL])
    nodes, kinds, times = found.cells.nodes, found.cells.kinds, found.fields.times[0]
    walkable = (kinds != SOLID) & (nodes[:, 0] > 0) & (nodes[:, 0] < 12)
    np.testing.assert_array_equal(np.isinf(times[walkable]), nodes[walkable, 0] < 6)


def test_fields_do_not_depend_on_each_other():
    goals = [GOAL, Goal(1.0, 1.0), Goal(4.5, 7.0)]
    one = lattice(MAZE, goals)
    for order in ([2, 0, 1], [1, 2, 0], [0]):
        other = lattice(MAZE, [goals[number] for number in order])
        assert other.goals == tuple(goals[number] for number in order)
        for column, expected in zip(other.fields, one.fields, strict=True):
            assert column.tobytes() == expected[order].tobytes()


def test_the_plan_turned_has_the_times_turned():
    turned = "GEOMETRYCOLLECTION (POLYGON ((0 0, -8 0, -8 12, 0 12, 0 0)), LINESTRING (0 3, -5.5 3)," + (
        " LINESTRING (-8 6, -2.5 6), LINESTRING (0 9, -5.5 9))"
    )
    one, other = lattice(MAZE, [GOAL]), lattice(turned, [Goal(-GOAL.y, GOAL.x)])
    points = free_points(one, 100)
    there = times_at(other, np.stack([-points[:, 1], points[:, 0]], axis=-1))
    np.testing.assert_allclose(there, times_at(one, points), rtol=0.03, atol=0.15)


def test_ways_keep_clear_of_walls_where_there_is_room():
    found = lattice(MAZE, [GOAL], radius=0.2)
    end = np.array([3.0, 5.5])  # of a wall
    near, further = end + np.array([0.0, 0.3]), end + np.array([0.0, 0.8])
    slowness = found.cells.slowness
    number = [np.linalg.norm(found.cells.nodes - point, axis=1).argmin() for point in (near, further)]
    assert slowness[number[0]] > 1.5 > slowness[number[1]] == 1
