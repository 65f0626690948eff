"""Route cells: squares of the plan with one node each, and their links. Plan coordinates: x east, y north [m]."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.types import ROUTE_CELLS, WALLS, void
from ecs_anim.kernels.walls import is_free, nearest_wall, sees
from ecs_anim.routing.arrays import EAST, FREE, NORTH, SOLID, SOUTH, TIGHT, WEST

SAMPLES = 4  # number of sample points along each side of a cell near walls
HALF_DIAGONAL = 0.5 * 2**0.5  # for a cell of size 1
GRAZED = 1e-3  # a sample point nearer to a wall touches the wall in float32; as a share of the cell size
SLACK = HALF_DIAGONAL / SAMPLES  # largest distance from a point to the nearest sample, in a cell of size 1


@helper
def _roomiest(walls, x, y, spacing):
    """Return the walkable sample point farthest from walls, and its distance [m] to walls: -1 without such a point."""
    best_x, best_y, best, least = x, y, -1.0, GRAZED * spacing
    for number in range(SAMPLES * SAMPLES):
        at_x = x + ((number % SAMPLES + 0.5) / SAMPLES - 0.5) * spacing
        at_y = y + ((number // SAMPLES + 0.5) / SAMPLES - 0.5) * spacing
        room = nearest_wall(walls, at_x, at_y)[2]
        if room > best and room > least and is_free(walls, at_x, at_y):
            best_x, best_y, best = at_x, at_y, room
    return best_x, best_y, best


@kernel(void(WALLS, ROUTE_CELLS))
def lay_nodes(walls, cells):
    """Write `nodes`, `kinds` and `room` of all `RouteCells`. The node of a cell is its middle, or near walls the sample
    point that is farthest from walls. `room` [m] is the node's distance to walls. A cell is SOLID without a walkable
    sample point, FREE if a body fits at the node, and otherwise TIGHT. The middle line of a gap can pass between sample
    points. So the test for FREE adds `SLACK`, and a gap as wide as a body has FREE nodes from end to end.
    """
    spacing, radius = cells.spacing, cells.radius
    near = max(radius, HALF_DIAGONAL * spacing)
    for cell in range(cells.columns * cells.rows):
        x = cells.origin_x + (cell % cells.columns + 0.5) * spacing
        y = cells.origin_y + (cell // cells.columns + 0.5) * spacing
        far = nearest_wall(walls, x, y)[2]
        if far >= near:
            if not is_free(walls, x, y):
                far = -1.0
        else:
            x, y, far = _roomiest(walls, x, y, spacing)
        own = uint64(cell)
        cells.nodes[own, 0], cells.nodes[own, 1], cells.room[own] = x, y, max(far, 0.0)
        cells.kinds[own] = SOLID if far < 0 else (FREE if far >= radius - SLACK * spacing else TIGHT)


@helper
def _is_linked(walls, cells, one, other):
    """Return whether no wall is between the nodes of two neighbouring cells."""
    if cells.kinds[one] == SOLID or cells.kinds[other] == SOLID:
        return False
    px, py = np.float64(cells.nodes[one, 0]), np.float64(cells.nodes[one, 1])
    qx, qy = np.float64(cells.nodes[other, 0]), np.float64(cells.nodes[other, 1])
    squared = (qx - px) * (qx - px) + (qy - py) * (qy - py)
    return np.float64(cells.room[one]) * cells.room[one] > squared or sees(walls, px, py, qx, qy)


@inlined
def _link(walls, cells, one, other, there, back):
    """Write the links between two neighbouring cells."""
    is_linked = _is_linked(walls, cells, one, other)
    if is_linked or cells.kinds[one] == SOLID:
        cells.links[one] |= 1 << there
    if is_linked or cells.kinds[other] == SOLID:
        cells.links[other] |= 1 << back


@kernel(void(WALLS, ROUTE_CELLS))
def link_nodes(walls, cells):
    """For each cell, write one bit for each neighbour to which an actor can walk straight. A cell inside a wall has
    links to all neighbours, so that an actor finds a way out.
    """
    for cell in range(cells.columns * cells.rows):
        own = uint64(cell)
        east, north = uint64(cell + 1), uint64(cell + cells.columns)
        if cell % cells.columns + 1 < cells.columns:
            _link(walls, cells, own, east, EAST, WEST)
        if cell // cells.columns + 1 < cells.rows:
            _link(walls, cells, own, north, NORTH, SOUTH)
