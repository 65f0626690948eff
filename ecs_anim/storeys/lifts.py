"""Lifts: a car moves between levels. The cabin at each stop is a space of the unfolded plan."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from ecs_anim.storeys.parts import Level, Point
from ecs_anim.storeys.speeds import FREE_SPEED

Reals = NDArray[np.float64]
FRONT = 0.4  # [m]; in this part of a cabin behind its door, route cells have no links to other stops


@dataclass(frozen=True, eq=False)
class Lift:
    """A lift, as a user describes it. Stops are in the order of their heights."""

    name: str
    stops: tuple[int, ...]  # numbers of levels
    heights: tuple[float, ...]  # [m]
    at: Point  # middle of the car
    outward: Point  # unit vector from the car through its door
    width: float  # [m], inside of the car, along the door
    depth: float  # [m]
    door_width: float  # [m]
    capacity: int  # persons
    speed: float  # [m/s]
    dwell: float  # [s], time for which doors stay open

    def rectangle(self, begin: float = 0.0, margin: float = 0.0) -> Polygon:
        """Return the part of the car behind the distance `begin` from its door [m], enlarged by `margin` [m]."""
        front, back, side = self.depth / 2 - begin + margin, self.depth / 2 + margin, self.width / 2 + margin
        (x, y), (dx, dy) = self.at, self.outward
        corners = (front, -side), (front, side), (-back, side), (-back, -side)
        return Polygon([(x + s * dx - t * dy, y + s * dy + t * dx) for s, t in corners])

    @property
    def door(self) -> Point:
        """The middle of the door."""
        (x, y), (dx, dy) = self.at, self.outward
        return x + dx * self.depth / 2, y + dy * self.depth / 2

    @property
    def inward(self) -> Point:
        """The unit vector from the door into the car."""
        return 0.0 - self.outward[0], 0.0 - self.outward[1]

    def passes(self, level: Level) -> bool:
        """Return whether the shaft passes a level."""
        return self.heights[0] <= level.height <= self.heights[-1]

    def ride_cost(self, one: int, other: int) -> float:
        """Return the cost of a ride between two stops, with the waiting time. The cost is the distance [m] that an
        actor walks on a level floor in the same time.

        The mean waiting time is half of the time in which the car serves all stops once.
        """
        wait = ((self.heights[-1] - self.heights[0]) / self.speed + self.dwell * len(self.stops)) / 2
        ride = abs(self.heights[one] - self.heights[other]) / self.speed + self.dwell
        return (wait + ride) * FREE_SPEED
