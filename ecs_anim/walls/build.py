"""Construction of walls from the shapes of a plan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.ground.ground import Ground, flat
from ecs_anim.ground.surface import Surface, SurfaceKind
from ecs_anim.support.errors import InputError
from ecs_anim.walls.grid import wall_arrays
from ecs_anim.walls.plan import PlanOptions, read_plan
from ecs_anim.walls.prisms import prism_surface
from ecs_anim.walls.shapes import Shapes, checked_shapes
from ecs_anim.walls.walls import PlanPolygon, Points, Walls

Meaning = Literal["walkable", "obstacles"]
# Walls on uneven ground get additional corners: the distance between two corners [m], and the approximate limit of the
# number of corners.
DRAPED, MOST_DRAPED = 1.0, 1 << 16
# [m]; a point within this distance of a border is on the border, because corners of segments are rounded to float32
NEAR_BORDER = 1e-3
# Thick lines have mitred joins and not round joins. With arcs, the result would depend on the sines and cosines of the
# C library.
MITRED = {"join_style": "mitre", "mitre_limit": 3.0}


@dataclass(frozen=True)
class WallStyle:
    """The size and the appearance of walls."""

    height: float = 1.0  # [m]
    thickness: float = 0.2  # [m], thickness of line walls, and of the walls drawn around a walkable area
    color: tuple[float, float, float] = (0.72, 0.68, 0.62)  # linear RGB of the tops of walls
    drawn: bool = True  # whether walls are visible; invisible walls also block actors


def walls_from_text(
    text: str,
    style: WallStyle = WallStyle(),
    *,
    meaning: Meaning = "walkable",
    terrain: Ground | None = None,
    options: PlanOptions | None = None,
) -> Walls:
    """Return the walls of a plan in WKT, GeoJSON or JuPedSim's XML, in metres.

    `meaning` states whether the polygons of the plan are walkable areas or obstacles. A line is always a wall. Walls
    stand on `terrain`, which is flat ground by default. A warning lists all geometries of the plan that the function
    has repaired or omitted. Raises InputError for an invalid plan.
    """
    try:
        shapes = checked_shapes(read_plan(text, options or PlanOptions()))
        walls = standing_walls(shapes, style, meaning, terrain or flat())
    except ValueError as error:
        raise InputError(f"plan: {error}") from None
    shapes.warn("plan")
    return walls


def standing_walls(
    shapes: Shapes,
    style: WallStyle,
    meaning: Meaning,
    terrain: Ground,
    closed: Sequence[Shapes] = (),
    unseen: Sequence[Shapes] = (),
) -> Walls:
    """Return the walls from checked shapes, on `terrain`. The shapes in `closed` are closed doors.

    The shapes in `unseen` are obstacles without a drawn wall.

    The walls of a walkable area stand outside the area. The holes of the area are solid. Lines in `shapes` are the
    centre lines of walls. Raises ValueError if the walkable area is empty, or if its border vanishes in float32.
    """
    solids, walkable = _solids(shapes.with_barriers([*closed, *unseen]), style, meaning)
    if walkable is not None and not walkable:
        raise ValueError("the walls cover the whole walkable area. Draw smaller walls.")
    standing = _polygons(solids)
    bounds = [polygon.reverse() for polygon in standing] if walkable is None else walkable
    seen = _solids(shapes.with_barriers(closed), style, meaning)[0] if unseen else solids
    arrays = wall_arrays(_segments(bounds), is_open=walkable is None)
    return Walls(
        None if walkable is None else tuple(map(_plan_polygon, walkable)),
        tuple(map(_plan_polygon, standing)),
        style.height,
        arrays,
        tuple(_surfaces(seen, _solids(shapes, style, meaning)[0] if closed else seen, style, terrain))
        if style.drawn
        else (),
        of_props=_are_near(arrays.segments, unseen) if unseen else None,
    )


def _are_near(segments: Points, shapes: Sequence[Shapes]) -> NDArray[np.bool_]:
    """Return whether the middle of each segment [n, 2, 2] is on the border of one of the obstacles in `shapes`."""
    borders = shapely.boundary(shapely.union_all([polygon for own in shapes for polygon in own.polygons]))
    return shapely.dwithin(shapely.points(segments.mean(axis=1, dtype=np.float64)), borders, NEAR_BORDER)


def _solids(shapes: Shapes, style: WallStyle, meaning: Meaning) -> tuple[BaseGeometry, list[Polygon] | None]:
    """Return the solids and the walkable area.

    If the walkable area is None, all points outside the solids are walkable.
    """
    lines = shapely.buffer(list(shapes.lines), style.thickness / 2, cap_style="square", **MITRED)
    polygons = shapely.union_all(list(shapes.polygons))
    barriers = shapely.union_all([*lines, *shapes.obstacles])
    if meaning == "obstacles" or not shapes.polygons:
        return polygons.union(barriers), None
    grown = _polygons(shapely.buffer(polygons, style.thickness, **MITRED))
    filled = shapely.union_all([Polygon(part.exterior) for part in grown])
    return filled.difference(polygons).union(barriers), _polygons(polygons.difference(barriers))


def _surfaces(solids: BaseGeometry, walls: BaseGeometry, style: WallStyle, terrain: Ground) -> Iterator[Surface]:
    """Yield the drawn surfaces: first the surface of the walls, then the surface of closed doors."""
    parts: dict[SurfaceKind, BaseGeometry] = {"wall": walls}
    if solids is not walls:
        parts["door"] = solids.difference(walls)
    for kind, part in parts.items():
        if polygons := _draped(part, terrain):
            yield prism_surface(polygons, style.height, terrain.height_at, style.color, kind)


def _draped(solids: BaseGeometry, terrain: Ground) -> list[Polygon]:
    """Return the polygons of `solids`. On uneven ground, the polygons have additional corners to follow the ground."""
    spacing = max(DRAPED, solids.length / MOST_DRAPED)
    return _polygons(shapely.segmentize(solids, spacing) if terrain.surfaces else solids)


def _polygons(area: BaseGeometry) -> list[Polygon]:
    """Return the polygons of an area in a fixed order. Exteriors are counter-clockwise, and holes are clockwise."""
    parts = shapely.get_parts(shapely.orient_polygons(shapely.normalize(area)))
    return [part for part in parts if isinstance(part, Polygon) and not part.is_empty]


def _plan_polygon(polygon: Polygon) -> PlanPolygon:
    exterior, *holes = (_corners(ring) for ring in (polygon.exterior, *polygon.interiors))
    return PlanPolygon(exterior, tuple(holes))


def _corners(ring: BaseGeometry) -> Points:
    corners: Points = shapely.get_coordinates(ring)[:-1].astype(np.float32)
    corners.flags.writeable = False
    return corners


def _segments(polygons: Sequence[Polygon]) -> Points:
    """Return the edges [segment_count, 2, 2] of all rings. Omit edges whose length is 0 in float32.

    Raises ValueError if no edge remains.
    """
    rings = [_corners(ring) for polygon in polygons for ring in (polygon.exterior, *polygon.interiors)]
    edges = np.concatenate([np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in rings])
    is_long = (edges[:, 0] != edges[:, 1]).any(axis=-1)
    if not is_long.any():
        raise ValueError(
            "the walls are too small for float32 at their distance from the origin. Draw larger walls, or move the"
            " walls to the origin."
        )
    return np.ascontiguousarray(edges[is_long])
