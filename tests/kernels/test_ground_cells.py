"""Cells of eight places against numpy in float64, far from the world's origin too."""

import numba
import numpy as np

from ecs_anim.kernels.ground import _cells_along
from ecs_anim.kernels.types import COUNT, FLOATS, OUT_2D, OUT_LONGS_2D, REAL, void
from ecs_anim.simd import load, narrow, select, store, widen

ORIGIN, PER_UNIT, CELLS = 123_456.03, 1 / 0.3, 7
ONE, ZERO = np.float32(1), np.float32(0)


@numba.njit(void(FLOATS, REAL, REAL, COUNT, OUT_2D, OUT_LONGS_2D))
def _cells(places, origin, per_unit, count, out, out_cells):
    cells, rest, inside = _cells_along(load(places, 0), origin, per_unit, count)
    store(out, 0, rest)
    store(out, 8, select(inside, ONE, ZERO))
    store(out, 16, narrow(widen(load(places, 0)) - origin))
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
