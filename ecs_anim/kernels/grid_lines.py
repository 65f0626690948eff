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
def first_cell(walls, x, y):
    """Return the column and the row of a point in the grid. Rounding can put a point of the border outside."""
    column = min(max(int((x - walls.origin_x) / walls.spacing), 0), walls.columns - 1)
    row = min(max(int((y - walls.origin_y) / walls.spacing), 0), walls.rows - 1)
    return column, row


@inlined
def crossings(origin, spacing, cell, start, along):
    """Return how a line crosses the columns or the rows of a grid: the step to the next cell (1 or -1), the position at
    which the line enters the next cell, and the difference between two such positions.
    """
    if along == 0:
        return 1, np.inf, np.inf
    step = 1 if along > 0 else -1
    return step, (origin + (cell + (step > 0)) * spacing - start) / along, abs(spacing / along)
