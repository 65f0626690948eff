"""The parts of a building: levels, and flights that connect two levels.

Points are on the plan: x east, y north [m]. In the frame of a flight, `along` is the distance from its lower end, and
`aside` is the distance to the left of its middle line, both in metres.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.storeys.spaces import Floor

FlightKind = Literal["stairs", "ramp", "escalator"]
Direction = Literal["both", "up", "down"]
Point = tuple[float, float]
Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Level:
    """A horizontal floor: a storey, or a landing of stairs."""

    name: str
    height: float  # [m], height of the top of the floor
    area: BaseGeometry  # polygons of the floor on the plan; the holes for stairs are not cut out
    thickness: float = 0.25  # [m], thickness of the slab
    obstacles: BaseGeometry | None = None  # walls on the level; None = no walls
    is_landing: bool = False  # whether the level is a landing between two flights
    columns: BaseGeometry | None = None  # columns between the level and the next level; None = no columns
    props: BaseGeometry | None = None  # footprints of props that are obstacles; None = no obstacles


@dataclass(frozen=True, eq=False)
class Flight:
    """A straight flight of stairs, a ramp or an escalator between two levels."""

    name: str
    kind: FlightKind
    low: int  # number of the lower level
    high: int  # number of the upper level
    foot: Point  # middle of the lower end; on stairs, the middle of the first riser
    uphill: Point  # unit vector on the plan
    width: float  # [m]
    length: float  # [m], on the plan
    base: float  # [m], height of the lower level
    top: float  # [m], height of the upper level
    risers: int = 0  # number of risers; 0 = a slope without steps
    # factors on the walking speed on the plan, for walking up and for walking down
    speed_factors: tuple[float, float] = (1.0, 1.0)
    direction: Direction = "both"
    belt_speed: float = 0.0  # [m/s], speed of the moving steps of an escalator along its slope
    walking_share: float = 0.0  # share of the actors that walk on moving steps
    rails: tuple[int, ...] = (-1, 1)  # sides with a railing: 1 = left of the direction uphill, -1 = right
    time_gap_factor: float = 1.0  # factor on the time gap that actors keep to the actor ahead

    @property
    def riser(self) -> float:
        """The height of a riser [m], or 0 on a slope."""
        return (self.top - self.base) / self.risers if self.risers else 0.0

    @property
    def going(self) -> float:
        """The length of a tread on the plan [m], or 0 on a slope. Stairs have one tread less than risers, because the
        upper floor is the last tread.
        """
        return self.length / (self.risers - 1) if self.risers > 1 else 0.0

    @property
    def end(self) -> Point:
        """The middle of the flight's upper end on the plan."""
        x, y = self.at(np.array([self.length]), np.array([0.0]))[0].tolist()
        return x, y

    def at(self, along: Reals, aside: Reals) -> Reals:
        """Return plan points [n, 2] from positions `along` [n] and `aside` [n] in the frame of the flight."""
        (x, y), (dx, dy) = self.foot, self.uphill
        return np.stack([x + along * dx - aside * dy, y + along * dy + aside * dx], axis=-1)

    def frame(self, points: Reals) -> tuple[Reals, Reals]:
        """Return the positions `along` [n] and `aside` [n] of plan points [n, 2]."""
        x, y = points[:, 0] - self.foot[0], points[:, 1] - self.foot[1]
        dx, dy = self.uphill
        return x * dx + y * dy, y * dx - x * dy

    def rectangle(self, begin: float, end: float, margin: float = 0.0) -> Polygon:
        """Return the rectangle of the plan between the distances `begin` and `end` along the flight.

        The rectangle is wider than the flight by `margin` on both sides.
        """
        half = self.width / 2 + margin
        along, aside = np.array([begin, end, end, begin]), np.array([-half, -half, half, half])
        return Polygon(self.at(along, aside))

    @property
    def footprint(self) -> Polygon:
        """The rectangle that the flight covers on the plan."""
        return self.rectangle(0.0, self.length)

    @property
    def floor(self) -> Floor:
        """The heights of the flight's surface, as a `Floor`."""
        return Floor(self.base, self.top, self.foot, self.uphill, self.length, self.risers)

    def heights(self, points: Reals) -> Reals:
        """Return the height [n] [m] of the surface at plan points [n, 2]. A point on the edge between two treads is on
        the upper tread.
        """
        return self.floor.heights(points)


def closed_union(parts: list[BaseGeometry], gap: float) -> BaseGeometry:
    """Return the union of polygons. Fill each gap between the polygons that is narrower than `gap` [m]."""
    half = gap / 2 + 1e-3
    whole = shapely.union_all(parts)
    return whole.buffer(half, join_style="mitre").buffer(-half, join_style="mitre")
