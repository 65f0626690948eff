"""Helpers for tests of routes: lattices of plans, and the lengths of shortest paths by scipy."""

import numpy as np
from scipy.sparse.csgraph import dijkstra

from ecs_anim.components.routing import Routing
from ecs_anim.routing.grid import grid_over, speed_factors
from ecs_anim.routing.lattice import Goal, Lattice
from ecs_anim.systems.route_fields import lattice_of, lead_to
from ecs_anim.walls.arrays import WallArrays, no_walls
from ecs_anim.walls.build import walls_from_text
from ecs_anim.walls.queries import is_clear, nearest_walls

HALL = "POLYGON ((0 0, 12 0, 12 8, 0 8, 0 0))"
MAZE = f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (3 0, 3 5.5), LINESTRING (6 8, 6 2.5), LINESTRING (9 0, 9 5.5))"
ROOMS = f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (6 0, 6 8))"  # no path connects the two rooms


def lattice(
    wkt: str | None, goals: list[Goal], *, radius: float = 0.2, cell: float = 0.2, areas=(), even: bool = False
) -> Lattice:
    """Return the fields of goals between the walls of a plan. With `even`, walls do not slow actors down."""
    walls = walls_from_text(wkt).arrays if wkt else no_walls()
    corners = walls.segments.reshape(-1, 2) if wkt else np.array([[0, 0], [12, 8]])
    grid = grid_over(corners.astype(np.float64), cell)
    routing = Routing("scene", "here", grid, speed_factors(grid, areas), walls, walls)
    found = lattice_of(routing, walls, radius)
    if even:
        found.cells.slowness[:] = 1 / found.cells.speed_factor
    lead_to(routing, found, goals)
    return found


def free_points(found: Lattice, count: int, seed: int = 0) -> np.ndarray:
    """Return nodes [n, 2] at which bodies fit."""
    nodes = found.cells.nodes[(found.cells.kinds == 0) & (found.cells.links > 0)]
    return np.random.default_rng(seed).permutation(nodes)[:count]


def shortest(walls: WallArrays, goal: tuple[float, float], points: np.ndarray) -> np.ndarray:
    """Return the lengths [n] [m] of shortest paths from points to a goal.

    The function uses Dijkstra's algorithm over all corners that see each other.
    """
    corners = walls.segments.reshape(-1, 2).astype(np.float64)
    corners = np.unique(corners, axis=0)
    off = 1e-3 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])  # beside each corner, at a small distance
    beside = (corners[:, None] + off).reshape(-1, 2)
    nodes = np.concatenate([[goal], points, beside]).astype(np.float64)
    distance = np.linalg.norm(nodes[:, None] - nodes, axis=-1)
    for row, node in enumerate(nodes):
        distance[row, ~is_clear(walls, np.broadcast_to(node, nodes.shape), nodes)] = 0  # no edge
    return dijkstra(distance, directed=False, indices=0)[1 : 1 + len(points)]


def clearance(walls: WallArrays, points: np.ndarray) -> np.ndarray:
    """Return the distances [m] from points to walls."""
    return nearest_walls(walls, points.astype(np.float64))[0][:, 2]
