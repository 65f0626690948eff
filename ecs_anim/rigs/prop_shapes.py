"""Shapes with vertex colours for the built-in props: rounded boxes, surfaces of revolution, tubes and irregular
balls.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.maths.small_matrices import unit
from ecs_anim.rigs.simple_rigs import straight_skeleton
from ecs_anim.rigs.surfaces import face_normal_sums, grid_triangles, plain_mesh

Reals = NDArray[np.floating]
Corners = NDArray[np.integer]


@dataclass(frozen=True)
class Shape:
    """Triangles with normals and linear vertex colours."""

    positions: Reals  # [vertex, 3], [m]
    normals: Reals  # [vertex, 3], unit
    colors: Reals  # [vertex, 3], linear RGB
    corners: Corners  # [triangle, 3], counter-clockwise in a view from outside

    def shaded(self, low: float, high: float, dark: float) -> "Shape":
        """Return a copy with darker colours near the ground: factor `dark` below the height `low`, 1 above `high`."""
        share = np.clip((self.positions[:, 1] - low) / (high - low), 0, 1)
        return Shape(self.positions, self.normals, self.colors * (dark + (1 - dark) * share)[:, None], self.corners)


def joined(shapes: list[Shape]) -> Shape:
    """Return all shapes as one shape."""
    starts = np.cumsum([0, *(len(own.positions) for own in shapes)])
    return Shape(
        np.concatenate([own.positions for own in shapes]),
        np.concatenate([own.normals for own in shapes]),
        np.concatenate([own.colors for own in shapes]),
        np.concatenate([own.corners + start for own, start in zip(shapes, starts[:-1], strict=True)]),
    )


def colored_mesh(material: Material, shape: Shape) -> Mesh:
    """Return a mesh with the vertex colours of a shape."""
    colors = np.concatenate([shape.colors, np.ones((len(shape.colors), 1))], axis=1).astype(np.float32)
    return plain_mesh(material, shape.positions, shape.normals, shape.corners, colors=colors)


def prop_rig(name: str, *meshes: Mesh) -> Rig:
    """Return a rig with one joint and without clips."""
    return Rig(name, straight_skeleton(1, np.zeros(3)), meshes, {})


def rounded_box(low: ArrayLike, high: ArrayLike, color: str, radius: float = 0.02) -> Shape:
    """Return a box from the corner `low` [3] to the corner `high` [3] [m].

    Bevels of width `radius` round the edges of the box.
    """
    low, high = np.asarray(low, float), np.asarray(high, float)
    half, signs = (high - low) / 2, 2 * np.array(np.unravel_index(np.arange(8), (2, 2, 2))).T - 1.0
    # [corner, axis, 3]; each corner of the box has three vertices, one for each of its three faces
    normals = signs[:, None] * np.eye(3)
    points = signs[:, None] * (half - radius) + radius * normals
    corners = np.array(_box_triangles())
    a, b, c = np.moveaxis(points.reshape(-1, 3)[corners], 1, 0)
    is_inward = np.sum(np.cross(b - a, c - a) * (a + b + c), axis=1) < 0
    corners[is_inward] = corners[is_inward][:, ::-1]
    return Shape(points.reshape(-1, 3) + (high + low) / 2, normals.reshape(-1, 3), _painted(color, 24), corners)


def _box_triangles() -> list[list[int]]:
    """Return the triangles of a box with bevels.

    Vertex 3 k + a belongs to the corner k = 4 x + 2 y + z and lies on the face of axis a.
    """
    found = [[3 * corner, 3 * corner + 1, 3 * corner + 2] for corner in range(8)]
    for axis, (step, u, v) in enumerate(((4, 2, 1), (2, 1, 4), (1, 4, 2))):
        next_axis, last_axis = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, step):
            found += _halves([3 * (side + corner) + axis for corner in (0, u, u + v, v)])
        for edge in (0, u, v, u + v):
            start, end = 3 * edge, 3 * (edge + step)
            found += _halves([start + next_axis, end + next_axis, end + last_axis, start + last_axis])
    return found


def _halves(ring: list[int]) -> list[list[int]]:
    """Return the two triangles of a quadrilateral."""
    return [ring[:3], [ring[0], *ring[2:]]]


def cloth(a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike, color: str) -> Shape:
    """Return both sides of a flat piece of cloth between four points [3] [m].

    In a view from the front, the points are counter-clockwise.
    """
    points = np.array([a, b, c, d], float)
    normal = unit(np.cross(points[1] - points[0], points[3] - points[0]))
    corners = np.array([[0, 1, 2], [0, 2, 3], [6, 5, 4], [7, 6, 4]])
    normals = np.repeat([normal, -normal], 4, axis=0)
    return Shape(np.concatenate([points, points]), normals, _painted(color, 8), corners)


def turned(profile: ArrayLike, color: str) -> Shape:
    """Return the surface that results from the rotation of a profile [point, 2] about +Y. A point is a radius and a
    height [m].

    The profile goes from the bottom to the top.
    """
    radii, heights = np.asarray(profile, float).T
    return _around(np.stack([0 * radii, heights, 0 * radii], axis=-1), radii, color, segments=16)


def tube(centres: ArrayLike, radii: ArrayLike, color: str, segments: int) -> Shape:
    """Return a tube around a line that goes up. `centres` [point, 3] and `radii` [point] are in metres."""
    return _around(np.asarray(centres, float), np.asarray(radii, float), color, segments)


def rod(start: ArrayLike, end: ArrayLike, radius: float, color: str) -> Shape:
    """Return a straight rod with rounded ends between two points [m]. The rod can have any direction."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = unit(end - start)
    side = unit(np.cross(along, [0.0, 1.0, 0.0] if abs(along[1]) < 0.9 else [1.0, 0.0, 0.0]))
    other = np.cross(along, side)
    angle = np.arange(6) * (math.tau / 6)
    ring = -cos(angle)[:, None] * side + sin(angle)[:, None] * other
    stops = ((start, 0.0, -0.6 * radius), (start, 1.0, 0.0), (end, 1.0, 0.0), (end, 0.0, 0.6 * radius))
    points = np.stack([middle + reach * along + share * radius * ring for middle, share, reach in stops])
    return _smooth(points, color)


def lump(
    middle: ArrayLike,
    radii: ArrayLike,
    color: str,
    rng: np.random.Generator,
    rough: float,
    rings: int,
    segments: int,
) -> Shape:
    """Return an irregular ball.

    `radii` [3] are the half sizes [m] of the ball, and `rough` is the relative size of the bumps.
    """
    slope = np.linspace(-math.pi / 2, math.pi / 2, rings + 1)[:, None]
    angle = np.arange(segments)[None, :] * (math.tau / segments)
    ball = np.stack([cos(slope) * sin(angle), sin(slope) + 0 * angle, cos(slope) * cos(angle)], axis=-1)
    waves, phases = rng.uniform(-3.2, 3.2, (5, 3)), rng.uniform(0, math.tau, 5)
    bumps = sum(sin(np.sum(ball * wave, axis=-1) + phase) for wave, phase in zip(waves, phases, strict=True))
    points = np.asarray(middle) + np.asarray(radii) * ball * (1 + rough * bumps / math.sqrt(5))[..., None]
    return _smooth(points, color)


def _around(centres: Reals, radii: Reals, color: str, segments: int) -> Shape:
    angle = np.arange(segments) * (math.tau / segments)
    ring = np.stack([sin(angle), 0 * angle, cos(angle)], axis=-1)
    return _smooth(centres[:, None] + radii[:, None, None] * ring, color)


def _smooth(points: Reals, color: str) -> Shape:
    """Return the smooth surface through rings of points [ring, segment, 3]. The rings go from the bottom to the top."""
    rings, segments, _ = points.shape
    corners = grid_triangles(rings - 1, segments, closed=True).reshape(-1, 3)
    merged = _merged(points)
    flat = points.reshape(-1, 3)[merged]
    a, b, c = merged[corners].T
    corners = corners[(a != b) & (b != c) & (c != a)]
    sums = face_normal_sums(flat, corners, merged[corners])[merged]
    return Shape(flat, unit(sums), _painted(color, len(flat)), corners)


def _merged(points: Reals) -> Corners:
    """Return the vertex number of each point. All points of a ring with radius 0 share one vertex, so that the surface
    is smooth there.
    """
    numbers = np.arange(points.shape[0] * points.shape[1]).reshape(points.shape[:2])
    is_tip = np.ptp(points, axis=1).max(axis=-1) < 1e-9
    return np.where(is_tip[:, None], numbers[:, :1], numbers).reshape(-1)


def _painted(color: str, count: int) -> Reals:
    return np.tile(np.array(hex_to_linear(color)), (count, 1))
