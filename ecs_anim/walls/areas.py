"""Reading of areas in scene files. An area is well-known text or a list of corners on the plan."""

from collections.abc import Sequence

import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.walls.shapes import Named, Shapes, checked_shapes
from ecs_anim.walls.wkt import read_wkt

Ring = tuple[tuple[float, float], ...]
Written = str | Sequence[tuple[float, float]]


def read_area(written: Written) -> tuple[tuple[Ring, ...], tuple[float, float]]:
    """Return the rings (closed outlines) of an area, and a point inside the area, in metres. A ring does not repeat its
    first corner.

    Raises ValueError for an invalid area.
    """
    shapes = read_shapes(written)
    if shapes.lines:
        raise ValueError("an area must be a polygon (got a line). Draw a polygon.")
    whole = shapely.normalize(shapely.union_all(list(shapes.polygons)))
    inner = whole.representative_point()
    rings = [ring for part in shapely.get_parts(whole) for ring in (part.exterior, *part.interiors)]
    return tuple(map(_corners, rings)), (float(inner.x), float(inner.y))


def read_shapes(written: Written) -> Shapes:
    """Return the shapes of an area. Two corners define a line. Three or more corners define a polygon.

    Raises ValueError for an invalid area, and for an area that needs a repair.
    """
    shapes = checked_shapes(
        read_wkt(written).geometries if isinstance(written, str) else [Named("the shape", _drawn(written))]
    )
    if shapes.notes:
        raise ValueError(f"the shape must be valid ({'; '.join(shapes.notes)}). Correct the shape.")
    return shapes


def _drawn(corners: Sequence[tuple[float, float]]) -> BaseGeometry:
    return LineString(corners) if len(corners) == 2 else Polygon(corners)


def _corners(ring: BaseGeometry) -> Ring:
    return tuple((x, y) for x, y in shapely.get_coordinates(ring)[:-1].tolist())
