"""Rays straight down onto a ground."""

import numpy as np
from numba import njit, uint64

from ecs_anim.ground.arrays import HEIGHTS, TOUCH, TRIANGLES
from ecs_anim.kernels import inlined, kernel, maker
from ecs_anim.kernels.types import COUNT, FLOATS_2D, GROUND, OUT_2D, REAL, void
from ecs_anim.simd import (
    borrow,
    broadcast,
    gather,
    gather2,
    gather3,
    keep_alive,
    load,
    minimum,
    narrow,
    pointer,
    prefetch,
    rows_at,
    rows_from,
    scatter,
    scatter4,
    select,
    store,
    to_integers,
    widen,
)

ZERO, ONE = np.float32(0), np.float32(1)
NONE, NOWHERE = np.float32(-np.inf), np.float32(np.nan)
SLACK = np.float32(TOUCH)
BATCH = 128  # rays whose triangles are fetched together


@inlined
def _surface(height, slope_x, slope_z):
    """Height and the unit normal of a surface of that slope; lanes or single numbers."""
    shorter = ONE / np.sqrt(ONE + slope_x * slope_x + slope_z * slope_z)
    return height, -slope_x * shorter, shorter, -slope_z * shorter


@inlined
def _write(height, slope_x, slope_z, out, ray):
    """A surface, to a ray's row."""
    out[ray, 0], out[ray, 1], out[ray, 2], out[ray, 3] = _surface(height, slope_x, slope_z)


@inlined
def _floor_below(floor, x, y, z):
    """The floor's height where it is below a point, -inf else; lanes or single numbers."""
    there = (y + SLACK >= floor) & (abs(x) < -NONE) & (abs(z) < -NONE)
    return select(there, floor, NONE)


@inlined
def _cast_flat(floor, points, count, out_hits):
    for number in range(count):
        ray = uint64(number)
        x, y, z = points[ray, 0], points[ray, 1], points[ray, 2]
        _write(_floor_below(floor, x, y, z), ZERO, ZERO, out_hits, ray)


@inlined
def _cells_along(at, origin, per_unit, count):
    """Which of `count` cells in a row eight places are in, how far into it (0 to 1), and whether in one at all.

    Places beside the row are in the first cell. Differences are taken in float64, as places may be far from the origin.
    """
    cells = (widen(at) - origin) * per_unit
    inside = (cells >= 0.0) & (cells <= np.float64(count))
    cells = select(inside, cells, 0.0)
    first = minimum(np.floor(cells), np.float64(count - 1))
    return to_integers(first), narrow(cells - first), inside


@inlined
def _cells_below(ground, x, z):
    """Where eight rays' cells of a height field begin, and how far into them rays go; NaN of who is in none."""
    column, u, among_columns = _cells_along(x, ground.origin_x, 1 / ground.spacing_x, ground.columns)
    row, v, among_rows = _cells_along(z, ground.origin_z, 1 / ground.spacing_z, ground.rows)
    return row * (ground.columns + 1) + column, select(among_columns & among_rows, u, NOWHERE), v


@inlined
def _heights_below(ground, cells, x, y, z):
    """What eight rays down onto a height field meet in their cells."""
    (starts, u, v), heights, y = cells, pointer(ground.heights), narrow(widen(y) - ground.origin_y)
    near, ahead = gather2(heights, starts, 0)
    aside, far = gather2(heights, starts, ground.columns + 1)
    first = u >= v  # of the cell's two triangles
    rise_x, rise_z = select(first, ahead - near, far - aside), select(first, far - ahead, aside - near)
    found = near + rise_x * u + rise_z * v
    floor = _floor_below(np.float32(ground.floor - ground.origin_y), x, y, z)
    met = (found <= y + SLACK) & (found > floor)
    height = narrow(widen(select(met, found, floor)) + ground.origin_y)
    per_x, per_z = np.float32(1 / ground.spacing_x), np.float32(1 / ground.spacing_z)
    return _surface(height, select(met, rise_x * per_x, ZERO), select(met, rise_z * per_z, ZERO))


@inlined
def _cast_heights(ground, points, count, out_hits):
    places, hits = pointer(points), pointer(out_hits)
    for first in range(0, count, 8):
        rays = rows_from(first, count)
        x, y, z = gather3(places, rays * 3, 0)
        scatter4(hits, rays * 4, 0, *_heights_below(ground, _cells_below(ground, x, z), x, y, z))


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


@maker
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
    ground, points, out_hits = borrow(ground), borrow(points), borrow(out_hits)
    if ground.kind == HEIGHTS:
        _cast_heights(ground, points, count, out_hits)
    elif ground.kind == TRIANGLES:
        _cast_triangles(ground, points, count, out_hits)
    else:
        _cast_flat(np.float32(ground.floor), points, count, out_hits)


@maker
def _cast_lanes_apart(ground, points, groups, out_hits):
    """Rays in lanes onto triangles, one by one."""
    count = 8 * groups
    rays, met = np.empty((count, 3), np.float32), np.empty((count, 4), np.float32)
    for number in range(count):
        for axis in range(3):
            rays[number, axis] = points[24 * (number // 8) + 8 * axis + number % 8]
    _cast_triangles(ground, borrow(rays), count, borrow(met))
    for number in range(count):
        for axis in range(4):
            out_hits[32 * (number // 8) + 8 * axis + number % 8] = met[number, axis]
    keep_alive(rays, met)


@inlined
def find_cells(ground, points, groups, cells):
    """Find cells of a height field that groups of eight rays fall into, and ask for these.

    cells: where they begin [group, 8], and how far into them rays go [group, 2, 8], flat.
    """
    begins, shares = cells
    if ground.kind == HEIGHTS:
        heights, stride = pointer(ground.heights), ground.columns + 1
        for group in range(groups):
            starts, u, v = _cells_below(ground, load(points, 24 * group), load(points, 24 * group + 16))
            store(shares, 16 * group, u)
            store(shares, 16 * group + 8, v)
            for lane in range(8):
                begins[8 * group + lane] = starts[lane]
                prefetch(heights, starts[lane])
                prefetch(heights, starts[lane] + stride)


@inlined
def cast_lanes(ground, points, groups, cells, out_hits):
    """`cast_down` of groups of eight rays; points [group, 3, 8] and out_hits [group, 4, 8], flat; cells: see above."""
    if ground.kind == TRIANGLES:
        _cast_lanes_apart(borrow(ground), points, groups, out_hits)
        return
    begins, shares = cells
    for group in range(groups):
        at, to = 24 * group, 32 * group
        x, y, z = load(points, at), load(points, at + 8), load(points, at + 16)
        if ground.kind == HEIGHTS:
            own = rows_at(begins, 8 * group), load(shares, 16 * group), load(shares, 16 * group + 8)
            height, side, up, ahead = _heights_below(ground, own, x, y, z)
        else:
            none = broadcast(ZERO)
            height, side, up, ahead = _surface(_floor_below(np.float32(ground.floor), x, y, z), none, none)
        store(out_hits, to, height)
        store(out_hits, to + 8, side)
        store(out_hits, to + 16, up)
        store(out_hits, to + 24, ahead)


@kernel(void(GROUND, FLOATS_2D, COUNT, OUT_2D))
def cast_down(ground, points, count, out_hits):
    """The nearest surface at or below each point: rays straight down.

    points [>= count, 3] [m]; out_hits [>= count, 4]: height [m], -inf = none, then the unit normal x, y, z, which
    points up; (0, 1, 0) where there is none. A point that is not finite in x or z has none.
    """
    _cast(ground, points, count, out_hits)


@kernel(void(GROUND, REAL, REAL, OUT_2D))
def keep_footing(ground, climb, offset, out_translation):
    """Put actors `offset` [m] above the nearest surface below them, or up to `climb` [m] above; others stay.

    out_translation [actor, 3] [m].
    """
    up, above, count, places = np.float32(climb), np.float32(offset), out_translation.shape[0], pointer(out_translation)
    points, hits = np.empty(3 * BATCH, np.float32), np.empty(4 * BATCH, np.float32)
    begins, shares = np.empty(BATCH, np.int64), np.empty(2 * BATCH, np.float32)
    point_lanes, hit_lanes, cells = pointer(points), pointer(hits), (pointer(begins), pointer(shares))
    for begin in range(0, count, BATCH):
        groups = (min(count - begin, BATCH) + 7) // 8
        for group in range(groups):
            starts, at = rows_from(begin + 8 * group, count) * 3, 24 * group
            x, y, z = gather3(places, starts, 0)
            store(point_lanes, at, x)
            store(point_lanes, at + 8, y + up)
            store(point_lanes, at + 16, z)
        find_cells(ground, point_lanes, groups, cells)
        cast_lanes(ground, point_lanes, groups, cells, hit_lanes)
        for group in range(groups):
            starts, height = rows_from(begin + 8 * group, count) * 3, load(hit_lanes, 32 * group)
            scatter(places, starts, 1, select(height > NONE, height + above, gather(places, starts, 1)))
    keep_alive(points, hits, begins, shares)
