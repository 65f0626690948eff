"""Conversion of raw triangle corners to an indexed mesh with merged vertices.

With smooth shading, each vertex of the mesh has its own normal. With flat shading, the provoking vertex of a triangle
has the triangle's normal.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh_flat import provoking_corners

# Columns of `Geometry` that new vertices copy without a change.
COPIED = ("positions", "uvs", "colors", "palette_indices", "weights", "position_deltas")
_SAME_NORMAL = 1e-4  # largest difference between the corner normals of one flat triangle


@dataclass(frozen=True)
class Geometry:
    """Vertex arrays and triangle corners of a mesh, in the format of `ecs_anim.assets.mesh.Mesh`."""

    positions: NDArray[np.float32]  # [vertex_count, 3] f32
    normals: NDArray[np.float32]  # [vertex_count, 3] f32
    uvs: NDArray[np.float32]  # [vertex_count, 2] f32
    colors: NDArray[np.float32]  # [vertex_count, 4] f32, or [vertex_count, 0] without colours
    palette_indices: NDArray[np.uint16]  # [vertex_count, influence_count] u16
    weights: NDArray[np.float32]  # [vertex_count, influence_count] f32
    corners: NDArray[np.uint32]  # [triangle_count, 3] u32
    flat: bool  # whether shading is flat: the normal of a triangle is the normal of its last corner
    position_deltas: NDArray[np.float32]  # [vertex_count, target_count, 3] f32, offsets of morph targets
    normal_deltas: NDArray[np.float32]  # [vertex_count, target_count, 3] f32


def build(raw: Geometry) -> Geometry:
    """Return a geometry that looks like `raw`, but has as few vertices as possible.

    The function removes triangles that have no area in any pose. The function repairs invalid normals and merges equal
    vertices. If the three corners of each triangle have equal normals, the result has flat shading. With flat shading,
    triangles with different normals can share vertices. The last corner of a triangle (the provoking vertex) has the
    triangle's normal. The function can rotate the order of a triangle's corners, but never reverses this order. If
    `raw.flat` is True, the function ignores the normals in `raw`, and gives each triangle the normal of its plane. For
    each morph target, the triangle also gets the offset of its normal at weight 1. The function does not merge vertices
    that a morph target moves apart.
    """
    motions = weld(raw.palette_indices, raw.weights, raw.position_deltas)[1]
    points = weld(raw.positions, motions[:, None])[1]
    corners = raw.corners[_has_area(raw.positions, points, motions, raw.corners)]
    if raw.flat:
        return _flat(raw, corners, *_plane_normals(raw, corners))
    normals = repair_normals(raw.normals, raw.positions, corners)
    if _is_flat(normals, corners) and _is_flat(raw.normal_deltas, corners):
        first = corners[:, 0]
        return _flat(raw, corners, normals[first], raw.normal_deltas[first])
    return _smooth(raw, corners, normals)


def weld(*columns: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group equal rows of the arrays `columns` [row_count, n].

    Two rows are equal if their values in all arrays are equal.

    Groups are sorted by their first rows.

    Returns two arrays: the number of the first row of each group [group_count], and the number of the group of each row
    [row_count]. The comparison treats -0.0 and 0.0 as equal.
    """
    rows = len(columns[0])
    if not rows:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    parts = [np.ascontiguousarray(c + c.dtype.type(0)).view(np.uint8).reshape(rows, -1) for c in columns]
    packed = np.ascontiguousarray(np.concatenate(parts, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[group.reshape(-1)]


def repair_normals(
    given: NDArray[np.float32], positions: NDArray[np.float32], corners: NDArray[np.uint32]
) -> NDArray[np.float32]:
    """Return valid unit normals [vertex_count, 3].

    A normal in `given` is invalid if it is zero or not finite. The mean normal of the triangles at a vertex replaces an
    invalid normal of the vertex.
    """
    finite = np.isfinite(given).all(axis=1, keepdims=True)
    normals = np.where(finite, given, 0).astype(np.float64)
    bad = np.linalg.norm(normals, axis=1) <= 1e-6
    if bad.any():
        means = np.zeros_like(normals)
        faces = _face_vectors(positions, corners)
        for corner in range(3):
            np.add.at(means, corners[:, corner], faces)
        normals[bad] = means[bad]
    return _unit(normals)


def _has_area(
    positions: NDArray[np.float32], points: NDArray[np.intp], motions: NDArray[np.intp], corners: NDArray[np.uint32]
) -> NDArray[np.bool_]:
    """Return a mask [triangle_count] bool. The mask is true for each triangle that can have an area above 0 in some
    pose.

    The area of a triangle is 0 in all poses if two of its corners have one position and move together. The area is also
    0 in all poses if its three corners lie on a straight line and move together.
    """
    point, motion = points[corners], motions[corners]
    closed = (point == np.roll(point, 1, axis=1)).any(axis=1)
    together = (motion == motion[:, :1]).all(axis=1)
    in_line = ~_face_vectors(positions, corners).any(axis=1)
    return ~(closed | (together & in_line))


def _is_flat(normals: NDArray[np.float32], corners: NDArray[np.uint32]) -> bool:
    """Return whether the three corners of each triangle have equal vectors in `normals`.

    The vectors can be normals or normal offsets.
    """
    corner_normals = normals[corners]
    return bool((np.abs(corner_normals - corner_normals[:, :1]) <= _SAME_NORMAL).all())


def _plane_normals(raw: Geometry, corners: NDArray[np.uint32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return triangle normals [triangle_count, 3].

    Also return the offsets of the normals for each morph target, [triangle_count, target, 3].
    """
    normals = _unit(_face_vectors(raw.positions, corners))
    deltas = np.zeros((len(corners), raw.position_deltas.shape[1], 3), np.float32)
    for target in range(deltas.shape[1]):
        moved = raw.positions.astype(np.float64) + raw.position_deltas[:, target]
        deltas[:, target] = _unit(_face_vectors(moved, corners)) - normals
    return normals, deltas


def _smooth(raw: Geometry, corners: NDArray[np.uint32], normals: NDArray[np.float32]) -> Geometry:
    used, triangles = np.unique(corners, return_inverse=True)
    deltas = raw.normal_deltas
    first, group = weld(*(column[used] for column in (*_copied(raw), normals, deltas)))
    rows = used[first]
    return _copies(raw, rows, normals[rows], deltas[rows], group[triangles], flat=False)


def _flat(
    raw: Geometry, corners: NDArray[np.uint32], face_normals: NDArray[np.float32], face_deltas: NDArray[np.float32]
) -> Geometry:
    """Merge vertices that are equal except for their normals.

    After the merge, rotate each triangle, so that its last vertex has the triangle's normal.
    """
    used, triangles = np.unique(corners, return_inverse=True)
    first, group = weld(*(column[used] for column in _copied(raw)))
    faces, face_normal = weld(face_normals, face_deltas)
    vertex, normal, triangles = provoking_corners(group[triangles].reshape(-1, 3), face_normal, len(first))
    of_face = faces[normal]
    return _copies(raw, used[first[vertex]], face_normals[of_face], face_deltas[of_face], triangles, flat=True)


def _copies(
    raw: Geometry,
    rows: NDArray[Any],
    normals: NDArray[np.float32],
    normal_deltas: NDArray[np.float32],
    triangles: NDArray[Any],
    *,
    flat: bool,
) -> Geometry:
    """Return a geometry whose vertices are copies of the vertices `rows` of `raw`, with the normals `normals`."""
    columns = {name: column[rows] for name, column in zip(COPIED, _copied(raw), strict=True)}
    corners = triangles.reshape(-1, 3).astype(np.uint32)
    return Geometry(**columns, normals=normals, normal_deltas=normal_deltas, corners=corners, flat=flat)


def _copied(raw: Geometry) -> list[NDArray[Any]]:
    return [getattr(raw, name) for name in COPIED]


def _face_vectors(positions: NDArray[np.floating], corners: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return vectors [triangle_count, 3] in the direction of the triangle normals.

    The length of a vector is twice the triangle's area. In a view from the front, corners are counter-clockwise.
    """
    a, b, c = np.moveaxis(positions.astype(np.float64)[corners], 1, 0)
    return np.cross(b - a, c - a)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return normalised vectors [..., 3]. A zero vector becomes +Y."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 0, vectors / np.where(length > 0, length, 1), (0.0, 1.0, 0.0)).astype(np.float32)
