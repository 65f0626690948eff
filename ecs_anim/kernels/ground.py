"""Rays straight down onto a ground."""

import numpy as np
from numba import njit, uint64

from ecs_anim.ground.arrays import HEIGHTS, TOUCH, TRIANGLES
from ecs_anim.kernels.types import COUNT, FLOATS_2D, GROUND, OUT_2D, void

ZERO, ONE = np.float32(0), np.float32(1)
NONE = np.float32(-np.inf)
SLACK = np.float32(TOUCH)
FASTMATH = {"contract", "arcp", "nsz"}


@njit(inline="always")
def _write(height, slope_x, slope_z, out):
    """Height and the unit normal of a surface of that slope."""
    shorter = ONE / np.sqrt(ONE + slope_x * slope_x + slope_z * slope_z)
    out[0], out[1], out[2], out[3] = height, -slope_x * shorter, shorter, -slope_z * shorter


@njit(inline="always")
def _floor_below(floor, x, y, z):
    """The floor's height where it is below a point, -inf else; x - x is zero for finite numbers alone."""
    return floor if (y + SLACK >= floor) and (x - x == ZERO) and (z - z == ZERO) else NONE


@njit
def _cast_flat(floor, points, count, out_hits):
    for ray in range(count):
        x, y, z = points[ray, 0], points[ray, 1], points[ray, 2]
        _write(_floor_below(floor, x, y, z), ZERO, ZERO, out_hits[ray])


@njit
def _cast_heights(ground, points, count, out_hits):
    heights, floor, origin_y = ground.heights, np.float32(ground.floor - ground.origin_y), ground.origin_y
    origin_x, origin_z = ground.origin_x, ground.origin_z
    per_x, per_z = 1 / ground.spacing_x, 1 / ground.spacing_z
    columns, rows = ground.columns, ground.rows
    for ray in range(count):
        x, z = points[ray, 0], points[ray, 2]
        y = np.float32(points[ray, 1] - origin_y)
        at_x, at_z = (x - origin_x) * per_x, (z - origin_z) * per_z
        height, slope_x, slope_z = _floor_below(floor, x, y, z), ZERO, ZERO
        if at_x >= 0 and at_x <= columns and at_z >= 0 and at_z <= rows:
            i, k = uint64(min(int(at_x), columns - 1)), uint64(min(int(at_z), rows - 1))
            u, v = np.float32(at_x - i), np.float32(at_z - k)
            near, far = heights[k, i], heights[k + uint64(1), i + uint64(1)]
            corner = heights[k, i + uint64(1)] if u >= v else heights[k + uint64(1), i]
            rise_x = corner - near if u >= v else far - corner
            rise_z = far - corner if u >= v else corner - near
            found = near + rise_x * u + rise_z * v
            if found <= y + SLACK and found > height:
                height, slope_x, slope_z = found, rise_x * np.float32(per_x), rise_z * np.float32(per_z)
        _write(np.float32(height + origin_y), slope_x, slope_z, out_hits[ray])


@njit
def _cast_triangles(ground, points, count, out_hits):
    starts, records = ground.starts, ground.records
    floor, origin_y = np.float32(ground.floor - ground.origin_y), ground.origin_y
    origin_x, origin_z = ground.origin_x, ground.origin_z
    per_metre, columns, rows = 1 / ground.spacing_x, ground.columns, ground.rows
    for ray in range(count):
        x, z = points[ray, 0], points[ray, 2]
        y = np.float32(points[ray, 1] - origin_y)
        at_x, at_z = (x - origin_x) * per_metre, (z - origin_z) * per_metre
        height, slope_x, slope_z = _floor_below(floor, x, y, z), ZERO, ZERO
        if at_x >= 0 and at_x < columns and at_z >= 0 and at_z < rows:
            i, k = int(at_x), int(at_z)
            u, v = np.float32(at_x - i), np.float32(at_z - k)
            cell = uint64(k * columns + i)
            for record in range(starts[cell], starts[cell + uint64(1)]):
                r = uint64(record)
                inside = min(
                    records[r, 0] * u + records[r, 1] * v + records[r, 2],
                    records[r, 3] * u + records[r, 4] * v + records[r, 5],
                    records[r, 6] * u + records[r, 7] * v + records[r, 8],
                )
                found = records[r, 9] * u + records[r, 10] * v + records[r, 11]
                if inside >= ZERO and found <= y + SLACK and found > height:
                    height, slope_x, slope_z = found, records[r, 9], records[r, 10]
        steep = np.float32(per_metre)
        _write(np.float32(height + origin_y), slope_x * steep, slope_z * steep, out_hits[ray])


@njit(void(GROUND, FLOATS_2D, COUNT, OUT_2D), cache=True, nogil=True, fastmath=FASTMATH)
def cast_down(ground, points, count, out_hits):
    """The nearest surface at or below each point: rays straight down.

    points [>= count, 3] [m]; out_hits [>= count, 4]: height [m], -inf = none, then the unit normal x, y, z, which
    points up; (0, 1, 0) where there is none. A point that is not finite in x or z has none.
    """
    if ground.kind == HEIGHTS:
        _cast_heights(ground, points, count, out_hits)
    elif ground.kind == TRIANGLES:
        _cast_triangles(ground, points, count, out_hits)
    else:
        _cast_flat(np.float32(ground.floor), points, count, out_hits)
