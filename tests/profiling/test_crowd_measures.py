"""Measures of crowds, compared with known input."""

import numpy as np
import pytest
import shapely
from scipy.spatial.distance import pdist

from ecs_anim.profiling.validation.crowd_measures import (
    are_in_boxes,
    closest,
    crossing_times,
    crossings,
    densities,
    empty_at,
    flow,
    lane_order,
    last_seen,
    people_within,
    speed_and_density,
    weidmann,
)

TIMES = np.arange(0.0, 50.0, 0.1)


def test_weidmann_is_the_published_curve():
    np.testing.assert_allclose(weidmann(np.array([1.0, 2.0, 5.4])), [1.058, 0.606, 0.0], atol=1e-3)


def test_people_who_come_evenly_flow_evenly():
    along = 1.25 * (TIMES[:, None] - 0.5 * np.arange(60))
    crossed = crossing_times(TIMES, along, 1.0)
    np.testing.assert_allclose(crossed, 0.8 + 0.5 * np.arange(60), atol=0.11)
    assert flow(crossed) == pytest.approx(2.0, rel=0.02)
    assert flow(crossing_times(TIMES, along, 1000.0)) == 0.0
    assert np.isinf(crossing_times(TIMES, along, 1000.0)).all()


def test_speed_and_density_are_those_of_a_column():
    along = 0.7 * TIMES[:, None] + np.tile(np.arange(40) / 2.0, 2)
    speed, density = speed_and_density(TIMES, along, 2.0, 0.25, 0.75)
    assert speed == pytest.approx(0.7)
    assert density == pytest.approx(2.0, rel=0.06)  # two files with half a metre between ranks, in 2 m


def test_the_closest_two_are_found_as_scipy_finds_them():
    positions = np.random.default_rng(1).uniform(0, 9, (7, 40, 2))
    assert closest(positions) == pytest.approx(min(pdist(points).min() for points in positions))


def test_lanes_are_in_order_and_a_mixture_is_not():
    ways = np.repeat([1.0, -1.0], 100)
    assert lane_order(np.where(ways > 0, 0.0, 2.0), ways) == 1.0
    assert lane_order(np.random.default_rng(2).uniform(0, 4, 200), ways) < 0.1


@pytest.mark.exhaustive
def test_densities_are_of_the_floor_that_people_use():
    x, y = np.meshgrid(np.arange(0.25, 10, 0.5), np.arange(0.25, 10, 0.5))
    xy = np.stack([x.ravel(), y.ravel()], axis=-1)
    shifts = np.random.default_rng(3).uniform(-0.25, 0.25, (60, 2))  # until everybody has been everywhere
    at = np.repeat(np.arange(60), len(xy))
    found = densities(at, np.concatenate([xy + shift for shift in shifts]))
    assert np.median(found) == pytest.approx(4.0, rel=0.1)
    assert found[at == 0][:20].mean() == pytest.approx(4.0, rel=0.4)  # along an edge


def test_points_are_in_boxes_or_not():
    boxes = np.array([[0.0, 0.0, 2.0, 1.0], [1.0, 0.0, 2.0, 4.0]])
    assert are_in_boxes(np.array([[0.5, 0.5], [1.5, 3.0], [0.5, 2.0]]), boxes).tolist() == [True, True, False]


def test_people_are_last_seen_where_they_were_before_they_left():
    positions = np.arange(24.0).reshape(4, 3, 2)
    positions[2:, 0], positions[3:, 1], positions[:, 2] = np.nan, np.nan, np.nan
    np.testing.assert_array_equal(last_seen(positions), [positions[1, 0], positions[2, 1], [np.nan] * 2])


def test_a_room_is_empty_once_the_last_one_has_left():
    times, positions = np.arange(5.0), np.zeros((5, 2, 2))
    positions[2:, 0] = np.nan
    assert empty_at(times, positions) == np.inf
    positions[3:, 1] = np.nan
    assert empty_at(times, positions) == 3.0


@pytest.mark.parametrize("count", [0, 1, 2, 60])
def test_people_within_a_distance_are_counted_one_by_one(count):
    points = np.random.default_rng(count).uniform(-3, 3, (count, 2))
    points[count // 2 :] = np.round(points[count // 2 :])  # some as far away as the distance says
    wanted = [sum(np.hypot(*(own - other)) <= 1.0 for other in points) for own in points]
    assert people_within(points, 1.0).tolist() == wanted


def test_who_crosses_a_line_is_whom_shapely_finds():
    before, after = np.random.default_rng(4).uniform(-3, 3, (2, 500, 2))
    line = ((-1.0, 0.5), (2.0, -1.5))
    found, share, is_right = crossings(before, after, line, most=10.0)
    met = shapely.intersection(shapely.linestrings(np.stack([before, after], axis=1)), shapely.LineString(line))
    rows = np.flatnonzero(~shapely.is_empty(met))
    points = shapely.get_coordinates(met)
    assert len(rows) > 50
    assert found.tolist() == rows.tolist()
    np.testing.assert_allclose(before[rows] + share[:, None] * (after - before)[rows], points, atol=1e-9)
    for row, right in zip(rows, is_right, strict=True):
        assert shapely.is_ccw(shapely.LinearRing([*line, after[row]])) == (not right)


def test_who_is_set_somewhere_else_crosses_nothing():
    before, after = np.array([[0.0, -1.0], [0.0, -0.1]]), np.array([[0.0, 1.0], [0.0, 0.1]])
    rows, share, is_right = crossings(before, after, ((-1.0, 0.0), (1.0, 0.0)), most=0.5)
    assert (rows.tolist(), share.tolist(), is_right.tolist()) == ([1], [0.5], [False])
