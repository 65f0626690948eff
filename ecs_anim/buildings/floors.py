"""Floors, walls, doors and named areas of the levels of a building."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import dist
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.buildings.features import Feature, Kind

# kinds of features whose polygons are parts of the floor
FLOORS: tuple[Kind, ...] = ("open", "room", "stairs", "escalator", "ramp", "lift")
NEAR = 0.3  # [m], largest distance of a door from its wall
EXIT_DEPTH = 0.6  # [m], depth of the area of an exit on the inner side of its door
TOUCH = 0.01  # [m], lines closer than this distance coincide


@dataclass
class Names:
    """Generator of unique names, because a building cannot have two doors or two connections with the same name."""

    used: Counter[str] = field(default_factory=Counter)  # how often each name was requested

    def new(self, name: str, ending: str = "") -> str:
        """Return `name`, or `name` with a number and `ending` if `name` is in use."""
        found = name if name not in self.used else f"{name}{ending}"
        while found in self.used:
            self.used[name] += 1
            found = f"{name} {self.used[name]}{ending}"
        self.used[found] += 1
        return found


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """The floor, the walls and the doors of a level."""

    area: BaseGeometry
    walls: BaseGeometry  # lines and polygons
    doors: tuple[tuple[Feature, LineString], ...]


def floor_plan(parts: Sequence[Feature], door_width: float) -> FloorPlan | None:
    """Return the floor plan of a level from the features of the level. Without a polygon of floor, return None.

    Borders of rooms are walls with gaps at doors. A point as a door has the width `door_width` [m].
    """
    floors = [own.geometry for own in parts if own.kind in FLOORS and isinstance(own.geometry, Polygon)]
    holes = [own.geometry for own in parts if own.kind == "hole"]
    area = shapely.union_all(floors).difference(shapely.union_all(holes))
    area = shapely.union_all([part for part in shapely.get_parts(area) if isinstance(part, Polygon)])
    if area.is_empty:
        return None
    borders = [own.geometry.boundary for own in parts if own.kind == "room" and isinstance(own.geometry, Polygon)]
    walls = [own.geometry for own in parts if own.kind == "obstacle"]
    lines = shapely.union_all([*borders, *(own for own in walls if isinstance(own, LineString))])
    solids = shapely.union_all([own for own in walls if isinstance(own, Polygon)])
    doors = tuple(_doors(parts, shapely.union_all([lines, area.boundary]), door_width))
    gaps = [line.buffer(NEAR, cap_style="flat") for _, line in doors]
    lines = lines.difference(shapely.union_all([*gaps, area.boundary.buffer(TOUCH)]))
    lines = shapely.line_merge(lines) if not lines.is_empty else lines
    return FloorPlan(area, shapely.union_all([lines, solids.difference(shapely.union_all(gaps))]), doors)


def _doors(parts: Sequence[Feature], walls: BaseGeometry, usual: float) -> Iterator[tuple[Feature, LineString]]:
    """Yield the doors, each with its line in the wall. The function omits doors that are not near a wall."""
    for own in parts:
        if own.kind != "door":
            continue
        shape = own.geometry
        if isinstance(shape, Polygon):
            axis = long_axis(shape)
            if axis is None:
                continue
            shape = LineString([axis.one, axis.two])
        elif isinstance(shape, Point):
            wall = walls.intersection(shape.buffer(max(own.width or usual, 0.1) / 2))
            pieces = [part for part in shapely.get_parts(shapely.line_merge(wall)) if isinstance(part, LineString)]
            if not pieces:
                continue
            shape = max(pieces, key=lambda piece: float(piece.length))
        ends = shape.coords[0], shape.coords[-1]
        if ends[0] != ends[1]:
            yield own, LineString(ends)


class Axis(NamedTuple):
    """The long axis of a shape: the longer of the two middle lines of the smallest rectangle around the shape."""

    one: NDArray[np.float64]  # x, y of its ends [m]
    two: NDArray[np.float64]
    width: float  # [m], of the rectangle


def long_axis(shape: BaseGeometry) -> Axis | None:
    """Return the axis of a shape, or None for a shape without an area."""
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(shape))[:4]
    if len(corners) < 4:
        return None
    a, b, c, d = corners if dist(corners[0], corners[1]) >= dist(corners[1], corners[2]) else np.roll(corners, -1, 0)
    return Axis((b + c) / 2, (d + a) / 2, dist(b, c))


def is_exit(line: LineString, area: BaseGeometry) -> bool:
    """Return whether a door is in the outer border of a floor."""
    rings = shapely.union_all([part.exterior for part in shapely.get_parts(area)])
    return bool(line.interpolate(0.5, normalized=True).distance(rings) < NEAR)


def exit_area(line: LineString, area: BaseGeometry) -> BaseGeometry:
    """Return the floor in front of the door of an exit."""
    strips = shapely.get_parts(line.buffer(EXIT_DEPTH, cap_style="flat").intersection(area))
    return shapely.union_all([part for part in strips if isinstance(part, Polygon)])


def named_areas(parts: Iterable[Feature]) -> Iterator[tuple[str, BaseGeometry]]:
    """Yield the name and the polygon of each named room and area of a level."""
    for own in parts:
        if own.name and own.kind in ("room", "open", "area") and isinstance(own.geometry, Polygon):
            yield own.name, own.geometry


def door_tables(plan: FloorPlan, names: Names) -> list[dict[str, Any]]:
    """Return a table of `levels.doors` for each door with a name. Doors are open at the start."""
    return [
        {"name": names.new(own.name), "shape": [list(end) for end in line.coords], "open": True}
        for own, line in plan.doors
        if own.name
    ]
