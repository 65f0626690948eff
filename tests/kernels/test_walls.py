"""What movers ask of walls, compiled and in plain numpy, against shapely."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.walls import queries
from ecs_anim.walls.arrays import ABOUT, CROSSING, SIGHT
from ecs_anim.walls.build import Meaning, _segments, walls_from_text
from ecs_anim.walls.grid import CELLS_A_SEGMENT, FEWEST_CELLS, MOST_ENTRIES, wall_arrays
from ecs_anim.walls.walls import Walls
from tests.helpers.walls import compiled_clear, compiled_free, compiled_nearest

ROUNDING = 2e-6  # share of the largest coordinate: float32's


def rough_disc(rng: np.random.Generator, x: float, y: float, radius: float) -> shapely.Polygon:
    angle = np.linspace(0, 2 * np.pi, int(rng.integers(4, 30)), endpoint=False)
    reach = radius * rng.uniform(0.5, 1.0, len(angle))
    return shapely.Polygon(np.stack([x + reach * np.cos(angle), y + reach * np.sin(angle)], axis=-1))


def plan(seed: int) -> tuple[shapely.Geometry, Meaning]:
    """A place with rough edges and holes, or obstacles that overlap or not, of any size and anywhere."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1, 1, 2) * 10.0 ** rng.uniform(0, 3)
    radius = 10.0 ** rng.uniform(0, 2)
    discs = [
        rough_disc(rng, *(rng.normal([x, y], radius)), radius * rng.uniform(0.05, 0.5)) for _ in range(rng.integers(7))
    ]
    if rng.random() < 0.5:
        return shapely.GeometryCollection([*discs, rough_disc(rng, x, y, radius)]), "obstacles"
    return rough_disc(rng, x, y, radius).difference(shapely.union_all(discs)), "walkable"


def rounded(walls: Walls) -> shapely.Geometry:
    """Where people may be, as shapely has it, with the corners that the walls have."""
    own = walls.solids if walls.walkable is None else walls.walkable
    area = shapely.union_all([shapely.make_valid(shapely.Polygon(p.exterior, p.holes)) for p in own])
    return shapely.box(-1e9, -1e9, 1e9, 1e9).difference(area) if walls.walkable is None else area


def points_about(walls: Walls, count: int, seed: int) -> np.ndarray:
    low, high = walls.arrays.segments.min(axis=(0, 1)), walls.arrays.segments.max(axis=(0, 1))
    margin = 0.3 * (high - low)
    return np.random.default_rng(seed).uniform(low - margin, high + margin, (count, 2)).astype(np.float32)


@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_wall_is_shapelys(seed):
    drawn, meaning = plan(seed)
    walls = walls_from_text(drawn.wkt, meaning=meaning)
    points = points_about(walls, 300, seed)
    lines = shapely.linestrings(walls.arrays.segments.astype(float))
    apart = shapely.distance(shapely.points(points.astype(float))[:, None], lines)
    slack = ROUNDING * np.abs(points).max()
    for nearest, segment in (
        compiled_nearest(walls, points),
        queries.nearest_walls(walls.arrays, points.astype(float)),
    ):
        np.testing.assert_allclose(nearest[:, 2], apart.min(axis=1), atol=slack)
        np.testing.assert_allclose(apart[np.arange(len(points)), segment], apart.min(axis=1), atol=slack)
        np.testing.assert_allclose(shapely.distance(shapely.points(nearest[:, :2]), lines[segment]), 0, atol=slack)
        np.testing.assert_allclose(np.linalg.norm(nearest[:, :2] - points, axis=1), nearest[:, 2], atol=2 * slack)


@pytest.mark.parametrize("seed", range(8))
def test_where_people_may_be_is_shapelys(seed):
    drawn, meaning = plan(seed)
    walls = walls_from_text(drawn.wkt, meaning=meaning)
    points = points_about(walls, 2000, seed)
    area = rounded(walls)
    sure = shapely.distance(shapely.points(points.astype(float)), area.boundary) > ROUNDING * np.abs(points).max()
    expected = shapely.contains_xy(area, points.astype(float))
    assert 0.05 < expected.mean() < 0.98
    np.testing.assert_array_equal(compiled_free(walls, points)[sure], expected[sure])
    np.testing.assert_array_equal(queries.may_be_at(walls.arrays, points.astype(float))[sure], expected[sure])


@pytest.mark.parametrize("seed", range(8))
def test_whether_a_way_is_clear_is_shapelys(seed):
    drawn, meaning = plan(seed)
    walls = walls_from_text(drawn.wkt, meaning=meaning)
    start, end = points_about(walls, 600, seed), points_about(walls, 600, seed + 99)
    end[::2] = start[::2] + (end[::2] - start[::2]) * np.float32(0.05)  # as near as those that people look out for
    ways = shapely.linestrings(np.stack([start, end], axis=1).astype(float))
    expected = ~shapely.intersects(ways, shapely.union_all(shapely.linestrings(walls.arrays.segments.astype(float))))
    assert 0.1 < expected.mean() < 0.95
    np.testing.assert_array_equal(compiled_clear(walls, start, end), expected)
    np.testing.assert_array_equal(queries.is_clear(walls.arrays, start.astype(float), end.astype(float)), expected)


@pytest.mark.exhaustive
@settings(max_examples=60)
@given(st.integers(8, 10**6), st.integers(0, 10**6))
def test_compiled_queries_are_the_readable_ones(plan_seed, point_seed):
    drawn, meaning = plan(plan_seed)
    walls = walls_from_text(drawn.wkt, meaning=meaning)
    points = points_about(walls, 60, point_seed)
    exact = points.astype(float)
    nearest, _ = queries.nearest_walls(walls.arrays, exact)
    np.testing.assert_allclose(compiled_nearest(walls, points)[0], nearest, rtol=1e-6, atol=1e-6 * np.abs(points).max())
    np.testing.assert_array_equal(compiled_free(walls, points), queries.may_be_at(walls.arrays, exact))
    expected = queries.is_clear(walls.arrays, exact, exact[::-1])
    np.testing.assert_array_equal(compiled_clear(walls, points, points[::-1].copy()), expected)


def test_ways_through_corners_and_along_the_grid_are_decided():
    """A cross of lines with whole numbers: ways along the axes, through corners, of no length, and from far away."""
    walls = walls_from_text("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1))")
    start = np.float32([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [-9, 0.5], [0.5, 2], [2, 2], [0.5, -50]])
    end = np.float32([[3.5, 0.5], [3.5, 3.5], [0.5, 0.5], [0.5, 0.5], [3.5, 2], [2.5, 2.5], [50, -50]])
    assert compiled_clear(walls, start, end).tolist() == [True, False, True, False, False, True, True]
    assert compiled_free(walls, start).tolist() == [True, True, True, False, True, False, False]


def test_what_is_nowhere_is_near_nothing():
    walls = walls_from_text("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))")
    points = np.float32([[np.nan, 1], [np.inf, 1]])
    assert compiled_free(walls, points).tolist() == [False, False]
    assert compiled_nearest(walls, points[:1])[0][0, 2] == np.inf
    assert compiled_clear(walls, points, np.zeros((2, 2), np.float32)).tolist() == [False, False]
    assert not queries.is_clear(walls.arrays, points.astype(float), np.zeros((2, 2))).any()


def test_people_are_to_the_left_of_every_segment():
    for text, meaning in (
        ("POLYGON ((0 0, 0 9, 9 9, 9 0, 0 0), (2 2, 2 3, 3 3, 3 2, 2 2))", "walkable"),
        ("GEOMETRYCOLLECTION (POLYGON ((0 0, 0 9, 9 9, 9 0, 0 0)), LINESTRING (12 0, 15 4))", "obstacles"),
    ):
        walls = walls_from_text(text, meaning=meaning)
        start, end = walls.arrays.segments.transpose(1, 0, 2)
        left = (end - start)[:, ::-1] * [-1, 1] / np.linalg.norm(end - start, axis=1, keepdims=True)
        middle = (start + end) / 2
        assert compiled_free(walls, (middle + 0.01 * left).astype(np.float32)).all()
        assert not compiled_free(walls, (middle - 0.01 * left).astype(np.float32)).any()


@pytest.mark.parametrize("seed", range(4))
def test_cells_list_what_crosses_them_and_what_is_about(seed):
    drawn, meaning = plan(seed)
    walls = walls_from_text(drawn.wkt, meaning=meaning).arrays
    lines = shapely.linestrings(walls.segments.astype(float))
    for cell in np.random.default_rng(seed).integers(len(walls.is_free), size=50):
        row, column = divmod(int(cell), walls.columns)
        left, bottom = walls.origin_x + column * walls.spacing, walls.origin_y + row * walls.spacing
        apart = shapely.distance(shapely.box(left, bottom, left + walls.spacing, bottom + walls.spacing), lines)
        nearest, crossing, about = (
            walls.entries[first:end].tolist() for first, end in walls.starts[:, [cell, cell + 1]].tolist()
        )
        assert {*crossing} <= {*nearest}
        for listed, reach in ((crossing, 0.0), (about, SIGHT)):
            assert listed == sorted(set(listed))
            assert {*np.flatnonzero(apart <= reach)} <= {*listed}
            assert (apart[listed] <= reach + walls.spacing).all()


def test_lists_of_what_is_about_are_left_out_where_they_would_take_too_much():
    """Lines of 2000 obstacles in 100 square metres: each of 8000 is about each of 8000 cells or so."""
    at = np.stack(np.meshgrid(np.arange(50), np.arange(40)), axis=-1).reshape(-1, 2) * [0.2, 0.25]
    walls = wall_arrays(_segments([shapely.box(x, y, x + 0.1, y + 0.1) for x, y in at]), is_open=True)
    assert walls.starts[ABOUT, 0] == walls.starts[ABOUT, -1] == len(walls.entries)
    assert walls.starts[CROSSING, -1] - walls.starts[CROSSING, 0] >= len(walls.segments)


@pytest.mark.exhaustive
def test_lists_stay_short_where_many_walls_are_about_as_near():
    """In the middle of a round hall all walls are as near as each other: the grid is coarser than its cells may be."""
    angle = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    ring = shapely.Polygon(np.stack([50 * np.cos(angle), 50 * np.sin(angle)], axis=-1))
    arrays = wall_arrays(_segments([ring]), is_open=False)
    assert (np.diff(arrays.starts[:, [0, -1]], axis=1) < 1.5 * MOST_ENTRIES).all()
    assert 4 * FEWEST_CELLS < len(arrays.is_free) < CELLS_A_SEGMENT * len(arrays.segments) / 2
    spread = wall_arrays(_segments([shapely.box(x, 0, x + 0.5, 40) for x in range(100)]), is_open=True)
    assert len(spread.is_free) > 0.8 * CELLS_A_SEGMENT * len(spread.segments)
