"""Arrays that describe routes for kernels.

A grid of cells covers the plan: x east, y north [m]. Each cell has a node. The node is the point that represents the
cell.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, checked

# Kinds of cells. FREE: bodies fit at the node. TIGHT: the node is nearer to a wall than the radius of bodies. SOLID: no
# point of the cell is walkable.
FREE, TIGHT, SOLID = range(3)
EAST, NORTH, WEST, SOUTH = range(4)  # bits of `links`
LEAST_TIME = np.float32(1e-6)  # [s], least arrival time of cells outside of a goal's area


class RouteCells(NamedTuple):
    """The grid of cells for bodies with one radius. Kernels write the arrays only while they build the grid."""

    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m]
    spacing: float  # [m], size of a cell
    columns: int  # number of cells along x; 0 = no routes, people walk straight to goals
    rows: int  # number of cells along y
    is_even: bool  # whether all cells have the same speed factor
    top_speed_factor: float  # largest speed factor of all cells
    radius: float  # [m], radius of bodies
    nodes: Annotated[NDArray[np.float32], Shape("cell", 2)]  # [m]
    kinds: Annotated[NDArray[np.uint8], Shape("cell")]  # FREE, TIGHT or SOLID
    links: Annotated[NDArray[np.uint8], Shape("cell")]  # bits of the sides (EAST to SOUTH) that ways can cross
    room: Annotated[NDArray[np.float32], Shape("cell")]  # [m], distance from nodes to walls; 0 in walls
    # [s/m], cost of one metre: the walking time at a desired speed of 1 m/s, plus an extra cost near walls
    slowness: Annotated[NDArray[np.float32], Shape("cell")]
    speed_factor: Annotated[NDArray[np.float32], Shape("cell")]  # factor on the speed of people
    # congestion factor: travel time divided by free-flow travel time
    delay: Annotated[NDArray[np.float32], Shape("cell")]
    # number of the space of an unfolded plan; -1 = between spaces. Without storeys, all numbers are 0. No line of sight
    # leads from one space to another.
    space: Annotated[NDArray[np.int16], Shape("cell")]


class RouteFields(NamedTuple):
    """Tables with an arrival time and a walking direction for each pair of a goal and a cell."""

    # arrival times [s] at 1 m/s; inf = no way, 0 = in the goal's area
    times: Annotated[NDArray[np.float32], Shape("field", "cell")]
    ways: Annotated[
        NDArray[np.float32], Shape("field", "cell", 2)
    ]  # walking directions, unit vectors; 0 and 0 at the goal and without a way


class Destinations(NamedTuple):
    """The goals of a crowd: first the waypoints of the crowd, then the goals of single actors."""

    points: Annotated[NDArray[np.float32], Shape("waypoint", 2)]  # x and z [m]
    # first index of each waypoint in `spots`; a waypoint without spots is a point, not an area
    first: Annotated[NDArray[np.int32], Shape("waypoint + 1")]
    # x and z [m] of points in areas; each actor gets one point as its goal
    spots: Annotated[NDArray[np.float32], Shape("spot", 2)]
    field: Annotated[NDArray[np.int32], Shape("goal")]  # fields of waypoints, then of single actors' goals


def no_cells() -> RouteCells:
    """Return an empty grid, for crowds that need no routes."""
    none, bytes_ = np.zeros(0, np.float32), np.zeros(0, np.uint8)
    return checked(
        RouteCells(
            0.0,
            0.0,
            1.0,
            0,
            0,
            True,
            1.0,
            0.0,
            np.zeros((0, 2), np.float32),
            bytes_,
            bytes_,
            none,
            none,
            none,
            none,
            np.zeros(0, np.int16),
        )
    )


def no_fields(cell_count: int) -> RouteFields:
    """Return route fields without goals."""
    return checked(RouteFields(np.zeros((0, cell_count), np.float32), np.zeros((0, cell_count, 2), np.float32)))


def straight_on(points: NDArray[np.float32]) -> Destinations:
    """Return destinations at the waypoints `points` [n, 2], x and z [m], without fields of arrival times."""
    none = np.zeros(len(points) + 1, np.int32)
    return checked(Destinations(points, none, np.zeros((0, 2), np.float32), np.zeros(0, np.int32)))
