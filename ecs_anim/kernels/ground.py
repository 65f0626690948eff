"""Ground queries: kernels that cast vertical rays down from points onto a floor, a height field or triangles."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from ecs_anim import simd
from ecs_anim.ground.arrays import HEIGHTS, TOUCH, TRIANGLES
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.types import COUNT, FLOATS_2D, GROUND, OUT_2D, REAL, void

ZERO, ONE = np.float32(0), np.float32(1)
NONE, NOWHERE = np.float32(-np.inf), np.float32(np.nan)
SLACK = np.float32(TOUCH)
BATCH = 128  # number of rays whose memory accesses overlap


@inlined
def _surface(height, slope_x, slope_z):
    """Return the height and the unit normal of a surface with two slopes, as lanes or single numbers."""
    shorter = ONE / np.sqrt(ONE + slope_x * slope_x + slope_z * slope_z)
    return height, -slope_x * shorter, shorter, -slope_z * shorter


@inlined
def _floor_below(floor, x, y, z):
    """Return the height of a flat floor below a point, or -inf if the floor is above the point (lanes or numbers)."""
    there = (y + SLACK >= floor) & (abs(x) < -NONE) & (abs(z) < -NONE)
    return simd.select(there, floor, NONE)


@inlined
def _cells_along(at, origin, per_unit, count):
    """Return the grid cells of eight positions `at` along one axis, fractions, 0 to 1, in these cells, and a mask of
    the positions inside. Outside, the cell is the first. The subtraction is in float64, because positions can be far
    from the origin of the grid. `count` is the number of cells.
    """
    cells = (simd.widen(at) - origin) * per_unit
    inside = (cells >= 0.0) & (cells <= np.float64(count))
    cells = simd.select(inside, cells, 0.0)
    first = simd.minimum(np.floor(cells), np.float64(count - 1))
    return simd.to_integers(first), simd.narrow(cells - first), inside


@inlined
def _cells_below(ground, x, z):
    """Return the offset of the height-field cell below each of eight rays, and the position of each ray in its cell.

    The position is two fractions: along x and along z. For a ray outside of the grid, the fraction along x is NaN.
    """
    column, u, among_columns = _cells_along(x, ground.origin_x, 1 / ground.spacing_x, ground.columns)
    row, v, among_rows = _cells_along(z, ground.origin_z, 1 / ground.spacing_z, ground.rows)
    return row * (ground.columns + 1) + column, simd.select(among_columns & among_rows, u, NOWHERE), v


@inlined
def _heights_below(ground, cells, x, y, z):
    """Return the heights and normals of the points at which eight rays hit their cells of a height field."""
    (starts, u, v), heights, y = cells, simd.pointer(ground.heights), simd.narrow(simd.widen(y) - ground.origin_y)
    near, ahead = simd.gather_each(heights, starts, 0, 2)
    aside, far = simd.gather_each(heights, starts, ground.columns + 1, 2)
    first = u >= v  # whether the ray hits the first of the two triangles of the cell
    rise_x, rise_z = simd.select(first, ahead - near, far - aside), simd.select(first, far - ahead, aside - near)
    found = near + rise_x * u + rise_z * v
    floor = _floor_below(np.float32(ground.floor - ground.origin_y), x, y, z)
    met = (found <= y + SLACK) & (found > floor)
    height = simd.narrow(simd.widen(simd.select(met, found, floor)) + ground.origin_y)
    per_x, per_z = np.float32(1 / ground.spacing_x), np.float32(1 / ground.spacing_z)
    return _surface(height, simd.select(met, rise_x * per_x, ZERO), simd.select(met, rise_z * per_z, ZERO))


@njit(inline="always")
def _inside(triangles, t, x, z):
    """Return a positive number for a point inside a triangle on the plan, 0 on its border, and a negative number
    outside. Each rounded difference of products has the right sign or is 0, so a ray at an edge is inside at least one
    triangle (Woop, Benthin and Wald 2013). A fused multiply-add could give a wrong sign.
    """
    ax, az = triangles[t, 0] - x, triangles[t, 1] - z
    bx, bz = triangles[t, 2] - x, triangles[t, 3] - z
    cx, cz = triangles[t, 4] - x, triangles[t, 5] - z
    return min(az * bx - ax * bz, bz * cx - bx * cz, cz * ax - cx * az)


@inlined
def _in_lanes(ray, numbers):
    """Return the offset of a ray's first number in a flat array with `numbers` vectors for each group of eight rays."""
    return 8 * numbers * (ray // 8) + ray % 8


@njit(inline="always")
def _find_entries(ground, points, first, count, out_local, out_range, out_touched):
    """For a batch of rays, find the grid cells, and the range of each cell in the list of triangles. Each step is a
    separate loop over the rays, so that many memory accesses overlap. The last loop reads the first triangle of each
    ray.
    """
    starts, entries, triangles = ground.starts, ground.entries, ground.triangles
    per_metre, columns, rows = np.float32(1 / ground.spacing_x), ground.columns, ground.rows
    for number in range(count):
        ray, at = uint64(number), _in_lanes(first + number, 3)
        x, z = np.float32(points[at] - ground.origin_x), np.float32(points[at + 16] - ground.origin_z)
        out_local[ray, 0], out_local[ray, 1], out_local[ray, 2] = x, np.float32(points[at + 8] - ground.origin_y), z
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


@helper
def _cast_onto_triangles(ground, points, groups, out_hits):
    """Cast rays onto triangles, one ray after the other. See `cast_lanes`."""
    entries, triangles = ground.entries, ground.triangles
    floor, origin_y, count = np.float32(ground.floor - ground.origin_y), ground.origin_y, 8 * groups
    local, ranges = np.empty((BATCH, 3), np.float32), np.empty((BATCH, 2), np.int32)
    touched = np.empty(BATCH, np.float32)
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        _find_entries(ground, points, first, size, local, ranges, touched)
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
            to = _in_lanes(first + number, 4)
            hit = _surface(np.float32(height + origin_y), slope_x, slope_z)
            out_hits[to], out_hits[to + 8], out_hits[to + 16], out_hits[to + 24] = hit


@inlined
def find_cells(ground, points, groups, cells):
    """Find the height-field cells below groups of eight rays, and prefetch their heights. Write to two flat arrays in
    `cells`: the offsets of the cells [group, 8], and the fractions [group, 2, 8].
    """
    begins, shares = cells
    if ground.kind == HEIGHTS:
        heights, stride = simd.pointer(ground.heights), ground.columns + 1
        for group in range(groups):
            x, _, z = simd.load_each(points, 24 * group, 3)
            starts, u, v = _cells_below(ground, x, z)
            simd.store(shares, 16 * group, (u, v))
            for lane in range(8):
                begins[8 * group + lane] = starts[lane]
                simd.prefetch(heights, starts[lane])
                simd.prefetch(heights, starts[lane] + stride)


@inlined
def cast_lanes(ground, points, groups, cells, out_hits):
    """Find the surfaces below groups of eight rays (see `cast_down`). `points` [group, 3, 8] and `out_hits` [group, 4,
    8] are flat. `find_cells` has written the arrays in `cells`.
    """
    if ground.kind == TRIANGLES:
        _cast_onto_triangles(ground, points, groups, out_hits)
        return
    begins, shares = cells
    for group in range(groups):
        x, y, z = simd.load_each(points, 24 * group, 3)
        if ground.kind == HEIGHTS:
            own = simd.rows_at(begins, 8 * group), *simd.load_each(shares, 16 * group, 2)
            hit = _heights_below(ground, own, x, y, z)
        else:
            none = simd.broadcast(ZERO)
            hit = _surface(_floor_below(np.float32(ground.floor), x, y, z), none, none)
        simd.store(out_hits, 32 * group, hit)


class Rays(NamedTuple):
    """Memory for a batch of rays."""

    points: Any  # [group, 3, 8]
    hits: Any  # [group, 4, 8]
    begins: Any  # [group, 8]
    shares: Any  # [group, 2, 8]


@helper
def _new_rays():
    places = np.empty(3 * BATCH, np.float32), np.empty(4 * BATCH, np.float32)
    return Rays(*places, np.empty(BATCH, np.int64), np.empty(2 * BATCH, np.float32))


@inlined
def _cast_batch(ground, places, begin, count, up, rays):
    """Cast rays from `up` [m] above the positions in `places`, from the index `begin` onwards. `count` is the number of
    all positions. Return the number of groups of eight rays.
    """
    groups = (min(count - begin, BATCH) + 7) // 8
    for group in range(groups):
        x, y, z = simd.gather_each(places, simd.rows_from(begin + 8 * group, count) * 3, 0, 3)
        simd.store(rays.points, 24 * group, (x, y + up, z))
    cells = rays.begins, rays.shares
    find_cells(ground, rays.points, groups, cells)
    cast_lanes(ground, rays.points, groups, cells, rays.hits)
    return groups


@kernel(void(GROUND, FLOATS_2D, COUNT, OUT_2D))
def cast_down(ground, points, count, out_hits):
    """Find the nearest surface at or below each of `points` [>= count, 3] [m]. `out_hits` [>= count, 4] receives the
    height [m] of the surface and its unit normal, which points up. Without a surface, the height is -inf and the normal
    is (0, 1, 0). A point whose x or z is infinite or NaN has no surface.
    """
    memory, places, hits = _new_rays(), simd.pointer(points), simd.pointer(out_hits)
    rays = simd.pointer(memory)
    for begin in range(0, count, BATCH):
        for group in range(_cast_batch(ground, places, begin, count, ZERO, rays)):
            rows = simd.rows_from(begin + 8 * group, count)
            simd.scatter(hits, rows * 4, 0, simd.load_each(rays.hits, 32 * group, 4))
    simd.keep_alive(memory)


@kernel(void(GROUND, REAL, REAL, OUT_2D))
def keep_footing(ground, climb, offset, out_translation):
    """Move actors `out_translation` [actor, 3] [m] to `offset` [m] above the highest surface that is at most `climb`
    [m] above them. Without such a surface, an actor keeps its position.
    """
    memory, count, places = _new_rays(), out_translation.shape[0], simd.pointer(out_translation)
    rays, up, above = simd.pointer(memory), np.float32(climb), np.float32(offset)
    for begin in range(0, count, BATCH):
        for group in range(_cast_batch(ground, places, begin, count, up, rays)):
            starts, height = simd.rows_from(begin + 8 * group, count) * 3, simd.load(rays.hits, 32 * group)
            simd.scatter(places, starts, 1, simd.select(height > NONE, height + above, simd.gather(places, starts, 1)))
    simd.keep_alive(memory)
