"""Connections: stairs, ramps and escalators while a world runs. This module does not import shapely."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.storeys.spaces import Floor
from ecs_anim.storeys.speeds import FREE_SPEED

if TYPE_CHECKING:  # only for type checkers, because this import would import shapely, which most scenes do not need
    from ecs_anim.storeys.parts import Direction, FlightKind

LANE = 0.5  # [m]; on an escalator, one person needs this width of a step
UP, BOTH, DOWN = 1, 0, -1  # directions in which actors can use a connection
# Columns of the boxes in front of ends: number of the level, middle of the end, unit vector inward, half of the width
# of the box, and length of the box [m].
LEVEL, FROM_X, FROM_Y, INWARD_X, INWARD_Y, WIDE, FAR = range(7)
END_COLUMNS = 7
STOPS = 0.01  # [m], distance from moving steps and closed ends at which actors stop
PLATE = 0.5  # [m], length of the floor at an end of an escalator on which leaving actors walk off
BESIDE = 0.3  # [m], actors at most this far beside an end can enter
LOBBY, ASIDE = 3.0, 2.2  # [m], actors at most this far in front of a door and beside it wait for the lift


class Use(NamedTuple):
    """How actors can use a connection at present."""

    is_open: bool  # whether actors can enter
    way: int  # UP, BOTH or DOWN: the direction in which actors can walk, or in which the steps move
    moves: bool  # whether the steps of an escalator move


@dataclass(frozen=True)
class End:
    """One end of a connection: the seam between a level and the first or the last flight."""

    level: int  # number of the level
    point: tuple[float, float]  # middle of the end, plan point [m]
    inward: tuple[float, float]  # unit vector from the level into the flight
    half: float  # [m], half of the width
    way: int  # direction of actors that enter here: UP or DOWN

    def box(self, wide: float, far: float) -> tuple[float, ...]:
        """Return the columns of the box in front of the end: `wide` is half of its width, and `far` its length [m]."""
        return self.level, *self.point, *self.inward, wide, far


@dataclass(frozen=True)
class Belt:
    """The moving steps of an escalator."""

    space: int  # number of the space of the flight
    floor: Floor  # heights of the stopped steps
    width: float  # [m]
    speed: float  # [m/s], along the slope
    walking_share: float  # share of the actors that walk on the moving steps

    @property
    def going(self) -> float:
        """The length of a step on the plan [m]."""
        return self.floor.length / (self.floor.risers - 1)

    @property
    def riser(self) -> float:
        """The height of a step [m]."""
        return (self.floor.top - self.floor.base) / self.floor.risers

    @property
    def plan_speed(self) -> float:
        """The speed of the steps on the plan [m/s]."""
        return plan_speed(self.speed, self.riser / self.going)

    @property
    def lanes(self) -> int:
        """The number of people that stand side by side on a step."""
        return max(int(self.width / LANE + 1e-6), 1)


@dataclass(frozen=True)
class Car:
    """The car of a lift. Its stops are in the order of their heights, as the ends of its connection."""

    spaces: tuple[int, ...]  # space of the cabin at each stop, consecutive numbers
    heights: tuple[float, ...]  # [m], of the stops
    size: tuple[float, float]  # [m], width along the door, and depth
    capacity: int  # persons
    speed: float  # [m/s]
    dwell: float  # [s], time for which doors stay open


@dataclass(frozen=True)
class Connection:
    """A connection between levels: stairs, a ramp, an escalator or a lift."""

    name: str
    kind: "FlightKind | Literal['lift']"
    ends: tuple[End, ...]  # from the lowest end to the highest end
    usual: "Direction"  # direction at the start
    belt: Belt | None = None
    car: "Car | None" = None

    @cached_property
    def entrances(self) -> NDArray[np.float64]:
        """The boxes [end, `END_COLUMNS`] in which actors stop if they cannot enter, or walk off an escalator."""
        far = STOPS if self.belt is None else PLATE
        return np.array([end.box(end.half + BESIDE, far) for end in self.ends])

    @cached_property
    def lobbies(self) -> NDArray[np.float64]:
        """The boxes [end, `END_COLUMNS`] in which actors wait for a lift."""
        return np.array([end.box(max(ASIDE, end.half + BESIDE), LOBBY) for end in self.ends])

    @property
    def start(self) -> Use:
        """The use at the start of the world."""
        way = {"up": UP, "both": BOTH, "down": DOWN}[self.usual]
        return Use(True, way, self.belt is not None)


def plan_speed(speed: float, slope: float) -> float:
    """Return the speed of moving steps on the plan [m/s]. `speed` [m/s] is the speed along the slope."""
    return speed / sqrt(1.0 + slope * slope)


def route_factor(factors: tuple[float, float], use: Use, steps: float, walking_share: float) -> float:
    """Return the speed factor of a flight for routes.

    `factors` are the speed factors of actors that walk up and down. Without moving steps, the result is the mean of
    both factors. If actors can walk in only one direction, the result is the factor of this direction. With moving
    steps, the result is the mean speed of standing and walking actors divided by the mean walking speed. `steps` [m/s]
    is the speed of the steps on the plan.
    """
    up, down = factors
    mean = {UP: up, BOTH: (up + down) / 2, DOWN: down}[use.way]
    if not use.moves:
        return mean
    # mean time [s] for one metre on the plan
    seconds = (1.0 - walking_share) / steps + walking_share / (steps + FREE_SPEED * mean)
    return 1.0 / seconds / FREE_SPEED


def starts_of(connections: Sequence[Connection]) -> tuple[Use, ...]:
    """Return the use of each connection at the start of the world."""
    return tuple(own.start for own in connections)
