"""The spaces of a building (its levels, landings and flights) while a world runs. This module does not import
shapely.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.routing.areas import Area
from ecs_anim.storeys.arrays import SpaceArrays

Reals = NDArray[np.float64]
CLOSE = 0.6  # [m]; an actor is in a space only if the height difference to the floor of the space is at most this value
NOWHERE = -1  # number of the space of a point outside all spaces


@dataclass(frozen=True)
class Floor:
    """The height of a space: a horizontal floor, steps, or a slope."""

    base: float  # [m], height of a level, or of the lower end of a flight
    top: float  # [m], height of the upper end
    foot: tuple[float, float] = (0.0, 0.0)  # plan point, middle of the lower end
    uphill: tuple[float, float] = (0.0, 0.0)  # unit vector on the plan
    length: float = 1.0  # [m], on the plan
    risers: int = 0  # number of risers; 0 = no steps

    def heights(self, points: Reals) -> Reals:
        """Return the height [n] [m] of the surface at plan points [n, 2]. A point on the edge between two treads is on
        the upper tread.
        """
        (x, y), (dx, dy) = self.foot, self.uphill
        along = (points[:, 0] - x) * dx + (points[:, 1] - y) * dy
        if not self.risers:
            return self.base + np.clip(along / self.length, 0.0, 1.0) * (self.top - self.base)
        going = self.length / max(self.risers - 1, 1)
        step = np.clip(np.floor(along / going + 1e-9) + 1, 0, self.risers)
        return self.base + step * (self.top - self.base) / self.risers


@dataclass(frozen=True, eq=False)
class Spaces:
    """All spaces of a building. Their numbers begin with the levels of the scene. Then all landings follow, and then
    all flights.
    """

    names: tuple[str, ...]  # names of the levels of the scene
    labels: tuple[str, ...]  # by space: text that names the level, landing or flight
    floors: tuple[Floor, ...]  # by space
    areas: tuple[Area, ...]  # by space, walkable area on the plan of the building
    arrays: SpaceArrays
    # [space + 1], factors of the time gap that actors keep; the last one is for actors whose space is not known
    time_gap_factors: NDArray[np.float32]

    @property
    def count(self) -> int:
        """The number of spaces."""
        return len(self.floors)

    def find(self, points: Reals, heights: Reals) -> NDArray[np.int32]:
        """Return the number of the space [n] at each plan point [n, 2] of the building with a height [n] [m]. If no
        space is at a point, the number is -1.
        """
        found, best = np.full(len(points), NOWHERE, np.int32), np.full(len(points), np.inf)
        for number, (area, floor) in enumerate(zip(self.areas, self.floors, strict=True)):
            away = np.abs(floor.heights(points) - heights)
            takes = (away < CLOSE) & (away < best)
            takes[takes] = area.contains(points[takes])
            found[takes], best[takes] = number, away[takes]
        return found

    def nearest_level(self, heights: Reals) -> NDArray[np.int32]:
        """Return the number of the level [n] that is nearest to each height [n] [m]."""
        levels = np.array([floor.base for floor in self.floors[: len(self.names)]])
        return np.abs(levels[None] - heights[:, None]).argmin(axis=1).astype(np.int32)
