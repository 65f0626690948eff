"""Polygons and lines of a plan, whatever it was written in, and what is wrong with them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.support.arguments import FARTHEST
from ecs_anim.support.budgets import Spending

SMALLEST = 1e-9  # [m^2] of a polygon, [m] of a line


class Named(NamedTuple):
    """A geometry of a plan."""

    name: str  # as messages call it, such as "features[2].geometry"
    geometry: BaseGeometry
    is_obstacle: bool = False  # whatever the plan's other polygons are


@dataclass(frozen=True)
class Shapes:
    """What a plan says, each by itself valid."""

    polygons: tuple[Polygon, ...]
    lines: tuple[LineString, ...]
    obstacles: tuple[Polygon, ...] = ()

    def with_barriers(self, others: Iterable["Shapes"]) -> "Shapes":
        """This plan with what stands in the way besides."""
        lines, obstacles = list(self.lines), list(self.obstacles)
        for other in others:
            lines += other.lines
            obstacles += other.polygons
        return Shapes(self.polygons, tuple(lines), tuple(obstacles))


def checked_shapes(found: Iterable[Named]) -> Shapes:
    """All polygons and lines of some geometries.

    Raises ValueError for what cannot be a wall, and where there is none.
    """
    polygons: list[Polygon] = []
    lines: list[LineString] = []
    obstacles: list[Polygon] = []
    corners = Spending("wall_corners", "simplify the plan")
    for name, geometry, is_obstacle in found:
        for part_name, part in _parts(name, shapely.force_2d(geometry)):
            if text := corners.excess(shapely.get_num_coordinates(part)):
                raise ValueError(f"it has {text}")
            _require_sound(part_name, part)
            if isinstance(part, LineString):
                lines.append(part)
            else:
                (obstacles if is_obstacle else polygons).append(part)
    if not polygons and not lines and not obstacles:
        raise ValueError("it is empty; draw a polygon or a line in it")
    return Shapes(tuple(polygons), tuple(lines), tuple(obstacles))


def _parts(name: str, geometry: BaseGeometry) -> Iterator[tuple[str, Polygon | LineString]]:
    """A geometry's polygons and lines, numbered where it has several."""
    if geometry.is_empty:
        return
    match geometry:
        case Polygon() | LineString():
            yield name, geometry
        case shapely.MultiPolygon() | shapely.MultiLineString() | shapely.GeometryCollection():
            for number, part in enumerate(geometry.geoms, 1):
                yield from _parts(f"{name}, part {number}", part)
        case _:
            kind = geometry.geom_type
            raise ValueError(f"{name} is a {kind}, and walls are polygons and lines; leave it out")


def _require_sound(name: str, part: Polygon | LineString) -> None:
    coordinates = shapely.get_coordinates(part)
    if not np.isfinite(coordinates).all():
        raise ValueError(f"{name} has a coordinate that is no number; give all of them in metres")
    if np.abs(coordinates).max() > FARTHEST:
        x, y = coordinates[np.abs(coordinates).max(axis=-1).argmax()]
        text = f"has a corner at x = {x:g}, y = {y:g}, and {FARTHEST:g} m are the limit; move the plan to the origin"
        raise ValueError(f"{name} {text}")
    if not part.is_valid:
        raise ValueError(f"{name} {_explained(shapely.is_valid_reason(part))}")
    size, unit = (part.area, "m^2") if isinstance(part, Polygon) else (part.length, "m")
    if size < SMALLEST:
        raise ValueError(f"{name} has {size:g} {unit}; draw it larger or leave it out")


def _explained(reason: str) -> str:
    """GEOS' reason, such as 'Self-intersection[1 1]', with what to do."""
    found = re.fullmatch(r"(.*)\[(\S+) (\S+)\]", reason)
    what, where = (found[1], f" at x = {found[2]}, y = {found[3]}") if found else (reason, "")
    known = {
        "Self-intersection": "crosses itself",
        "Ring Self-intersection": "touches itself",
        "Hole lies outside shell": "has a hole outside its border",
        "Holes are nested": "has a hole in a hole",
        "Too few points in geometry component": "has too few corners",
    }
    return f"{known.get(what, what)}{where}; draw it without"
