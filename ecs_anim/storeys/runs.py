"""Stairs, ramps and escalators as flights and landings."""

from dataclasses import dataclass
from math import radians
from typing import Literal

import numpy as np
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.maths.elementary import cos, sin
from ecs_anim.storeys.parts import Direction, Flight, FlightKind, Level, Point, closed_union
from ecs_anim.storeys.speeds import slope_speed_factors

Turn = Literal["none", "left", "right"]
LANDING_THICKNESS = 0.2  # [m]


@dataclass(frozen=True)
class Rise:
    """The shape of stairs, of a ramp or of an escalator, as a user describes it."""

    name: str
    kind: FlightKind
    foot: Point
    heading_degrees: float
    width: float
    riser: float = 0.17  # [m], approximate height of a riser; 0 = a slope
    going: float = 0.29  # [m], length of a tread on the plan
    length: float = 0.0  # [m], length of a slope on the plan
    landings: int = 0  # number of landings between the levels
    turn: Turn = "none"  # direction of the half turn at each landing
    gap: float = 0.2  # [m], horizontal gap between the flight before and the flight after a half turn
    landing_length: float = 0.0  # [m]; 0 = the width of the flights
    speed_factors: tuple[float, float] | None = None
    direction: Direction = "both"
    belt_speed: float = 0.0  # [m/s]
    walking_share: float = 0.0
    rails: tuple[int, ...] = (-1, 1)  # sides with a railing: 1 = left of the direction uphill, -1 = right
    time_gap_factor: float = 1.0  # factor on the time gap that actors keep to the actor ahead on the flights


@dataclass(frozen=True, eq=False)
class Run:
    """The flights and the landings of one connection between two levels, from the lower end to the upper end."""

    name: str
    flights: tuple[Flight, ...]
    landings: tuple[Level, ...]
    gap: float  # [m]

    @property
    def low(self) -> int:
        """The number of the lower level."""
        return self.flights[0].low

    @property
    def high(self) -> int:
        """The number of the upper level."""
        return self.flights[-1].high

    @property
    def footprint(self) -> BaseGeometry:
        """The area on the plan that the flights and the landings of the run cover."""
        parts = [*(own.footprint for own in self.flights), *(own.area for own in self.landings)]
        return closed_union(parts, self.gap) if self.landings else parts[0]


def run_between(rise: Rise, low: int, high: int, base: float, top: float, first: int) -> Run:
    """Return the run (the flights and landings) from the level `low` at the height `base` to the level `high` at the
    height `top`.

    `top` must be larger than `base`. The landings get consecutive numbers, beginning with `first`. Raises ValueError if
    the stairs have too few risers.
    """
    counts = _risers(rise, top - base)
    numbers = [low, *range(first, first + rise.landings), high]
    heading, total = radians(rise.heading_degrees), sum(counts) or len(counts)
    foot, uphill, height = rise.foot, (clean(float(cos(heading))), clean(float(sin(heading)))), base
    flights: list[Flight] = []
    landings: list[Level] = []
    for number, count in enumerate(counts):
        share = (count or 1) / total
        length = (count - 1) * rise.going if count else rise.length * share
        end = top if number == rise.landings else height + share * (top - base)
        slope = (end - height) / count / rise.going if count else (end - height) / length
        factors = rise.speed_factors or slope_speed_factors(rise.kind, slope)
        flights.append(
            Flight(
                f"{rise.name}.{number}" if rise.landings else rise.name,
                rise.kind, numbers[number], numbers[number + 1], foot, uphill, rise.width, length, height, end, count,
                factors, rise.direction, rise.belt_speed, rise.walking_share, rise.rails,
                rise.time_gap_factor,
            )
        )  # fmt: skip
        height = end
        if number < rise.landings:
            area, foot, uphill = _landing(rise, flights[-1])
            landings.append(Level(f"{rise.name} landing {number + 1}", end, area, LANDING_THICKNESS, is_landing=True))
    return Run(rise.name, tuple(flights), tuple(landings), rise.gap if rise.turn != "none" else 0.0)


def _risers(rise: Rise, height: float) -> list[int]:
    """Return the number of risers of each flight. A slope has no risers."""
    parts = rise.landings + 1
    if not rise.riser:
        return [0] * parts
    count = max(round(height / rise.riser), 1)
    if count < 2 * parts:
        raise ValueError(
            f"each flight of stairs must have at least 2 risers (got {count} risers for {parts} flights). Lower"
            " `riser`, or leave out `landings`"
        )
    return [count // parts + (number < count % parts) for number in range(parts)]


def _landing(rise: Rise, flight: Flight) -> tuple[Polygon, Point, Point]:
    """Return the area of the landing above a flight. Also return the foot and the direction of the next flight."""
    depth, half = rise.landing_length or rise.width, rise.width / 2
    side = {"none": 0, "left": 1, "right": -1}[rise.turn]
    away = side * (rise.width + rise.gap)
    low, high = min(away, 0.0) - half, max(away, 0.0) + half
    begin, end = flight.length, flight.length + depth
    area = Polygon(flight.at(np.array([begin, end, end, begin]), np.array([low, low, high, high])))
    x, y = flight.at(np.array([begin if side else end]), np.array([away]))[0].tolist()
    dx, dy = flight.uphill
    return area, (x, y), (0.0 - dx, 0.0 - dy) if side else (dx, dy)


def clean(value: float) -> float:
    """Return a cosine or a sine without the rounding error at multiples of 90 degrees."""
    return float(round(value)) if abs(value - round(value)) < 1e-12 else value
