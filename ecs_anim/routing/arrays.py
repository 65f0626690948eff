"""The numbers of routes, as kernels take them.

A grid of cells lies over the plan: x east, y north [m]. Each cell has a node, the point that stands for it.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, checked

# Kinds of cells: bodies fit at the node; they are nearer to a wall than their radius there; or it is all wall.
FREE, TIGHT, SOLID = range(3)
EAST, NORTH, WEST, SOUTH = range(4)  # bits of `links`
LEAST_TIME = np.float32(1e-6)  # [s], of cells outside of the area that is the goal


class RouteCells(NamedTuple):
    """The grid, for bodies of one radius. Kernels write columns only during construction."""

    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m]
    spacing: float  # [m], size of a cell
    columns: int  # cells along x; 0 = there are no routes, and people go straight on
    rows: int  # cells along y
    is_even: bool  # whether all cells have the same speed factor
    top_speed_factor: float  # the largest of all cells
    radius: float  # [m], of the bodies
    nodes: Annotated[NDArray[np.float32], Shape("cell", 2)]  # [m]
    kinds: Annotated[NDArray[np.uint8], Shape("cell")]  # FREE, TIGHT or SOLID
    links: Annotated[NDArray[np.uint8], Shape("cell")]  # bits of sides to which ways may lead
    room: Annotated[NDArray[np.float32], Shape("cell")]  # [m] from nodes to walls; 0 in them
    slowness: Annotated[NDArray[np.float32], Shape("cell")]  # [s/m] at a speed of 1 m/s
    speed_factor: Annotated[NDArray[np.float32], Shape("cell")]  # factor of speeds
    delay: Annotated[NDArray[np.float32], Shape("cell")]  # times as long as alone that people take among those there


class RouteFields(NamedTuple):
    """How long the ways to goals take, and where they lead."""

    # [s] at 1 m/s; inf = no way, 0 = in the area that is the goal
    times: Annotated[NDArray[np.float32], Shape("field", "cell")]
    ways: Annotated[
        NDArray[np.float32], Shape("field", "cell", 2)
    ]  # unit vectors; 0 and 0 at the goal, or where no way


class Destinations(NamedTuple):
    """The goals of a crowd: its waypoints, then those that single actors were given."""

    points: Annotated[NDArray[np.float32], Shape("waypoint", 2)]  # x and z [m]
    first: Annotated[NDArray[np.int32], Shape("waypoint + 1")]  # of `spots`; a waypoint without is a point
    spots: Annotated[NDArray[np.float32], Shape("spot", 2)]  # x and z [m] in areas, one of which is each actor's own
    field: Annotated[NDArray[np.int32], Shape("goal")]  # of each waypoint, then of each other goal


def no_cells() -> RouteCells:
    """Where no routes are needed."""
    none, bytes_ = np.zeros(0, np.float32), np.zeros(0, np.uint8)
    return checked(
        RouteCells(
            0.0, 0.0, 1.0, 0, 0, True, 1.0, 0.0, np.zeros((0, 2), np.float32), bytes_, bytes_, none, none, none, none
        )
    )


def no_fields(cell_count: int) -> RouteFields:
    """None yet."""
    return checked(RouteFields(np.zeros((0, cell_count), np.float32), np.zeros((0, cell_count, 2), np.float32)))


def straight_on(points: NDArray[np.float32]) -> Destinations:
    """Waypoints [n, 2], x and z [m], without fields."""
    none = np.zeros(len(points) + 1, np.int32)
    return checked(Destinations(points, none, np.zeros((0, 2), np.float32), np.zeros(0, np.int32)))
