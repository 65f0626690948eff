"""Polygons and lines of a plan, independent of its format, with checks and repairs."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import shapely
from shapely import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry, BaseMultipartGeometry

from ecs_anim.support.arguments import FARTHEST
from ecs_anim.support.budgets import Spending
from ecs_anim.support.errors import InputWarning

SLIVER_AREA = 1e-6  # [m^2]; a polygon with a smaller area is omitted
SLIVER_LENGTH = 1e-3  # [m]; a shorter line is omitted
KEPT = 1e-3  # a repair is valid if it changes the area by at most this share
LISTED = 3  # largest number of repairs that a warning lists


class Named(NamedTuple):
    """A geometry of a plan with its name."""

    name: str  # name in messages, such as "features[2].geometry"
    geometry: BaseGeometry
    is_obstacle: bool = False  # true = the polygon is an obstacle, even if the other polygons of the plan are walkable
    level: str | None = None  # None = the geometry is on all levels


class Plan(NamedTuple):
    """The content of a plan: its geometries, and its coordinate reference system."""

    geometries: list[Named]
    crs: str | None = None  # name of the coordinate reference system


@dataclass(frozen=True)
class Shapes:
    """The polygons and lines of a plan. All polygons and lines are valid."""

    polygons: tuple[Polygon, ...]
    lines: tuple[LineString, ...]
    obstacles: tuple[Polygon, ...] = ()
    notes: tuple[str, ...] = ()  # notes on repaired and omitted geometries

    def warn(self, source: str) -> None:
        """Issue one warning with all notes on repaired and omitted geometries."""
        if self.notes:
            warnings.warn(f"{source}: {'; '.join(self.notes)}", InputWarning, stacklevel=3)

    def with_barriers(self, others: Iterable["Shapes"]) -> "Shapes":
        """Return these shapes, extended by the shapes in `others`, which block actors."""
        lines, obstacles = list(self.lines), list(self.obstacles)
        for other in others:
            lines += other.lines
            obstacles += other.polygons
        return Shapes(self.polygons, tuple(lines), tuple(obstacles), self.notes)


NO_SHAPES = Shapes((), ())


def checked_shapes(found: Iterable[Named]) -> Shapes:
    """Return all valid polygons and lines of the geometries `found`. Omit points and very thin polygons.

    The function repairs a polygon that touches itself if the repair does not change its area. Raises ValueError for any
    other invalid shape, and if no polygon and no line remains.
    """
    polygons: list[Polygon] = []
    lines: list[LineString] = []
    obstacles: list[Polygon] = []
    corners = Spending("wall_corners", "simplify the plan")
    left_out: Counter[str] = Counter()
    repairs: list[str] = []
    for own in found:
        for name, part in _parts(own.name, shapely.force_2d(own.geometry)):
            if limit_message := corners.excess(shapely.get_num_coordinates(part)):
                raise ValueError(f"the plan has {limit_message}")
            _require_near(name, part)
            if sliver := _sliver(part):
                left_out[sliver] += 1
            elif isinstance(part, LineString):
                lines.append(part)
            else:
                (obstacles if own.is_obstacle else polygons).extend(_valid(name, part, repairs))
    notes = (
        *_left_out(left_out),
        *repairs[:LISTED],
        *([f"{more} more repairs"] if (more := len(repairs) - LISTED) > 0 else []),
    )
    if not polygons and not lines and not obstacles:
        raise ValueError(
            f"the plan must contain a polygon or a line{''.join(f' ({note})' for note in notes)}. Draw a"
            " polygon or a line."
        )
    return Shapes(tuple(polygons), tuple(lines), tuple(obstacles), notes)


def sound_parts(own: Named, repairs: list[str]) -> Iterator[BaseGeometry]:
    """Yield the valid polygons, lines and points of a geometry. Omit shapes that are too small.

    The function adds a note on each repair to `repairs`. Raises ValueError for other invalid shapes.
    """
    for name, part in _parts(own.name, shapely.force_2d(own.geometry)):
        _require_near(name, part)
        if isinstance(part, Polygon):
            if not _sliver(part):
                yield from _valid(name, part, repairs)
        elif isinstance(part, Point) or not _sliver(part):
            yield part


def _parts(name: str, geometry: BaseGeometry) -> Iterator[tuple[str, BaseGeometry]]:
    """Yield the name and the shape of each polygon, line and point in a geometry.

    If a geometry has several shapes, the names contain numbers.
    """
    if geometry.is_empty:
        return
    match geometry:
        case Polygon() | LineString() | Point():
            yield name, geometry
        case BaseMultipartGeometry():
            for number, part in enumerate(geometry.geoms, 1):
                yield from _parts(f"{name}, part {number}", part)
        case _:
            kind = geometry.geom_type
            raise ValueError(f"{name} must be a polygon or a line (got a {kind}). Remove the object.")


def _sliver(part: BaseGeometry) -> str | None:
    """If a shape is a point or too small to keep, return the name of its type. For all other shapes, return None."""
    match part:
        case Point():
            return "point"
        case LineString():
            return "line under 1 mm" if part.length < SLIVER_LENGTH else None
        case Polygon():
            is_small = part.is_valid and part.area < SLIVER_AREA
            return "polygon under 1 mm^2" if is_small else None
        case _:
            return None


def _left_out(counts: Counter[str]) -> list[str]:
    parts = [f"{count} x {what}" for what, count in sorted(counts.items())]
    return [f"left out: {', '.join(parts)}"] if parts else []


def _require_near(name: str, part: BaseGeometry) -> None:
    coordinates = shapely.get_coordinates(part)
    if not np.isfinite(coordinates).all():
        raise ValueError(f"{name} has a coordinate that is not a number. Write all coordinates in metres.")
    if np.abs(coordinates).max() > FARTHEST:
        x, y = coordinates[np.abs(coordinates).max(axis=-1).argmax()]
        raise ValueError(
            f"{name} must be within {FARTHEST:g} m of the origin (a corner is at x = {x:g}, y = {y:g}). Move"
            " the plan to the origin."
        )


def _valid(name: str, polygon: Polygon, repairs: list[str]) -> list[Polygon]:
    """Return the polygon. If the polygon is invalid, return the repaired polygons, and add a note to `repairs`.

    Raises ValueError if a repair would change the area.
    """
    if polygon.is_valid:
        return [polygon]
    problem = shapely.is_valid_reason(polygon)
    repaired = shapely.make_valid(polygon, method="structure", keep_collapsed=False)
    before, after = polygon.area, repaired.area
    if abs(after - before) > KEPT * before or after < SLIVER_AREA:
        raise ValueError(f"{name} is not valid: it {_explained(problem)}. Correct the shape.")
    repairs.append(f"{name} {_explained(problem)}: repaired, area {before:.6g} m^2 before and {after:.6g} m^2 after")
    return [part for part in shapely.get_parts(repaired) if isinstance(part, Polygon)]


def _explained(reason: str) -> str:
    """Return a fault from GEOS in plain words. 'Self-intersection[1 1]' becomes 'crosses itself at x = 1, y = 1'."""
    found = re.fullmatch(r"(.*)\[(\S+) (\S+)\]", reason)
    what, where = (found[1], f" at x = {found[2]}, y = {found[3]}") if found else (reason, "")
    known = {
        "Self-intersection": "crosses itself",
        "Ring Self-intersection": "touches itself",
        "Hole lies outside shell": "has a hole outside its border",
        "Holes are nested": "has a hole in a hole",
        "Too few points in geometry component": "has too few corners",
    }
    return f"{known.get(what, what)}{where}"
