"""Stairs, escalators, ramps and lifts of a building, from lines and polygons of its levels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import atan2, ceil, degrees, dist, floor
from typing import Any

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.buildings.features import RISING, Feature, Features, Kind, Point
from ecs_anim.buildings.floors import FloorPlan, Names, long_axis

RISER, STEP_RISER, STEP = 0.17, 0.21, 0.4  # [m], usual risers of stairs and escalators, and length of moving steps
LOWEST, HIGHEST = 0.08, 0.35  # [m], risers
# [m], lengths of treads; if the treads would be longer, the stairs have a landing
SHORTEST, USUAL, LONGEST = 0.15, 0.29, 0.45
LANDING = 0.6  # [m], shortest landing
GAP = 0.12  # [m], distance between the two flights of a half turn
CAR, WALL = 1.8, 0.12  # [m], width of a lift shaft that is a point, and distance from its outside to the car
SAME = 0.5  # polygons on two levels are one staircase if they overlap in more than this share of the smaller polygon
# [m], length of the free floor in front of a staircase, or inside a staircase that has walls in front of its end
MOUTH, INSET = 0.5, 1.0
WIDTH = 1.5  # [m], usual width of stairs

TABLES: Mapping[Kind, str] = {"stairs": "stairs", "escalator": "escalators", "ramp": "ramps", "lift": "lifts"}


@dataclass(frozen=True, eq=False)
class Site:
    """A level of the building with the features of the file on this level."""

    key: str  # key of the storey
    name: str  # name in the scene
    height: float  # [m]
    parts: Sequence[Feature]
    plan: FloorPlan


@dataclass(frozen=True)
class Course:
    """The course of stairs, of an escalator or of a ramp on the plan."""

    foot: Point
    head: Point
    width: float  # [m], of one flight
    turn: str = "none"  # side of a half turn
    landing: float = 0.0  # [m], length of the landing of a half turn

    @property
    def heading(self) -> float:
        """The direction uphill [degrees]."""
        return degrees(atan2(self.head[1] - self.foot[1], self.head[0] - self.foot[0]))


def connections(found: Features, sites: Sequence[Site], names: Names) -> dict[str, list[dict[str, Any]]]:
    """Return the scene tables of all connections, by the key of the scene. The function counts impossible connections
    in `found.ignored`.

    `sites` are the levels, from the lowest to the highest.
    """
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES.values()}
    for low, high, own, course in [*_lines(found, sites), *_staircases(found, sites)]:
        if own.kind == "escalator":
            course = _in_whole_steps(course)
        if table := _rise_table(own, course, high.height - low.height):
            x, y = course.foot
            said = {"name": names.new(own.name or own.kind), "foot": {"at": [x, y], "level": low.name}, "to": high.name}
            tables[TABLES[own.kind]].append({**said, "heading_degrees": course.heading, **table})
        else:
            found.ignored[f"{TABLES[own.kind]} that are too steep, too flat or too short"] += 1
    tables["lifts"] = list(_lifts(found, sites, names))
    return tables


def _in_whole_steps(course: Course) -> Course:
    """Return the course of an escalator with a whole number of steps. Its upper end remains at the edge of the floor,
    and its lower end moves by less than a step.
    """
    head, length = np.array(course.head), dist(course.foot, course.head)
    share = floor(length / STEP + 1e-6) * STEP / length if length > STEP else 1.0
    return replace(course, foot=_point(head + share * (np.array(course.foot) - head)))


def _lines(found: Features, sites: Sequence[Site]) -> Iterator[tuple[Site, Site, Feature, Course]]:
    """Yield the connections that are lines between two levels, or that state the middles of their ends."""
    for own in found.parts:
        if own.kind not in RISING or not (own.ends or isinstance(own.geometry, LineString)):
            continue
        at = [site for site in sites if site.key in own.levels]
        if len(at) != 2:
            found.ignored[f"{TABLES[own.kind]} without exactly two levels"] += 1
            continue
        foot, head = own.ends or (own.geometry.coords[0], own.geometry.coords[-1])
        yield at[0], at[1], own, Course(foot, head, own.width or (1.0 if own.kind == "escalator" else WIDTH))


def _staircases(found: Features, sites: Sequence[Site]) -> Iterator[tuple[Site, Site, Feature, Course]]:
    """Yield the connections that the file contains as two polygons, one above the other, on two levels."""
    joined = set[Feature]()
    for number, low in enumerate(sites):
        for own in filter(_is_staircase, low.parts):
            above = ((site, part) for site in sites[number + 1 :] for part in site.parts if site.height > low.height)
            high, other = next(((site, part) for site, part in above if _overlap(own, part)), (None, None))
            if high is None or other is None:
                if own not in joined:
                    found.ignored[f"{TABLES[own.kind]} without a polygon on the next level"] += 1
                continue
            joined |= {own, other}
            course = _course(own.geometry, low.plan, high.plan, own.kind)
            if course is None:
                found.ignored[f"{TABLES[own.kind]} with an unknown lower end (draw a door at this end)"] += 1
            else:
                yield low, high, own, course


def _is_staircase(own: Feature) -> bool:
    return own.kind in RISING and own.ends is None and isinstance(own.geometry, Polygon)


def _overlap(own: Feature, other: Feature) -> bool:
    """Return whether two polygons are the same staircase on two levels."""
    one, two = own.geometry, other.geometry
    return own.kind == other.kind and bool(one.intersection(two).area > SAME * min(one.area, two.area) > 0)


def _course(polygon: Polygon, low: FloorPlan, high: FloorPlan, kind: Kind) -> Course | None:
    """Return the course of a staircase from its polygon and from its openings on both levels."""
    axis = long_axis(polygon)
    if axis is None:
        return None
    ends, width = (axis.one, axis.two), axis.width
    length = dist(*ends)
    foot, head = _entrance(polygon, low, ends), _entrance(polygon, high, ends)
    known = head if foot is None else foot
    if known is None:
        return None
    # if the entrance on one level is unknown, it is at the end opposite to the entrance on the other level
    one = 1 - known if foot is None else foot
    two = 1 - known if head is None else head
    along = (ends[1 - one] - ends[one]) / length
    first, last = _inset(ends[one], -along, width, low), _inset(ends[1 - one], along, width, high)
    if one != two:
        return Course(_point(ends[one] + first * along), _point(ends[1 - one] - last * along), width)
    flight = (width - GAP) / 2
    if kind != "stairs" or flight < 0.6:
        return None
    first = max(first, _inset(ends[one], -along, width, high))
    right = np.array([along[1], -along[0]]) * (width - flight) / 2  # the lower flight is on the right side
    depth = min(flight, length / 3)
    begin, stop = ends[one] + right + along * first, ends[one] + right + along * (length - depth)
    return Course(_point(begin), _point(stop), flight, "left", depth)


def _inset(end: Any, outward: Any, width: float, plan: FloorPlan) -> float:
    """Return the distance from an end of a staircase to its first riser [m].

    The distance is 0 if the floor in front of the end is free. Otherwise, the staircase contains its own free floor.
    """
    front = LineString([end + 0.05 * outward, end + MOUTH * outward]).buffer(width / 2, cap_style="flat")
    is_free = plan.area.buffer(1e-3).contains(front) and not plan.walls.buffer(0.1).intersects(front)
    return 0.0 if is_free else INSET


def _point(xy: Any) -> Point:
    return float(xy[0]), float(xy[1])


def _entrance(polygon: Polygon, plan: FloorPlan, ends: Sequence[Any]) -> int | None:
    """Return the number of the end with the entrance, 0 or 1, or None if the plan does not show the entrance.

    A door in the border of the polygon is the entrance. Without a door, the only end with floor is the entrance.
    """
    points = [line.interpolate(0.5, normalized=True) for _, line in plan.doors]
    middle = next((point for point in points if polygon.boundary.distance(point) < 0.3), None)
    if middle is not None:
        return int(dist((middle.x, middle.y), ends[1]) < dist((middle.x, middle.y), ends[0]))
    center = (ends[0] + ends[1]) / 2
    free = [plan.area.contains(shapely.Point(*(end + 0.4 * (end - center) / dist(end, center)))) for end in ends]
    return int(free[1]) if free[0] != free[1] else None


def _rise_table(own: Feature, course: Course, height: float) -> dict[str, Any] | None:
    """Return the keys of a connection that depend on its size, or None for an impossible size."""
    length = dist(course.foot, course.head)
    if height <= 0 or length < 0.5:
        return None
    if own.kind == "ramp":
        return {"width": _within(course.width, 0.6, 50.0), "length": length} if length <= 1000 else None
    if own.kind == "escalator":
        count = round(length / STEP) + 1
        if not LOWEST <= height / count <= HIGHEST:
            return None
        width = _within(course.width, 0.4, 2.0)
        return {"width": width, "riser": height / count, "direction": "down" if own.way == "down" else "up"}
    return _stairs_table(own, course, height, length)


def _stairs_table(own: Feature, course: Course, height: float, length: float) -> dict[str, Any] | None:
    flights = 2 if course.landing else 1
    most = flights * floor(length / SHORTEST + 1)  # number of risers
    count = min(own.risers or max(round(height / RISER), 2 * flights), most)
    if not LOWEST <= height / count <= HIGHEST or count < 2 * flights:
        return None
    said: dict[str, Any] = {"width": _within(course.width, 0.6, 50.0), "riser": height / count}
    if own.way in ("up", "down"):
        said["direction"] = own.way
    if course.landing:
        going = length / (ceil(count / 2) - 1)
        said |= {"landings": 1, "turn": course.turn, "gap": GAP, "landing_length": max(course.landing, LANDING)}
        return {**said, "going": _within(going, SHORTEST, 1.0)}
    going = length / (count - 1)
    if going <= LONGEST or count < 4:
        return {**said, "going": going} if going <= 1.0 else None
    rest = length - (count - 2) * USUAL
    return {**said, "going": USUAL, "landings": 1, "landing_length": _within(rest, LANDING, 50.0)}


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _lifts(found: Features, sites: Sequence[Site], names: Names) -> Iterator[dict[str, Any]]:
    """Yield the tables of the lifts. Polygons or points of lifts one above the other are one lift."""
    shafts: list[tuple[Feature, BaseGeometry, list[Site]]] = []
    for site in sites:
        for own in (part for part in site.parts if part.kind == "lift"):
            shape = (
                own.geometry
                if isinstance(own.geometry, Polygon)
                else own.geometry.centroid.buffer(CAR / 2, cap_style="square")
            )
            known = next((stops for _, other, stops in shafts if other.intersects(shape.centroid)), None)
            if known is None:
                shafts.append((own, shape, [site]))
            elif known[-1] is not site:
                known.append(site)
    for own, shape, stops in shafts:
        table = _lift_table(shape, stops)
        if len(stops) < 2 or table is None:
            found.ignored["lifts with fewer than two stops or without a free side"] += 1
        else:
            yield {"name": names.new(own.name or "lift"), **table, "stops": [site.name for site in stops]}


def _lift_table(shape: BaseGeometry, stops: Sequence[Site]) -> dict[str, Any] | None:
    """Return the position, the heading and the size of a lift. Without floor in front of a side, return None."""
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(shape))[:4]
    center = corners.mean(axis=0)
    middles = (corners + np.roll(corners, -1, axis=0)) / 2
    sides = [(side - center, dist(side, center)) for side in middles if dist(side, center) > 0]
    doors = [line.interpolate(0.5, normalized=True) for site in stops for _, line in site.plan.doors]
    scores = []
    for step, length in sides:
        front = shapely.Point(*(center + step * (1 + 0.4 / length)))
        room = min(front.distance(site.plan.area.boundary) for site in stops)
        near = sum(bool(front.distance(door) < 0.8) for door in doors)
        scores.append((near, room) if all(site.plan.area.contains(front) for site in stops) else (-1, 0.0))
    if max(scores, default=(-1, 0.0))[0] < 0:
        return None
    number = scores.index(max(scores))
    step, length = sides[number]
    width, depth = sides[(number + 1) % len(sides)][1] * 2, length * 2
    size = [_within(width - 2 * WALL, 0.8, 10.0), _within(depth - 2 * WALL, 0.8, 10.0)]
    heading = degrees(atan2(step[1], step[0]))
    return {"at": list(_point(center)), "heading_degrees": heading, "size": size, "door_width": min(1.0, size[0])}
