"""A building: its levels, the connections between levels, and the checks of both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.storeys.lifts import Lift
from ecs_anim.storeys.parts import Flight, Level
from ecs_anim.storeys.runs import Run

RAIL = 0.06  # [m], width of the strip that a railing takes on each side of a flight
SHAFT = 0.1  # [m], thickness of the walls of a lift shaft
MOUTH = 0.4  # [m]; in front of each of its ends, a flight needs free floor of this length
HEADROOM = 1.9  # [m], least height between two floors one above the other
TOUCH = 1e-3  # [m^2]; a smaller overlap of two floors counts as a rounding error

# A function that returns an error. The arguments are the kind of the faulty part ("levels", "runs" or "lifts"), the
# number of the part, and the text of the problem.
Blame = Callable[[str, int, str], Exception]


@dataclass(frozen=True, eq=False)
class Building:
    """The levels of a building and the connections between levels.

    A run is the flights and landings of one connection. In the list of levels, the landings of all runs come after the
    levels of the scene.
    """

    levels: tuple[Level, ...]
    runs: tuple[Run, ...]
    level_count: int  # number of levels without landings
    lifts: tuple[Lift, ...] = ()

    @cached_property
    def flights(self) -> tuple[Flight, ...]:
        """All flights, run by run. Within a run, the lowest flight is first."""
        return tuple(flight for run in self.runs for flight in run.flights)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the levels without landings."""
        return tuple(level.name for level in self.levels[: self.level_count])

    def number(self, name: str) -> int:
        """Return the number of a level. Raises KeyError for an unknown name."""
        return {own: number for number, own in enumerate(self.names)}[name]

    @cached_property
    def storeys(self) -> tuple[float, ...]:
        """The heights of the floors of all storeys [m], from the lowest. Levels with equal heights are one storey."""
        return tuple(sorted({level.height for level in self.levels[: self.level_count]}))

    @property
    def storey_names(self) -> tuple[str, ...]:
        """The name of each storey: the names of its levels, such as "first" or "west wing and east wing"."""
        levels = self.levels[: self.level_count]
        return tuple(" and ".join(own.name for own in levels if own.height == height) for height in self.storeys)

    def storey(self, height: float) -> int:
        """Return the number of the storey that contains a height [m]."""
        return max(int(np.searchsorted(self.storeys, height + RAIL, side="right")) - 1, 0)

    def storey_area(self, storey: int) -> BaseGeometry:
        """Return the walkable area of a storey on the plan. The area consists of the levels of the storey, and of the
        stairs, ramps and lift cars on which actors count as actors of this storey.
        """
        floors = [number for number, level in enumerate(self.levels) if self.storey(level.height) == storey]
        parts, margin = [self.walkable(number) for number in floors], RAIL + TOUCH
        for flight in self.flights:
            if self.storey(flight.base) <= storey <= self.storey(flight.top - 2 * RAIL):
                parts.append(flight.rectangle(-margin, flight.length + 2 * margin))
            elif self.storey(flight.top) == storey:  # actors near the upper end belong to the upper storey
                parts.append(flight.rectangle(flight.length - MOUTH, flight.length + margin))
        doors = self.storeys[storey]
        parts += [own.rectangle(margin=SHAFT) for own in self.lifts if own.heights[0] <= doors <= own.heights[-1]]
        return shapely.union_all(parts)

    def slab(self, number: int) -> BaseGeometry:
        """Return the floor of a level. The holes for stairs and ramps that arrive from below are cut out."""
        level = self.levels[number]
        if level.is_landing:
            return level.area
        shafts = [own.rectangle() for own in self.lifts if own.passes(level) and own.heights[0] < level.height]
        holes = [self._covered(lambda low, high: low < level.height <= high, 0.0), *shafts]
        return level.area.difference(shapely.union_all(holes))

    def walkable(self, number: int) -> BaseGeometry:
        """Return the part of a level on which actors can walk: its area minus stairs, ramps, railings, obstacles
        and props.
        """
        level = self.levels[number]
        if level.is_landing:
            return level.area
        free = level.area.difference(self._covered(lambda low, high: low <= level.height <= high, RAIL))
        solids = [own for own in (level.obstacles, level.columns, level.props) if own is not None]
        solids += [own.rectangle(margin=SHAFT) for own in self.lifts if own.passes(level)]
        return free.difference(shapely.union_all(solids)) if solids else free

    def has_floor(self, number: int, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return a mask [n]: true for each of the plan points [n, 2] at which a level has a floor."""
        found: NDArray[np.bool_] = shapely.contains_xy(self.slab(number), points)
        return found

    def with_props(self, footprints: Mapping[int, Sequence[Polygon]]) -> "Building":
        """Return the building with props as obstacles. `footprints` contains the props' areas by number of level."""
        levels = list(self.levels)
        for number, solids in footprints.items():
            levels[number] = replace(levels[number], props=shapely.union_all(list(solids)))
        return replace(self, levels=tuple(levels))

    def clear_height(self, number: int) -> float | None:
        """Return the height of the columns of a level [m]: from its floor to the underside of the next level above the
        columns. If no level is above the columns, return None.
        """
        level = self.levels[number]
        above = [
            own.height - own.thickness
            for own in self.levels[: self.level_count]
            if level.columns is not None and own.height > level.height and own.area.intersects(level.columns)
        ]
        return min(above) - level.height if above else None

    def _covered(self, meets: Callable[[float, float], bool], margin: float) -> BaseGeometry:
        """Return the footprints of stairs and ramps, enlarged by `margin` [m].

        The result contains the runs for which `meets(bottom, top)` returns true. `bottom` and `top` are the lowest and
        the highest height [m] of a run.
        """
        found = [
            run.footprint.buffer(margin, join_style="mitre") if margin else run.footprint
            for run in self.runs
            if meets(run.flights[0].base, run.flights[-1].top)
        ]
        return shapely.union_all(found)

    def mouth(self, flight: Flight, is_upper: bool, depth: float = MOUTH) -> Polygon:
        """Return the strip of floor in front of one end of a flight, with the length `depth` [m]."""
        if is_upper:
            return flight.rectangle(flight.length, flight.length + depth)
        return flight.rectangle(-depth, 0.0)


def require_sound(building: Building, blame: Blame) -> None:
    """Raise an error for floors that overlap, for stairs and ramps that end in the air, and for levels that actors
    cannot reach. The function `blame` creates the error.
    """
    levels = building.levels[: building.level_count]
    for number, level in enumerate(levels):
        for other in levels[:number]:
            apart = abs(level.height - other.height)
            if apart < HEADROOM and shapely.intersection(level.area, other.area).area > TOUCH:
                text = (
                    f"the floors of {other.name!r} and {level.name!r} overlap, but only {apart:.3g} m are between"
                    f" them. At least {HEADROOM:g} m must be between two floors. Change a height, or cut an area"
                )
                raise blame("levels", number, text)
    for number, run in enumerate(building.runs):
        _require_floor(building, number, run, blame)
    for number, lift in enumerate(building.lifts):
        _require_doors(building, number, lift, blame)
    links = [(run.low, run.high) for run in building.runs]
    links += [(lift.stops[0], stop) for lift in building.lifts for stop in lift.stops[1:]]
    for number in _unreachable(building.level_count, links):
        text = (
            f"no stairs, ramp, escalator or lift leads to level {levels[number].name!r}. Add a connection, or leave"
            " out the level"
        )
        raise blame("levels", number, text)


def _require_floor(building: Building, number: int, run: Run, blame: Blame) -> None:
    """Raise an error if a level has no floor in front of an end of a run."""
    for flight, is_upper in ((run.flights[0], False), (run.flights[-1], True)):
        level = building.levels[flight.high if is_upper else flight.low]
        strip = building.mouth(flight, is_upper, MOUTH).buffer(-RAIL, join_style="mitre")
        free = building.walkable(flight.high if is_upper else flight.low)
        if strip.difference(free.buffer(2 * RAIL, join_style="mitre")).area > TOUCH:
            (x, y), end = (flight.end, "upper") if is_upper else (flight.foot, "lower")
            text = (
                f"the {end} end of {run.name!r} at [{x:.4g}, {y:.4g}] ends in the air, because level {level.name!r}"
                f" has no free floor in front of it. Move the foot, turn heading_degrees, or enlarge the level"
            )
            raise blame("runs", number, text)


def _require_doors(building: Building, number: int, lift: Lift, blame: Blame) -> None:
    """Raise an error if a level has no floor in front of the door of a lift."""
    (x, y), (dx, dy), half = lift.door, lift.outward, lift.door_width / 2 - RAIL
    corners = (SHAFT + RAIL, -half), (SHAFT + MOUTH, -half), (SHAFT + MOUTH, half), (SHAFT + RAIL, half)
    strip = Polygon([(x + s * dx - t * dy, y + s * dy + t * dx) for s, t in corners])
    for stop in lift.stops:
        if strip.difference(building.walkable(stop).buffer(RAIL, join_style="mitre")).area > TOUCH:
            text = (
                f"the door of lift {lift.name!r} at [{x:.4g}, {y:.4g}] leads into the air, because level"
                f" {building.levels[stop].name!r} has no free floor in front of it. Move the lift, turn"
                " heading_degrees, or leave out the stop"
            )
            raise blame("lifts", number, text)


def _unreachable(count: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """Return the numbers of the levels that no chain of connections connects to level 0."""
    reached, grows = np.zeros(count, bool), True
    reached[0] = True
    while grows:
        before = reached.sum()
        for one, other in links:
            reached[[one, other]] |= reached[one] or reached[other]
        grows = reached.sum() > before
    return np.flatnonzero(~reached).tolist()
