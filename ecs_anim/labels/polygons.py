"""Polygons around masks, for label formats without run lengths.

The edges of a polygon follow the edges of pixels, so that a polygon contains exactly the pixels of its part of the
mask. Polygons of these formats have no holes. A mask with a hole becomes several polygons that share edges.
"""

from collections.abc import Iterator

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import LineString, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import split


def polygons_of(mask: NDArray[np.bool_]) -> list[list[float]]:
    """Return the polygons of a mask [height, width]: x, y [pixel] of all corners, without a repeated last corner.

    The polygons begin with the largest.
    """
    return [shapely.get_coordinates(part.exterior)[:-1].ravel().tolist() for part in _parts_of(mask)]


def joined_polygon_of(mask: NDArray[np.bool_]) -> list[float]:
    """Return one polygon around all parts of a mask [height, width], in the form of `polygons_of`.

    A bridge without width connects each part with the nearest corner of the parts before. All parts turn in the same
    direction. Converters from COCO to YOLO use the same form.
    """
    ring, *others = (shapely.get_coordinates(part)[:-1] for part in shapely.orient_polygons(_parts_of(mask)))
    for other in others:
        distances = np.abs(ring[:, None] - other).sum(axis=-1)
        here, there = np.unravel_index(distances.argmin(), distances.shape)
        part = np.roll(other, -there, axis=0)
        ring = np.concatenate([ring[: here + 1], part, part[:1], ring[here:]])
    return [float(number) for number in ring.ravel()]


def _parts_of(mask: NDArray[np.bool_]) -> list[Polygon]:
    """Return polygons without holes that cover a mask, the largest first."""
    parts = [part for whole in _parts(_area(mask)) for part in _without_holes(whole)]
    return sorted(parts, key=lambda part: (-part.area, part.bounds))


def _area(mask: NDArray[np.bool_]) -> BaseGeometry:
    """Return the union of all pixels of a mask."""
    edges = np.diff(np.pad(mask.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    rows, begins = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    return shapely.normalize(shapely.simplify(shapely.union_all(shapely.box(begins, rows, ends, rows + 1)), 0.0))


def _parts(area: BaseGeometry) -> Iterator[Polygon]:
    for part in getattr(area, "geoms", [area]):
        if isinstance(part, Polygon) and not part.is_empty:
            yield part


def _without_holes(area: Polygon) -> Iterator[Polygon]:
    """Yield parts of a polygon that have no holes. A vertical line through the middle of a hole cuts the polygon."""
    if not area.interiors:
        yield area
        return
    left, _, right, _ = area.interiors[0].bounds
    middle, (_, low, _, high) = (left + right) / 2, area.bounds
    for half in split(area, LineString([(middle, low - 1), (middle, high + 1)])).geoms:
        yield from _without_holes(half)
