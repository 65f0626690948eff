"""The unfolded plan of a building: all levels and flights side by side on one plan.

Steering and routing work on a plan without heights. Therefore, each level and each flight becomes a *space* with its
own place on the unfolded plan. The spaces are so far apart that actors of different spaces are never neighbours. At a
*seam*, an actor walks from one space into another space. Each space also contains a copy of the floor behind its seams.
This copy is called *apron*. With the aprons, walls and routes continue beyond the seams.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from ecs_anim.ecs.records import sealed
from ecs_anim.routing.areas import Area
from ecs_anim.storeys.arrays import SpaceArrays
from ecs_anim.storeys.building import RAIL, Building
from ecs_anim.storeys.connections import (
    BOTH,
    DOWN,
    UP,
    Belt,
    Car,
    Connection,
    End,
    Use,
    plan_speed,
    route_factor,
    starts_of,
)
from ecs_anim.storeys.parts import Flight
from ecs_anim.storeys.spaces import Floor, Spaces
from ecs_anim.storeys.surfaces import polygons_of
from ecs_anim.walls.arrays import SIGHT

Reals = NDArray[np.float64]
APRON = SIGHT + 0.2  # [m], length of the floor behind a seam that a space contains as a copy
GAP = SIGHT + 1.0  # [m], distance between two spaces on the unfolded plan
OVERLAP = RAIL + 0.06  # [m]; an apron overlaps its space by this length, so that no gap lies between them


@dataclass(frozen=True)
class Seam:
    """A line that actors cross from one space to another space. Coordinates are on the plan of the building."""

    space: int  # number of the space before the line
    to: int  # number of the space behind the line
    middle: tuple[float, float]  # [m]
    ahead: tuple[float, float]  # unit vector across the line, into the space `to`
    half: float  # [m], half of the width
    depth: float  # [m], length of the apron
    run: int  # number of the connection to which the seam belongs, in `Building.runs`
    way: int  # direction of actors that cross the seam: UP or DOWN
    enters: bool  # true = the seam leads from a level of the scene into a connection


@dataclass(frozen=True, eq=False)
class Unfolded:
    """A building on its unfolded plan. The numbers of spaces begin with all levels and landings. Then, all flights
    follow.
    """

    building: Building
    cell: float  # [m], size of a route cell; offsets are multiples of this size

    @cached_property
    def seams(self) -> tuple[Seam, ...]:
        """All seams, in both directions."""
        found = list[Seam]()
        count, levels = len(self.building.levels), self.building.level_count
        for number, (run, flight) in enumerate(self._flights, count):
            (dx, dy), half, depth = flight.uphill, flight.width / 2, min(APRON, flight.length)
            back, low, high = (0.0 - dx, 0.0 - dy), flight.low < levels, flight.high < levels
            found.append(Seam(flight.low, number, flight.foot, flight.uphill, half, depth, run, UP, low))
            found.append(Seam(number, flight.low, flight.foot, back, half, APRON, run, DOWN, False))
            found.append(Seam(number, flight.high, flight.end, flight.uphill, half, APRON, run, UP, False))
            found.append(Seam(flight.high, number, flight.end, back, half, depth, run, DOWN, high))
        for run, own in enumerate(self.connections):
            if own.car is None:
                continue
            for end, space in zip(own.ends, own.car.spaces, strict=True):
                back, depth = (0.0 - end.inward[0], 0.0 - end.inward[1]), own.car.size[1]
                found.append(Seam(end.level, space, end.point, end.inward, end.half, depth, run, BOTH, True))
                found.append(Seam(space, end.level, end.point, back, end.half, APRON, run, BOTH, False))
        return tuple(sorted(found, key=lambda seam: seam.space))

    @cached_property
    def _flights(self) -> tuple[tuple[int, Flight], ...]:
        """All flights, each with the number of its connection."""
        return tuple((number, flight) for number, run in enumerate(self.building.runs) for flight in run.flights)

    @cached_property
    def connections(self) -> tuple[Connection, ...]:
        """The connections for a world that runs, in the order of `Building.runs`."""
        found, space = list[Connection](), len(self.building.levels)
        for run in self.building.runs:
            low, high = run.flights[0], run.flights[-1]
            (dx, dy), half = high.uphill, low.width / 2
            ends = (
                End(run.low, low.foot, low.uphill, half, UP),
                End(run.high, high.end, (0.0 - dx, 0.0 - dy), half, DOWN),
            )
            moves = low.belt_speed > 0
            belt = Belt(space, low.floor, low.width, low.belt_speed, low.walking_share) if moves else None
            found.append(Connection(run.name, low.kind, ends, low.direction, belt))
            space += len(run.flights)
        for lift in self.building.lifts:
            doors = tuple(End(stop, lift.door, lift.inward, lift.door_width / 2, BOTH) for stop in lift.stops)
            spaces = tuple(range(space, space + len(lift.stops)))
            size = lift.width, lift.depth
            car = Car(spaces, lift.heights, size, lift.capacity, lift.speed, lift.dwell)
            found.append(Connection(lift.name, "lift", doors, "both", car=car))
            space += len(lift.stops)
        return tuple(found)

    @cached_property
    def own(self) -> tuple[BaseGeometry, ...]:
        """The walkable area of each space on the plan of the building, without aprons."""
        levels = [self.building.walkable(number) for number in range(len(self.building.levels))]
        cabins = [lift.rectangle() for lift in self.building.lifts for _ in lift.stops]
        return (*levels, *(flight.footprint for flight in self.building.flights), *cabins)

    @cached_property
    def regions(self) -> tuple[BaseGeometry, ...]:
        """The walkable area of each space with its aprons, on the plan of the building."""
        parts: list[list[BaseGeometry]] = [[area] for area in self.own]
        for seam in self.seams:
            parts[seam.space] += self._apron(seam)
        return tuple(shapely.union_all(own) for own in parts)

    def _apron(self, seam: Seam) -> Iterator[BaseGeometry]:
        """Yield the parts of the apron behind a seam, and a strip that joins the apron to its space."""
        if seam.to >= len(self.building.levels):
            yield _box(seam, -OVERLAP, seam.depth, seam.half)
            return
        yield self.own[seam.to].intersection(_box(seam, 0.0, seam.depth, seam.half + APRON))
        yield _box(seam, -OVERLAP, OVERLAP, seam.half)

    @cached_property
    def offsets(self) -> Reals:
        """The vectors [space, 2] [m] that move each space from the plan of the building to its place on the unfolded
        plan.
        """
        bounds = np.array([region.bounds for region in self.regions])
        low, size = bounds[:, :2], bounds[:, 2:] - bounds[:, :2]
        offsets, bottom = np.zeros_like(low), float(bounds[0, 1])
        x, y, row = float(bounds[0, 2]) + GAP, bottom, 0.0
        begin = x
        width = max(2.0 * sqrt(float(((size[1:] + GAP).prod(axis=1)).sum())), float(size.max()))
        for space in range(1, len(low)):
            if x > begin and x + size[space, 0] > begin + width:
                x, y, row = begin, y + row + GAP, 0.0
            offsets[space] = np.array([ceil((x - low[space, 0]) / self.cell), ceil((y - low[space, 1]) / self.cell)])
            x, row = x + float(size[space, 0]) + GAP + self.cell, max(row, float(size[space, 1]) + self.cell)
        return offsets * self.cell

    @property
    def bounds(self) -> Reals:
        """The corners with the least and the greatest x and y [space, 2, 2] [m] of each space on the unfolded plan."""
        bounds = np.array([region.bounds for region in self.regions]).reshape(-1, 2, 2)
        return bounds + self.offsets[:, None]

    def copies(self, level: int, solid: BaseGeometry) -> Iterator[BaseGeometry]:
        """Yield the copies of a solid on the unfolded plan: on its level, and in the aprons of flights."""
        yield _shifted(solid, self.offsets[level])
        for seam in self.seams:
            if seam.to == level:
                part = solid.intersection(_box(seam, 0.0, seam.depth, seam.half + APRON))
                yield _shifted(part, self.offsets[seam.space])

    @cached_property
    def plan(self) -> BaseGeometry:
        """The walkable area of all spaces on the unfolded plan."""
        moved = [shapely.transform(own, lambda at, by=by: at + by) for own, by in self._moved]
        return shapely.union_all(moved)

    @property
    def _moved(self) -> Iterator[tuple[BaseGeometry, Reals]]:
        return zip(self.regions, self.offsets, strict=True)

    @cached_property
    def arrays(self) -> SpaceArrays:
        """The seams and the offsets of the spaces, as arrays for kernels."""
        count, seams = len(self.own), self.seams
        first = np.searchsorted([seam.space for seam in seams], np.arange(count + 1)).astype(np.int32)
        rows = [
            (*(np.array(seam.middle) + self.offsets[seam.space]), *seam.ahead, seam.half, seam.depth) for seam in seams
        ]
        lines = np.array(rows, np.float32).reshape(-1, 6)
        to = np.array([seam.to for seam in seams], np.int32)
        slope = self.slope(starts_of(self.connections))
        return sealed(SpaceArrays(self.offsets.astype(np.float32), first, to, lines, slope))

    def slope(self, uses: Sequence[Use]) -> NDArray[np.float32]:
        """Return the column `slope` of `SpaceArrays` for the uses of all connections."""
        found = np.zeros((len(self.own), 4), np.float32)
        found[:, 2:] = 1.0
        for number, (run, flight) in enumerate(self._flights, len(self.building.levels)):
            found[number] = *flight.uphill, *(np.array(flight.speed_factors) / factor_of(flight, uses[run]))
        return found

    @cached_property
    def spaces(self) -> Spaces:
        """The spaces for a world that runs."""
        floors = [Floor(level.height, level.height) for level in self.building.levels]
        floors += [flight.floor for flight in self.building.flights]
        floors += [Floor(height, height) for lift in self.building.lifts for height in lift.heights]
        labels = [*(level.name for level in self.building.levels), *(own.name for own in self.building.flights)]
        labels += [lift.name for lift in self.building.lifts for _ in lift.stops]
        areas = tuple(map(_area, self.own))
        gaps = [*(1.0 for _ in self.building.levels), *(own.time_gap_factor for own in self.building.flights)]
        gaps += [1.0 for lift in self.building.lifts for _ in lift.stops]
        factors = np.array([*gaps, 1.0], np.float32)
        return Spaces(self.building.names, tuple(labels), tuple(floors), areas, self.arrays, factors)

    def flight_areas(self) -> Iterator[tuple[Area, Flight, int]]:
        """Yield the areas that each flight covers on the unfolded plan: its own space, and its copies in the aprons of
        levels.

        Each area comes with the flight and the number of its connection.
        """
        count = len(self.building.levels)
        for number, (run, flight) in enumerate(self._flights, count):
            yield _area(_shifted(flight.footprint, self.offsets[number])), flight, run
        for seam in self.seams:
            if count <= seam.to < count + len(self.building.flights):
                box = _shifted(_box(seam, 0.0, seam.depth, seam.half), self.offsets[seam.space])
                yield _area(box), self.building.flights[seam.to - count], seam.run

    def area_at(self, area: BaseGeometry, space: int) -> Area:
        """Move an area from the plan of the building to the place of a space on the unfolded plan."""
        return _area(_shifted(area, self.offsets[space]))

    def apron_of(self, seam: Seam) -> Area:
        """Return the apron of a seam, on the unfolded plan of the space before the seam."""
        wide = seam.half + (0.0 if seam.to >= len(self.building.levels) else APRON)
        return _area(_shifted(_box(seam, 0.0, seam.depth, wide), self.offsets[seam.space]))


def factor_of(flight: Flight, use: Use) -> float:
    """Return the speed factor of a flight for routes."""
    steps = plan_speed(flight.belt_speed, flight.riser / flight.going) if use.moves else 0.0
    return route_factor(flight.speed_factors, use, steps, flight.walking_share)


def may_cross(seam: Seam, use: Use) -> bool:
    """Return whether routes can cross a seam in its direction. Routes can always leave a closed connection, at both of
    its ends.
    """
    if not use.is_open:
        return not seam.enters
    return use.way in (BOTH, seam.way)


def _box(seam: Seam, begin: float, end: float, half: float) -> BaseGeometry:
    """Return a rectangle along the direction of a seam, on the plan of the building."""
    (x, y), (dx, dy) = seam.middle, seam.ahead
    corners = [(begin, -half), (end, -half), (end, half), (begin, half)]
    return shapely.Polygon([(x + s * dx - t * dy, y + s * dy + t * dx) for s, t in corners])


def _shifted(area: BaseGeometry, by: Reals) -> BaseGeometry:
    return shapely.transform(area, lambda at: at + by)


def _area(area: BaseGeometry) -> Area:
    """Convert a geometry of shapely to an `Area`."""
    rings = [ring for part in polygons_of(area) for ring in (part.exterior, *part.interiors)]
    inner = area.representative_point()
    corners = (tuple(map(tuple, shapely.get_coordinates(ring)[:-1].tolist())) for ring in rings)
    return Area(tuple(corners), (float(inner.x), float(inner.y)))
