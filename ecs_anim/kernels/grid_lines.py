"""Lines on the grid of walls. A kernel follows a line from cell to cell (Amanatides and Woo, "A Fast Voxel Traversal
Algorithm for Ray Tracing", 1987).

A line starts at a point and has a direction vector. A position on the line is a multiple of this vector.
"""

import numpy as np

from ecs_anim.kernels import inlined


@inlined
def _entered(low, high, start, along):
    """Return the positions at which a line enters the slab from `low` to `high` and leaves it. If the line misses the
    slab, the first position is greater.
    """
    if along == 0:
        return (0.0, 1.0) if low <= start <= high else (1.0, 0.0)
    one, other = (low - start) / along, (high - start) / along
    return min(one, other), max(one, other)


@inlined
def part_in_grid(walls, x, y, along_x, along_y):
    """Return the positions from 0 to 1 between which a line is in the grid. Outside of it, the first is greater."""
    width, depth = walls.columns * walls.spacing, walls.rows * walls.spacing
    from_x, to_x = _entered(walls.origin_x, walls.origin_x + width, x, along_x)
    from_y, to_y = _entered(walls.origin_y, walls.origin_y + depth, y, along_y)
    return max(from_x, from_y, 0.0), min(to_x, to_y, 1.0)


@inlined
def begin_at(walls, x, y, along_x, along_y, begin):
    """Return the cell (column, row) at the position `begin` on a line, the positions at which the line enters the next
    column and the next row, and the steps of `next_cell`.
    """
    # rounding can put a point on the border of the grid outside
    column = min(max(int((x + begin * along_x - walls.origin_x) / walls.spacing), 0), walls.columns - 1)
    row = min(max(int((y + begin * along_y - walls.origin_y) / walls.spacing), 0), walls.rows - 1)
    column_step, next_column, per_column = _crossings(walls.origin_x, walls.spacing, column, x, along_x)
    row_step, next_row, per_row = _crossings(walls.origin_y, walls.spacing, row, y, along_y)
    return (column, row), (next_column, next_row), (column_step, row_step, per_column, per_row)


@inlined
def _crossings(origin, spacing, cell, start, along):
    """Return how a line crosses the columns or the rows of a grid: the step to the next cell (1 or -1), the position at
    which the line enters the next cell, and the difference between two such positions.
    """
    if along == 0:
        return 1, np.inf, np.inf
    step = 1 if along > 0 else -1
    return step, (origin + (cell + (step > 0)) * spacing - start) / along, abs(spacing / along)


@inlined
def next_cell(cell, ahead, steps):
    """Return the cell that a line enters next, and the positions of the crossings after this one."""
    (column, row), (next_column, next_row), (column_step, row_step, per_column, per_row) = cell, ahead, steps
    if next_column < next_row:
        return (column + column_step, row), (next_column + per_column, next_row)
    return (column, row + row_step), (next_column, next_row + per_row)


@inlined
def number_of(walls, cell):
    """Return the number of a cell (column, row), or -1 outside of the grid."""
    column, row = cell
    inside = 0 <= column < walls.columns and 0 <= row < walls.rows
    return row * walls.columns + column if inside else -1
