"""Cells of eight places against numpy in float64, far from the world's origin too."""

import numba
import numpy as np

from ecs_anim.kernels.doubles import (
    cell_along,
    cycles_before,
    gathered_pairs,
    quotient_with,
    scattered_pairs,
    sum_with,
    wholes,
)
from ecs_anim.kernels.lanes import eight, put
from ecs_anim.kernels.masks import chosen
from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, OUT_2D, OUT_LONGS_2D, REAL, void

ORIGIN, PER_UNIT, CELLS = 123_456.03, 1 / 0.3, 7
ONE, ZERO = np.float32(1), np.float32(0)


@numba.njit(void(FLOATS, REAL, REAL, COUNT, OUT_2D, OUT_LONGS_2D))
def _cells(places, origin, per_unit, count, out, out_cells):
    cells, rest, inside = cell_along(eight(places, 0), origin, per_unit, count)
    put(out, 0, rest)
    put(out, 8, chosen(inside, ONE, ZERO))
    put(out, 16, sum_with(eight(places, 0), -origin))
    for lane in range(8):
        out_cells[0, lane] = cells[lane]


def found(places):
    """Cells, how far into them, whether in one, and how far from the origin."""
    out, cells = np.empty((3, 8), np.float32), np.empty((1, 8), np.int64)
    _cells(np.float32(places), ORIGIN, PER_UNIT, CELLS, out, cells)
    return cells[0], *out


def test_cells_are_where_double_precision_has_them():
    places = np.float32(ORIGIN + np.linspace(0.02, 2.05, 8))
    at = (places.astype(np.float64) - ORIGIN) * PER_UNIT
    cells, rest, inside, apart = found(places)
    np.testing.assert_array_equal(cells, np.floor(at))
    np.testing.assert_array_equal(rest, (at - np.floor(at)).astype(np.float32))
    np.testing.assert_array_equal(inside, 1)
    np.testing.assert_array_equal(apart, (places.astype(np.float64) - ORIGIN).astype(np.float32))


def test_who_is_beside_the_grid_is_told_so():
    places = np.float32([ORIGIN - 1, ORIGIN + 3, np.nan, np.inf, -np.inf, 0, 3e38, ORIGIN + 1])
    cells, rest, inside, _ = found(places)
    np.testing.assert_array_equal(inside, [0, 0, 0, 0, 0, 0, 0, 1])
    np.testing.assert_array_equal(cells[:7], 0)
    np.testing.assert_array_equal(rest[:7], 0)


def test_the_last_corner_belongs_to_the_last_cell():
    out, cells = np.empty((3, 8), np.float32), np.empty((1, 8), np.int64)
    _cells(np.full(8, 3.5, np.float32), 0.0, 2.0, CELLS, out, cells)
    assert (cells == CELLS - 1).all()
    assert (out[:2] == 1).all()


@numba.njit(void(FLOATS_2D, OUT_2D))
def _pairs(table, out):
    first, second = gathered_pairs(table, (0, 5, 5, 20, 10, 15, 0, 20), 3)
    put(out, 0, first)
    put(out, 8, second)


def test_pairs_are_neighbours():
    table, out = np.arange(25, dtype=np.float32).reshape(5, 5), np.empty((2, 8), np.float32)
    _pairs(table, out)
    starts = np.array([0, 5, 5, 20, 10, 15, 0, 20])
    np.testing.assert_array_equal(out, [starts + 3, starts + 4])


@numba.njit(void(FLOATS_2D, OUT_2D))
def _put_pairs(numbers, out):
    scattered_pairs(out, (0, 5, 10, 15, 20, 25, 35, 30), 3, eight(numbers, 0), eight(numbers, 8))


def test_pairs_are_written_where_they_are_read():
    numbers, out = np.arange(16, dtype=np.float32).reshape(2, 8), np.full((8, 5), -1, np.float32)
    _put_pairs(numbers, out)
    np.testing.assert_array_equal(out[[0, 1, 2, 3, 4, 5, 7, 6], 3:], numbers.T)
    np.testing.assert_array_equal(out[:, :3], -1)


@numba.njit(void(FLOATS_2D, REAL, OUT_2D, OUT_LONGS_2D))
def _phases(table, seconds, out, out_wholes):
    whole, part = cycles_before(eight(table, 0), eight(table, 8), seconds)
    put(out, 0, whole)
    put(out, 8, part)
    put(out, 16, quotient_with(eight(table, 8), seconds))
    numbers = wholes(whole)
    for lane in range(8):
        out_wholes[0, lane] = numbers[lane]


def test_phases_go_back_in_double_precision():
    rng = np.random.default_rng(4)
    table = np.stack([rng.uniform(0, 1, 8), rng.uniform(-300, 300, 8)]).astype(np.float32)
    out, numbers = np.empty((3, 8), np.float32), np.empty((1, 8), np.int64)
    _phases(table, 1 / 60, out, numbers)
    before = table[0].astype(np.float64) - table[1].astype(np.float64) / 60
    np.testing.assert_array_equal(out[0], np.floor(before))
    np.testing.assert_array_equal(numbers[0], np.floor(before))
    np.testing.assert_allclose(out[1], before % 1, atol=1e-7)
    np.testing.assert_array_equal(out[2], (table[1].astype(np.float64) / (1 / 60)).astype(np.float32))
