"""Lattices. A lattice stores fields of arrival times to goals, for bodies with one radius between given walls."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.routing.areas import Area
from ecs_anim.routing.arrays import Destinations, RouteCells, RouteFields
from ecs_anim.walls.arrays import WallArrays


class Goal(NamedTuple):
    """A goal of actors: a point on the plan, or an area. If the goal is an area, actors can walk to any point of the
    area.
    """

    x: float  # [m], east
    y: float  # [m], north
    area: Area | None = None
    said: str = ""  # text for messages, for a goal whose coordinates differ from the scene file

    def __str__(self) -> str:
        if self.said:
            return self.said
        return f"the area about [{self.x:g}, {self.y:g}]" if self.area else f"[{self.x:g}, {self.y:g}]"


class CellLinks(NamedTuple):
    """Links between cells that are at the same place of the building, but not side by side on the unfolded plan.

    The links of cell i lead to the cells to[first[i]:first[i + 1]].
    """

    first: NDArray[np.int32]  # [cell + 1]
    to: NDArray[np.int32]  # [link]
    seconds: NDArray[np.float64] | None = None  # [link], time for the ride of a lift at 1 m/s; None = all 0


@dataclass
class Lattice:
    """A grid between walls, and a field of arrival times on this grid for each goal."""

    walls: WallArrays
    cells: RouteCells
    fields: RouteFields
    goals: tuple[Goal, ...] = ()  # in the order of the fields
    links: CellLinks | None = None  # links between the storeys of a building; None = no storeys
    ease: NDArray[np.float32] | None = None  # [cell], actual speed / desired speed; None = not measured
    on_belts: NDArray[np.bool_] | None = None  # [cell], cells on which walls cost no time; None = no such cells
    closed: NDArray[np.bool_] | None = None  # [cell], cells without routes, such as stairs; None = no such cells


@dataclass(frozen=True)
class CrowdRoutes:
    """The routes of one crowd: its lattice and its destinations."""

    walls: WallArrays  # walls of the world
    lattice: Lattice
    destinations: Destinations
