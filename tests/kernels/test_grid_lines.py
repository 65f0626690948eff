"""Lines that kernels follow on the grid of walls. The references are intersections by shapely."""

from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.kernels import grid_lines as module
from ecs_anim.walls.arrays import no_walls
from tests.helpers import called_in

kernels = called_in(module)

GRID = no_walls()._replace(origin_x=-3.0, origin_y=1.0, spacing=0.5, columns=7, rows=4)
WIDTH, DEPTH = GRID.columns * GRID.spacing, GRID.rows * GRID.spacing
BOX = shapely.box(GRID.origin_x, GRID.origin_y, GRID.origin_x + WIDTH, GRID.origin_y + DEPTH)
EXACT = 1e-9  # [m], far more than the rounding errors of these lengths
points = st.tuples(st.floats(-5, 2), st.floats(-1, 5))


def walked(px, py, qx, qy):
    """Return the cells that a line visits, as (column, row), in order. None = the line misses the grid."""
    along_x, along_y = qx - px, qy - py
    begin, end = kernels.part_in_grid(GRID, px, py, along_x, along_y)
    if begin > end:
        return None
    cell, ahead, steps = kernels.begin_at(GRID, px, py, along_x, along_y, begin)
    cells = []
    while kernels.number_of(GRID, cell) >= 0:
        cells.append(cell)
        if min(ahead) > end:
            break
        cell, ahead = kernels.next_cell(cell, ahead, steps)
    return cells


def box_of(cell):
    x, y = GRID.origin_x + cell[0] * GRID.spacing, GRID.origin_y + cell[1] * GRID.spacing
    return shapely.box(x, y, x + GRID.spacing, y + GRID.spacing)


@pytest.mark.exhaustive
@settings(max_examples=200)
@given(points, points)
def test_a_line_visits_all_cells_that_it_crosses(start, goal):
    line = shapely.LineString([start, goal])
    inside = BOX.intersection(line).length
    cells = walked(*start, *goal)
    if cells is None:
        assert inside <= EXACT
        return
    every = [(column, row) for column in range(GRID.columns) for row in range(GRID.rows)]
    assert {cell for cell in every if box_of(cell).buffer(-EXACT).intersects(line)} <= set(cells)
    assert all(np.abs(np.subtract(one, other)).sum() == 1 for one, other in pairwise(cells))
    assert max(box_of(cell).distance(line) for cell in cells) <= EXACT


@pytest.mark.parametrize(
    ("start", "goal", "expected"),
    [
        ((-4.0, 1.25), (1.0, 1.25), [(column, 0) for column in range(7)]),
        ((-2.9, 0.0), (-2.9, 9.0), [(0, row) for row in range(4)]),
        ((-2.9, 2.9), (-2.9, 2.9), [(0, 3)]),
        ((-4.0, 0.0), (-4.0, 4.0), None),
    ],
)
def test_straight_lines(start, goal, expected):
    assert walked(*start, *goal) == expected
