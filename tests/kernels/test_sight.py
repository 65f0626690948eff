"""Whom walls hide: eight neighbours at a time, against the readable question of all walls."""

import numpy as np
import pytest
import shapely

from ecs_anim.kernels.neighbours import MOST, NEAR, ROWS
from ecs_anim.kernels.sight import MOST_BARS, seen_of
from ecs_anim.walls import queries
from ecs_anim.walls.arrays import ABOUT, WallArrays
from ecs_anim.walls.build import walls_from_text
from tests.helpers import called

COUNT = 60
seen_among = called(seen_of)


def pillars(rng: np.random.Generator, count: int) -> WallArrays:
    """A hall of 8 m by 8 m with triangles in it."""
    middles = rng.uniform(0.3, 7.7, (count, 1, 2))
    corners = shapely.polygons(middles + rng.normal(scale=0.15, size=(count, 3, 2)))
    return walls_from_text(shapely.box(0, 0, 8, 8).difference(shapely.union_all(corners)).wkt).arrays


def people(rng: np.random.Generator, side: float = 8.0) -> np.ndarray:
    """Places [COUNT, 2] in the hall; one of them twice."""
    places = rng.uniform(0.1, side - 0.1, (COUNT, 2)).astype(np.float32)
    places[1] = places[0]
    return places


def check(walls: WallArrays, places: np.ndarray) -> tuple[int, int]:
    """Whom each sees of all within 3 m; how many others that is, and of how many."""
    seen, asked = 0, 0
    for at, own in enumerate(places):
        apart = places - own
        size = np.sqrt(apart[:, 0] * apart[:, 0] + apart[:, 1] * apart[:, 1])
        others = np.flatnonzero((size < 3) & (np.arange(len(places)) != at))
        far = np.float32(queries.nearest_walls(walls, own[None].astype(float))[0][0, 2])
        starts = np.repeat(own[None].astype(float), len(others), axis=0)
        clear = queries.is_clear(walls, starts, starts + apart[others].astype(float)) | (size[others] < far)
        near = np.full(NEAR, np.nan, np.float32)
        rows = near[ROWS:].view(np.int32)
        rows[: len(others)] = others
        kept = seen_among(walls, np.ascontiguousarray(places.T), at, far, rows, near, len(others))
        assert rows[:kept].tolist() == others[clear].tolist()
        seen, asked = seen + kept, asked + len(others)
    return seen, asked


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_to_whom_a_way_is_clear(seed):
    rng = np.random.default_rng(seed)
    seen, asked = check(pillars(rng, 5 * seed + 1), people(rng))
    assert 0.2 * asked < seen < asked


def test_corners_and_walls_that_people_stand_on_are_decided():
    """Whole numbers: ways along walls, through corners, and people on both."""
    walls = walls_from_text(
        "POLYGON ((0 0, 6 0, 6 6, 0 6, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1), (4 4, 4 5, 5 4, 4 4))"
    ).arrays
    places = np.float32([[x, y] for x in range(7) for y in range(7)])
    seen, asked = check(walls, places)
    assert seen < asked


@pytest.mark.exhaustive
def test_more_walls_than_there_is_memory_for_hide_people_too():
    rng = np.random.default_rng(9)
    walls = pillars(rng, 400)
    assert np.diff(walls.starts[ABOUT]).max() > 2 * MOST_BARS
    check(walls, people(rng))


def test_walls_that_are_not_listed_hide_people_too():
    rng = np.random.default_rng(10)
    walls = pillars(rng, 20)
    starts = walls.starts.copy()
    starts[ABOUT] = starts[ABOUT, 0]
    starts.flags.writeable = False
    check(walls._replace(starts=starts), people(rng))


def test_people_outside_the_grid_are_asked_one_by_one():
    walls = walls_from_text("LINESTRING (0 0, 0.5 0)", meaning="obstacles").arrays
    rng = np.random.default_rng(11)
    seen, asked = check(walls, people(rng) - np.float32([4, 4]))
    assert seen < asked


def test_all_whom_there_is_memory_for_can_be_asked_about():
    rng = np.random.default_rng(12)
    walls, near = pillars(rng, 12), np.zeros(NEAR, np.float32)
    places = rng.uniform(3, 5, (2, MOST)).astype(np.float32)
    rows = near[ROWS:].view(np.int32)
    rows[: MOST - 1] = np.arange(1, MOST)
    far = np.float32(queries.nearest_walls(walls, places[:, :1].T.astype(float))[0][0, 2])
    kept = seen_among(walls, places, 0, far, rows, near, MOST - 1)
    start = np.repeat(places[:, :1].T.astype(float), MOST - 1, axis=0)
    apart = (places[:, 1:] - places[:, :1]).T
    size = np.sqrt(apart[:, 0] * apart[:, 0] + apart[:, 1] * apart[:, 1])
    clear = queries.is_clear(walls, start, start + apart.astype(float)) | (size < far)
    assert rows[:kept].tolist() == (1 + np.flatnonzero(clear)).tolist()
