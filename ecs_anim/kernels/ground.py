"""Rays straight down onto a ground."""

import numpy as np
from numba import njit, uint64

from ecs_anim.ground.arrays import HEIGHTS, TOUCH, TRIANGLES
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.lanes import borrowed
from ecs_anim.kernels.types import COUNT, FLOATS_2D, GROUND, OUT_2D, REAL, void

ZERO, ONE = np.float32(0), np.float32(1)
NONE = np.float32(-np.inf)
SLACK = np.float32(TOUCH)
BATCH = 128  # rays whose triangles are fetched together


@inlined
def _write(height, slope_x, slope_z, out, ray):
    """Height and the unit normal of a surface of that slope."""
    shorter = ONE / np.sqrt(ONE + slope_x * slope_x + slope_z * slope_z)
    out[ray, 0], out[ray, 1], out[ray, 2], out[ray, 3] = height, -slope_x * shorter, shorter, -slope_z * shorter


@inlined
def _floor_below(floor, x, y, z):
    """The floor's height where it is below a point, -inf else."""
    return floor if (y + SLACK >= floor) and (abs(x) < -NONE) and (abs(z) < -NONE) else NONE


@inlined
def _cast_flat(floor, points, count, out_hits):
    for number in range(count):
        ray = uint64(number)
        x, y, z = points[ray, 0], points[ray, 1], points[ray, 2]
        _write(_floor_below(floor, x, y, z), ZERO, ZERO, out_hits, ray)


@inlined
def _cast_heights(ground, points, count, out_hits):
    heights, floor, origin_y = ground.heights, np.float32(ground.floor - ground.origin_y), ground.origin_y
    origin_x, origin_z = ground.origin_x, ground.origin_z
    per_x, per_z = 1 / ground.spacing_x, 1 / ground.spacing_z
    columns, rows = ground.columns, ground.rows
    for number in range(count):
        ray = uint64(number)
        x, z = points[ray, 0], points[ray, 2]
        y = np.float32(points[ray, 1] - origin_y)
        at_x, at_z = (x - origin_x) * per_x, (z - origin_z) * per_z
        height, slope_x, slope_z = _floor_below(floor, x, y, z), ZERO, ZERO
        if at_x >= 0 and at_x <= columns and at_z >= 0 and at_z <= rows:
            i, k = uint64(min(int(at_x), columns - 1)), uint64(min(int(at_z), rows - 1))
            u, v = np.float32(at_x - i), np.float32(at_z - k)
            near, far = heights[k, i], heights[k + uint64(1), i + uint64(1)]
            first = u >= v  # of the cell's two triangles; a choice without a jump, which would be guessed half the time
            corner = heights[k + uint64(not first), i + uint64(first)]
            rise_x, rise_z = corner - near if first else far - corner, far - corner if first else corner - near
            found = near + rise_x * u + rise_z * v
            if found <= y + SLACK and found > height:
                height, slope_x, slope_z = found, rise_x * np.float32(per_x), rise_z * np.float32(per_z)
        _write(np.float32(height + origin_y), slope_x, slope_z, out_hits, ray)


@njit(inline="always")
def _inside(triangles, t, x, z):
    """Positive inside a triangle's plan, 0 on its border.

    A difference of two rounded products never has the wrong sign, only at times none: a ray at an edge is inside one
    of the neighbours at least, and none falls between them (Woop, Benthin and Wald 2013). A fused multiply-add would
    round but one of the products, and lose that.
    """
    ax, az = triangles[t, 0] - x, triangles[t, 1] - z
    bx, bz = triangles[t, 2] - x, triangles[t, 3] - z
    cx, cz = triangles[t, 4] - x, triangles[t, 5] - z
    return min(az * bx - ax * bz, bz * cx - bx * cz, cz * ax - cx * az)


@njit(inline="always")
def _find_cells(ground, points, first, count, out_local, out_range, out_touched):
    """Where a batch of rays is in the grid, and which entries their cells have.

    Each step is a loop of its own, and the last one touches what is tried first: so memory serves many rays at once,
    where a search ray by ray would wait for each step of each.
    """
    starts, entries, triangles = ground.starts, ground.entries, ground.triangles
    origin_x, origin_y, origin_z = ground.origin_x, ground.origin_y, ground.origin_z
    per_metre, columns, rows = np.float32(1 / ground.spacing_x), ground.columns, ground.rows
    for number in range(count):
        ray, at = uint64(number), uint64(first + number)
        x, z = np.float32(points[at, 0] - origin_x), np.float32(points[at, 2] - origin_z)
        out_local[ray, 0], out_local[ray, 1], out_local[ray, 2] = x, np.float32(points[at, 1] - origin_y), z
        column, row = x * per_metre, z * per_metre
        inside = (column >= ZERO) & (column < columns) & (row >= ZERO) & (row < rows)
        out_range[ray, 0] = int(row) * columns + int(column) if inside else -1
    for number in range(count):
        ray = uint64(number)
        cell = out_range[ray, 0]
        begin = uint64(cell if cell >= 0 else 0)
        out_range[ray, 0] = starts[begin]
        out_range[ray, 1] = starts[begin + uint64(1)] if cell >= 0 else starts[begin]
    for number in range(count):
        ray = uint64(number)
        out_touched[ray] = triangles[uint64(entries[uint64(out_range[ray, 0])] >> 1), 0]


@inlined
def _cast_triangles(ground, points, count, out_hits):
    entries, triangles = ground.entries, ground.triangles
    floor, origin_y = np.float32(ground.floor - ground.origin_y), ground.origin_y
    local, ranges = np.empty((BATCH, 3), np.float32), np.empty((BATCH, 2), np.int32)
    touched = np.empty(BATCH, np.float32)
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        _find_cells(ground, points, first, size, local, ranges, touched)
        for number in range(size):
            ray = uint64(number)
            x, y, z = local[ray, 0], local[ray, 1], local[ray, 2]
            height, slope_x, slope_z = _floor_below(floor, x, y, z), ZERO, ZERO
            for at in range(ranges[ray, 0], ranges[ray, 1]):
                entry = entries[uint64(at)]
                t = uint64(entry >> 1)
                inside = _inside(triangles, t, x, z)
                if inside >= ZERO:
                    rise_x, rise_z = triangles[t, 7], triangles[t, 8]
                    found = triangles[t, 6] + rise_x * (x - triangles[t, 0]) + rise_z * (z - triangles[t, 1])
                    if found <= y + SLACK and found > height:
                        height, slope_x, slope_z = found, rise_x, rise_z
                    if inside > ZERO and entry & 1:
                        break
            _write(np.float32(height + origin_y), slope_x, slope_z, out_hits, uint64(first + number))


@inlined
def _cast(ground, points, count, out_hits):
    ground, points, out_hits = borrowed(ground), borrowed(points), borrowed(out_hits)
    if ground.kind == HEIGHTS:
        _cast_heights(ground, points, count, out_hits)
    elif ground.kind == TRIANGLES:
        _cast_triangles(ground, points, count, out_hits)
    else:
        _cast_flat(np.float32(ground.floor), points, count, out_hits)


@kernel(void(GROUND, FLOATS_2D, COUNT, OUT_2D))
def cast_down(ground, points, count, out_hits):
    """The nearest surface at or below each point: rays straight down.

    points [>= count, 3] [m]; out_hits [>= count, 4]: height [m], -inf = none, then the unit normal x, y, z, which
    points up; (0, 1, 0) where there is none. A point that is not finite in x or z has none.
    """
    _cast(ground, points, count, out_hits)


@kernel(void(GROUND, REAL, REAL, OUT_2D, OUT_2D, OUT_2D))
def keep_footing(ground, climb, offset, out_points, out_hits, out_translation):
    """Put actors `offset` [m] above the nearest surface below them, or up to `climb` [m] above; others stay.

    out_translation [actor, 3] [m]; out_points [actor, 3], out_hits [actor, 4]: memory.
    """
    up, above = np.float32(climb), np.float32(offset)
    count = out_translation.shape[0]
    for actor in range(count):
        row = uint64(actor)
        out_points[row, 0], out_points[row, 2] = out_translation[row, 0], out_translation[row, 2]
        out_points[row, 1] = out_translation[row, 1] + up
    _cast(ground, out_points, count, out_hits)
    for actor in range(count):
        row = uint64(actor)
        if out_hits[row, 0] > NONE:
            out_translation[row, 1] = out_hits[row, 0] + above
