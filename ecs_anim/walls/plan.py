"""Reading of plans. The text of a plan becomes geometries in metres from the origin of the scene."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from ecs_anim.support.arguments import FARTHEST
from ecs_anim.walls.geojson import read_geojson
from ecs_anim.walls.geometry_xml import read_geometry_xml
from ecs_anim.walls.shapes import Named, Plan
from ecs_anim.walls.wkt import read_wkt

NO_PLACE = 0.3  # a plan with a smaller size is probably in degrees, because in metres it would be too small for people
ROUND = 100.0  # [m], a suggested origin is a multiple of this
DEGREES = re.compile(r"CRS:?84\b|EPSG:+(4326|4258|4269)\b|^WGS ?84$", re.IGNORECASE)
MERCATOR = re.compile(r"EPSG:+(3857|3785|900913|102100)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PlanOptions:
    """Settings for the reading of a plan: its unit, its level and its origin."""

    level: str | None = None  # name of the level to read; None = the plan must have only one level
    origin: tuple[float, float] = (0.0, 0.0)  # [m], the point of the plan that becomes 0, 0


class Box(NamedTuple):
    """The bounding box of a plan, in the unit of the plan."""

    low: NDArray[np.float64]  # [2]
    high: NDArray[np.float64]  # [2]

    @property
    def size(self) -> float:
        """Return the length of the longer side of the box."""
        return float((self.high - self.low).max())


def read_plan(text: str, options: PlanOptions = PlanOptions()) -> list[Named]:
    """Return the geometries of a plan from a text in WKT, GeoJSON or JuPedSim's XML.

    Raises ValueError for an invalid text, and the errors of `in_metres`.
    """
    match text.lstrip()[:1]:
        case "{" | "[":
            plan = read_geojson(text)
        case "<":
            plan = Plan(read_geometry_xml(text))
        case _:
            plan = read_wkt(text)
    return in_metres(plan, options)


def in_metres(plan: Plan, options: PlanOptions) -> list[Named]:
    """Return the geometries of one level of a plan, in metres from the scene's origin.

    Raises ValueError for a plan in degrees, for several levels, and for a plan far from its origin.
    """
    chosen = _on_level(plan.geometries, options.level)
    box = box_of(chosen)
    if box is not None:
        _require_metres(plan.crs, box)
    moved = [own._replace(geometry=_moved(own.geometry, options.origin)) for own in chosen]
    box = box_of(moved)
    if box is not None:
        require_near(box, options.origin)
    return moved


def _on_level(geometries: Sequence[Named], level: str | None) -> list[Named]:
    """Return the geometries of `level` and the geometries without a level.

    A geometry without a level belongs to all levels.
    """
    levels = sorted({own.level for own in geometries if own.level is not None})
    listed = ", ".join(levels[:10])
    if level is None and len(levels) > 1:
        raise ValueError(
            f"the plan has {len(levels)} levels ({listed}), but these walls can use only one level. Set the level in"
            f' the table of the walls, such as level = "{levels[0]}".'
        )
    if level is not None and level not in levels:
        raise ValueError(
            f"the plan has no level {level!r} (its levels are: {listed or 'none'}). Change level, or leave level out."
        )
    return [own for own in geometries if own.level is None or level in (None, own.level)]


def box_of(geometries: Sequence[Named]) -> Box | None:
    """Return the bounding box of all polygons and lines.

    If there are no polygons and no lines, or if a coordinate is not finite, return None.
    """
    areas = [own.geometry for own in geometries if "Point" not in own.geometry.geom_type]
    bounds = shapely.total_bounds(areas) if areas else np.array([np.nan])
    return Box(bounds[:2], bounds[2:]) if np.isfinite(bounds).all() else None


def _require_metres(crs: str | None, box: Box) -> None:
    if crs is not None and MERCATOR.search(crs):
        raise ValueError(
            f"a plan must not be in Web Mercator ({crs}), which stretches lengths. Project the plan to UTM, for"
            " example with ogr2ogr."
        )
    x, y = box.low.tolist()
    in_range = max(abs(x), abs(box.high[0])) <= 180 and max(abs(y), abs(box.high[1])) <= 90
    looks_so = crs is None and in_range and 0 < box.size < NO_PLACE and max(abs(x), abs(y)) > 1
    if (crs is not None and DEGREES.search(crs)) or looks_so:
        raise ValueError(
            f"a plan must be in metres (got degrees: longitude {x:.4f}, latitude {y:.4f})."
            f" Project the plan to UTM: `ogr2ogr -t_srs EPSG:{_utm(x, y)} metres.geojson degrees.geojson`"
        )


def _utm(longitude: float, latitude: float) -> int:
    """Return the EPSG code of the UTM zone that contains the given point. Longitude and latitude are in degrees."""
    zone = min(max(int((longitude + 180) // 6) + 1, 1), 60)
    return (32600 if latitude >= 0 else 32700) + zone


def require_near(box: Box, origin: tuple[float, float]) -> None:
    """Raise ValueError if a plan is farther than `FARTHEST` from the point 0, 0.

    If the plan itself is larger than `FARTHEST`, the function raises no error, because another origin would not help.
    """
    if max(np.abs(box.low).max(), np.abs(box.high).max()) <= FARTHEST or box.size > FARTHEST:
        return
    east, north = (ROUND * math.floor((low + own) / ROUND) for low, own in zip(box.low, origin, strict=True))
    raise ValueError(
        f"the plan must be within {FARTHEST:g} m of the point 0, 0 (the plan begins at x ="
        f" {box.low[0]:.0f}, y = {box.low[1]:.0f} m). Add origin = [{east:.0f}, {north:.0f}] to the walls,"
        " and to trajectories in the same coordinates."
    )


def _moved(geometry: shapely.Geometry, origin: tuple[float, float]) -> shapely.Geometry:
    return shapely.transform(geometry, lambda xy: xy - origin) if any(origin) else geometry
