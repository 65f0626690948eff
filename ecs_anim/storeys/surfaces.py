"""The drawn surfaces of a building: slabs, treads with risers, and railings."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.assets.floor_material import SurfaceMaterial
from ecs_anim.ground.surface import Color, Surface, quad_indices
from ecs_anim.maths.plan import space_from_plan
from ecs_anim.storeys.parts import Flight

Reals = NDArray[np.float64]
SIDE, BELOW, RISER = 0.72, 0.6, 0.8  # brightness of the sides and undersides of slabs, and of risers
WAIST = 0.14  # [m], thickness of stairs below the inner corners of their steps


class Quads(NamedTuple):
    """Flat quads with one brightness for each quad."""

    corners: Reals  # [quad, 4, 3] [m], counter-clockwise seen from outside
    shades: Reals  # [quad]


def polygons_of(area: BaseGeometry) -> list[Polygon]:
    """Return the polygons of an area in a fixed order. Exteriors are counter-clockwise, and holes are clockwise."""
    parts = shapely.get_parts(shapely.orient_polygons(shapely.normalize(area)))
    return [part for part in parts if isinstance(part, Polygon) and part.area > 1e-9]


def painted(quads: Sequence[Quads], color: Color) -> Surface:
    """Return one surface with the colour `color` from flat quads."""
    corners, shades = (np.concatenate(parts) for parts in zip(*quads, strict=True))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.sqrt((normals * normals).sum(axis=-1, keepdims=True)), 1e-12)
    return Surface(
        corners.reshape(-1, 3).astype(np.float32),
        np.repeat(normals, 4, axis=0).astype(np.float32),
        quad_indices(len(corners)),
        colors=np.repeat(np.repeat(shades, 4)[:, None], 3, axis=1).astype(np.float32),
        color=color,
        kind="block",
    )


def floor_tops(area: BaseGeometry, height: float) -> Reals:
    """Return the triangles [triangle, 3, 3] [m] of the top of a floor."""
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(np.array(polygons_of(area))))
    corners = shapely.get_coordinates(shapely.orient_polygons(triangles)).reshape(-1, 4, 2)[:, :3]
    return space_from_plan(corners, height)


def top_surface(tops: Reals, color: Color, material: SurfaceMaterial) -> Surface:
    """Return the surface of horizontal triangles [triangle, 3, 3] [m]."""
    count = 3 * len(tops)
    normals = np.tile(np.array([0, 1, 0], np.float32), (count, 1))
    indices = np.arange(count, dtype=np.uint32)
    points = tops.reshape(-1, 3).astype(np.float32)
    return Surface(points, normals, indices, color=color, material=material)


def slab_edges(area: BaseGeometry, height: float, thickness: float) -> Quads:
    """Return the sides and the underside of a slab. The function stores a triangle of the underside as a quad with two
    equal corners.
    """
    rings = [
        shapely.get_coordinates(ring) for solid in polygons_of(area) for ring in (solid.exterior, *solid.interiors)
    ]
    start, end = (np.concatenate(ends) for ends in zip(*((ring[:-1], ring[1:]) for ring in rings), strict=True))
    low, high = height - thickness, height
    sides = [space_from_plan(start, low), space_from_plan(end, low)]
    sides += [space_from_plan(end, high), space_from_plan(start, high)]
    below = floor_tops(area, low)[:, [0, 2, 1, 1]]
    corners = np.concatenate([np.stack(sides, axis=1), below])
    return Quads(corners, np.concatenate([np.full(len(start), SIDE), np.full(len(below), BELOW)]))


def _strip(flight: Flight, along: Reals, height: Reals, aside: float) -> Reals:
    """Return points in space [n, 3] from their distances `along` a flight, their heights [n], and their distance
    `aside` from the flight's middle line.
    """
    return space_from_plan(flight.at(along, np.full(len(along), aside)), height)


def _profile(flight: Flight) -> tuple[Reals, Reals]:
    """Return the distances [n] along a flight and the heights [n] of the corners of its upper side, from the lower end
    to the upper end.
    """
    if not flight.risers:
        return np.array([0.0, flight.length]), np.array([flight.base, flight.top])
    step = np.arange(flight.risers)
    along, low = step * flight.going, flight.base + step * flight.riser
    return np.repeat(along, 2), np.stack([low, low + flight.riser], axis=1).ravel()


def flight_tops(flight: Flight) -> Quads:
    """Return the surfaces of a flight on which actors stand: its treads or its slope."""
    along, height = _profile(flight)
    if flight.risers:
        along, height = along[1:-1], height[1:-1]
    half = flight.width / 2
    right, left = _strip(flight, along, height, -half), _strip(flight, along, height, half)
    corners = np.stack([right[0::2], right[1::2], left[1::2], left[0::2]], axis=1)
    return Quads(corners, np.ones(len(corners)))


def flight_sides(flight: Flight) -> Quads:
    """Return the risers, the sides and the underside of a flight."""
    along, height = _profile(flight)
    half, slope = flight.width / 2 + 0.02, (flight.top - flight.base) / flight.length
    under = np.maximum(flight.base - 0.02, flight.base + slope * along - WAIST - flight.riser)
    under = np.minimum(under, height - 0.02)
    found: list[Reals] = []
    shades: list[float] = []
    if flight.risers:
        right, left = (_strip(flight, along, height, side) for side in (-half, half))
        risers = np.stack([right[0::2], right[1::2], left[1::2], left[0::2]], axis=1)
        found.append(risers)
        shades += [RISER] * len(risers)
    for side in (-half, half):
        top, low = _strip(flight, along, height, side), _strip(flight, along, under, side)
        quads = np.stack([low[:-1], low[1:], top[1:], top[:-1]], axis=1)
        quads = quads[along[1:] > along[:-1]]
        found.append(quads if side < 0 else quads[:, ::-1])
        shades += [SIDE] * len(quads)
    right, left = _strip(flight, along, under, -half), _strip(flight, along, under, half)
    bottom = np.stack([right[:-1], left[:-1], left[1:], right[1:]], axis=1)[along[1:] > along[:-1]]
    found.append(bottom)
    return Quads(np.concatenate(found), np.array([*shades, *[BELOW] * len(bottom)]))
