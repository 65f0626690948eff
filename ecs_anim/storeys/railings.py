"""Railings beside flights and around the holes of floors: posts, a handrail and two bars."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from ecs_anim.maths.plan import space_from_plan
from ecs_anim.storeys.building import RAIL, Building
from ecs_anim.storeys.parts import Flight
from ecs_anim.storeys.surfaces import Quads

Reals = NDArray[np.float64]
HEIGHT = 0.95  # [m], height of handrails
BARS = 0.62, 0.30  # [m], heights of the bars below the handrail
THICK, THIN = 0.05, 0.025  # [m], thickness of the handrail and of posts; thickness of bars
ASIDE = RAIL / 2  # [m], distance between the side of a flight and the middle of its handrail
SPACING = 1.3  # [m], largest distance between posts
_TOP = np.array([0.0, 1.0, 0.0])


def railings(building: Building) -> dict[int, list[Quads]]:
    """Return the railings of a building by the number of their storey. Escalators have their own moving handrails."""
    lines = [(line, flight.kind != "escalator") for flight in building.flights for line in _beside(flight)]
    lines += [(line, True) for number in range(building.level_count) for line in _around_holes(building, number)]
    lines += [(line, True) for number in range(len(building.levels)) for line in _around_landing(building, number)]
    found: dict[int, list[Quads]] = {}
    for line, has_handrail in lines:
        found.setdefault(building.storey(float(line[:, 1].min())), []).extend(_railing(line, has_handrail))
    return found


def _beside(flight: Flight) -> Iterator[Reals]:
    """Yield the lines [2, 3] below the handrails of a flight, at the height of the treads' front edges."""
    slope = slope_of(flight)
    ends = np.array([0.0, flight.length])
    heights = np.array([flight.base + flight.riser, flight.base + flight.riser + slope * flight.length])
    for side in flight.rails:
        aside = np.full(2, side * (flight.width / 2 + ASIDE))
        yield space_from_plan(flight.at(ends, aside), heights)


def slope_of(flight: Flight) -> float:
    """Return the rise of a flight's handrails per metre of the plan."""
    return flight.riser / flight.going if flight.risers else (flight.top - flight.base) / flight.length


def _around_holes(building: Building, number: int) -> Iterator[Reals]:
    """Yield the lines around the holes for stairs and ramps that arrive from below, except where actors step onto a
    flight.
    """
    level = building.levels[number]
    for run in building.runs:
        if run.flights[0].base < level.height <= run.flights[-1].top:
            edge = run.footprint.buffer(RAIL / 2, join_style="mitre").boundary
            yield from _on_floor(building, edge, level.area, level.height)


def _around_landing(building: Building, number: int) -> Iterator[Reals]:
    level = building.levels[number]
    if level.is_landing:
        edge = level.area.buffer(RAIL / 2, join_style="mitre").boundary
        yield from _on_floor(building, edge, None, level.height)


def _on_floor(building: Building, edge: BaseGeometry, area: BaseGeometry | None, height: float) -> Iterator[Reals]:
    """Yield the straight parts [2, 3] of an edge that are on a floor. The function leaves out the parts where actors
    step onto a flight.
    """
    edge = edge if area is None else edge.intersection(area)
    mouths = [
        flight.rectangle(end - 0.3, end + 0.3, -0.01)
        for flight in building.flights
        for end, level in ((0.0, flight.base), (flight.length, flight.top))
        if abs(level - height) < RAIL
    ]
    for part in shapely.get_parts(edge.difference(shapely.union_all(mouths))):
        points = shapely.get_coordinates(part)
        for start, end in pairwise(points):
            if np.abs(end - start).max() > 2 * RAIL:
                yield space_from_plan(np.stack([start, end]), height)


def _railing(line: Reals, has_handrail: bool) -> Iterator[Quads]:
    """Yield the handrail, the bars and the posts of a railing above a line [2, 3]."""
    start, end = line
    for height, thick in (*((bar, THIN) for bar in BARS), *([(HEIGHT, THICK)] if has_handrail else ())):
        yield _bar(start + height * _TOP, end + height * _TOP, thick)
    flat = np.sqrt(((end - start)[[0, 2]] ** 2).sum())
    count = max(int(np.ceil(flat / SPACING)), 1)
    for share in np.arange(count + 1) / count:
        foot = start + share * (end - start)
        yield _bar(foot - 0.1 * _TOP, foot + HEIGHT * _TOP, THIN * 1.4)


def _bar(start: Reals, end: Reals, thick: float) -> Quads:
    """Return the faces of a square bar between two points."""
    way = end - start
    flat = np.array([way[2], 0.0, -way[0]])
    size = np.sqrt((flat * flat).sum())
    aside = flat / size if size > 1e-9 else np.array([1.0, 0.0, 0.0])
    up = np.cross(way, aside)
    up /= np.sqrt((up * up).sum())
    a, b = aside * thick / 2, up * thick / 2
    ring = np.stack([-a - b, a - b, a + b, -a + b])
    if (np.cross(ring[1] - ring[0], ring[2] - ring[1]) * way).sum() < 0:
        ring = ring[::-1]
    near, far = start + ring, end + ring
    sides = [np.stack([near[i], near[(i + 1) % 4], far[(i + 1) % 4], far[i]]) for i in range(4)]
    corners = np.stack([*sides, near[::-1], far])
    return Quads(corners, np.full(6, 1.0))


def wall_solids(building: Building, number: int, thickness: float, doors: BaseGeometry) -> BaseGeometry:
    """Return the outer walls and the obstacles of a level as solids. The outer walls have gaps at `doors`.

    The areas of stairs and ramps, and the openings at their ends, are cut out.
    """
    level = building.levels[number]
    around = level.area.buffer(thickness, join_style="mitre")
    if doors.intersects(level.area.boundary):
        edge = shapely.line_merge(level.area.boundary.difference(doors))
        around = edge.buffer(thickness, cap_style="flat", join_style="mitre")
    parts = [around.difference(level.area), *([] if level.obstacles is None else [level.obstacles])]
    runs = [run for run in building.runs if run.flights[0].base <= level.height <= run.flights[-1].top]
    free = [run.footprint.buffer(RAIL, join_style="mitre") for run in runs]
    free += [
        building.mouth(flight, is_upper)
        for flight in building.flights
        for is_upper in (False, True)
        if (flight.high if is_upper else flight.low) == number
    ]
    return shapely.union_all(parts).difference(shapely.union_all(free))
