"""Queries of walls: the nearest wall, walkable points, and lines of sight. Plan coordinates: x east, y north [m]."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.grid_lines import begin_at, next_cell, number_of, part_in_grid
from ecs_anim.kernels.types import COUNT, FLOATS_2D, OUT_2D, OUT_BOOLS, OUT_INTS, WALLS, void
from ecs_anim.walls.arrays import CROSSING, NEAREST

ROUNDING = np.float32(0.01)  # [m], more than all rounding errors of distances to walls


@inlined
def cell_of(walls, x, y):
    """Return the cell that contains the point x, y. For a point outside the grid, return -1."""
    column, row = (x - walls.origin_x) / walls.spacing, (y - walls.origin_y) / walls.spacing
    inside = column >= 0 and row >= 0 and column < walls.columns and row < walls.rows
    return int(row) * walls.columns + int(column) if inside else -1


@inlined
def side_of(ax, ay, bx, by, x, y):
    """Return a positive number if (x, y) is to the left of the line from a to b, and a negative number to its right."""
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax)


@inlined
def _is_crossed(segments, segment, px, py, qx, qy):
    """Return whether the line from p to q crosses a segment. An end of the segment exactly on the line counts as left
    of it, so that two segments with a common end agree.
    """
    ax, ay = np.float64(segments[segment, 0, 0]), np.float64(segments[segment, 0, 1])
    bx, by = np.float64(segments[segment, 1, 0]), np.float64(segments[segment, 1, 1])
    apart = (side_of(px, py, qx, qy, ax, ay) >= 0) != (side_of(px, py, qx, qy, bx, by) >= 0)
    return apart and (side_of(ax, ay, bx, by, px, py) >= 0) != (side_of(ax, ay, bx, by, qx, qy) >= 0)


@inlined
def _nearest_on(segments, segment, x, y):
    """Return the point of a segment that is nearest to x, y, and the squared distance."""
    ax, ay = np.float64(segments[segment, 0, 0]), np.float64(segments[segment, 0, 1])
    along_x, along_y = segments[segment, 1, 0] - ax, segments[segment, 1, 1] - ay
    share = ((x - ax) * along_x + (y - ay) * along_y) / (along_x * along_x + along_y * along_y)
    share = min(max(share, 0.0), 1.0)
    at_x, at_y = ax + share * along_x, ay + share * along_y
    return at_x, at_y, (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)


@inlined
def walls_about(walls, x, y):
    """Return a range of segments that contains the nearest wall of a point, and whether a cell lists the range. Outside
    of the grid, the range contains all segments.
    """
    cell = cell_of(walls, x, y)
    is_listed = cell >= 0
    first = np.int64(walls.starts[NEAREST, uint64(cell)]) if is_listed else 0
    end = np.int64(walls.starts[NEAREST, uint64(cell + 1)]) if is_listed else len(walls.segments)
    return first, end, is_listed


@inlined
def nearest_of(walls, number, is_listed, x, y):
    """Return the nearest point on the segment that `number` in the range from `walls_about` selects, the squared
    distance, and the number of the segment.
    """
    segment = uint64(walls.entries[uint64(number)]) if is_listed else uint64(number)
    at_x, at_y, squared = _nearest_on(walls.segments, segment, x, y)
    return at_x, at_y, squared, segment


@inlined
def nearest_wall(walls, x, y):
    """Return the point on any wall that is nearest to x, y, its distance [m], and the number of the wall segment."""
    first, end, is_listed = walls_about(walls, x, y)
    best_x, best_y, least, best = 0.0, 0.0, np.inf, -1
    for number in range(first, end):
        at_x, at_y, squared, segment = nearest_of(walls, number, is_listed, x, y)
        if squared < least:
            best_x, best_y, least, best = at_x, at_y, squared, int(segment)
    return best_x, best_y, np.sqrt(least), best


@helper
def is_free(walls, x, y):
    """Return whether a point is walkable. Each wall between the point and the middle of its cell changes the result."""
    cell = cell_of(walls, x, y)
    if cell < 0:
        return walls.is_open
    row, column = cell // walls.columns, cell % walls.columns
    middle_x = walls.origin_x + (column + 0.5) * walls.spacing
    middle_y = walls.origin_y + (row + 0.5) * walls.spacing
    free = walls.is_free[uint64(cell)]
    for number in range(walls.starts[CROSSING, uint64(cell)], walls.starts[CROSSING, uint64(cell + 1)]):
        if _is_crossed(walls.segments, uint64(walls.entries[uint64(number)]), middle_x, middle_y, x, y):
            free = not free
    return free


@inlined
def _is_crossed_in(walls, cell, px, py, qx, qy):
    """Return whether the line from p to q crosses a wall in the list of a cell."""
    for number in range(walls.starts[CROSSING, uint64(cell)], walls.starts[CROSSING, uint64(cell + 1)]):
        if _is_crossed(walls.segments, uint64(walls.entries[uint64(number)]), px, py, qx, qy):
            return True
    return False


@helper
def sees(walls, px, py, qx, qy):
    """Return whether no wall crosses the line from p to q. If a coordinate is not finite, return false."""
    along_x, along_y = qx - px, qy - py
    if not abs(along_x) + abs(along_y) < np.inf:
        return False
    begin, end = 0.0, 1.0
    if cell_of(walls, px, py) < 0 or cell_of(walls, qx, qy) < 0:
        begin, end = part_in_grid(walls, px, py, along_x, along_y)
        if begin > end:
            return True  # all walls are in the grid
    cell, ahead, steps = begin_at(walls, px, py, along_x, along_y, begin)
    number = number_of(walls, cell)
    while number >= 0:
        if _is_crossed_in(walls, number, px, py, qx, qy):
            return False
        if min(ahead[0], ahead[1]) > end:
            break
        cell, ahead = next_cell(cell, ahead, steps)
        number = number_of(walls, cell)
    return True


@kernel(void(WALLS, FLOATS_2D, COUNT, OUT_2D, OUT_INTS))
def nearest_walls(walls, points, count, out_nearest, out_segment):
    """Write the nearest point on any wall and its distance to `out_nearest` [>= count, 3] [m], and the number of the
    segment to `out_segment` [>= count], for points [>= count, 2] [m]. The walkable side of a segment is its left.
    """
    for number in range(count):
        point = uint64(number)
        x, y, distance, segment = nearest_wall(walls, np.float64(points[point, 0]), np.float64(points[point, 1]))
        out_nearest[point, 0], out_nearest[point, 1], out_nearest[point, 2] = x, y, distance
        out_segment[point] = segment


@kernel(void(WALLS, FLOATS_2D, COUNT, OUT_BOOLS))
def may_be_at(walls, points, count, out_free):
    """Write whether points [>= count, 2] [m] are walkable. If walls enclose the plan, NaN is not walkable."""
    for number in range(count):
        point = uint64(number)
        out_free[point] = is_free(walls, np.float64(points[point, 0]), np.float64(points[point, 1]))


@kernel(void(WALLS, FLOATS_2D, FLOATS_2D, COUNT, OUT_BOOLS))
def is_clear(walls, start, end, count, out_clear):
    """Write whether no wall is between the points of each pair: `start` and `end` [>= count, 2] [m]."""
    for number in range(count):
        way = uint64(number)
        px, py = np.float64(start[way, 0]), np.float64(start[way, 1])
        out_clear[way] = sees(walls, px, py, np.float64(end[way, 0]), np.float64(end[way, 1]))
