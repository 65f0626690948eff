"""Helpers for computed meshes: triangles of grids, sums of face normals, and meshes from arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Material, Mesh

Reals = NDArray[np.floating]
Corners = NDArray[np.integer]


def grid_triangles(rows: int, columns: int, *, closed: bool = False) -> Corners:
    """Return both triangles of each grid cell [2, rows, columns, 3].

    With `closed`, the last column is connected to the first column.
    """
    across = columns if closed else columns + 1
    row, column = np.indices((rows, columns))
    a, b = row * across + column, row * across + (column + 1) % across
    return np.stack([np.stack([a, b, b + across], axis=-1), np.stack([a, b + across, a + across], axis=-1)])


def face_normal_sums(points: Reals, corners: Corners, owners: Corners) -> Reals:
    """Return area-weighted sums of face normals [vertex_count, 3].

    `owners` [triangle_count, 3] contains three row numbers for each face. The function adds the normal of the face to
    these three rows of the result.
    """
    a, b, c = np.moveaxis(points[corners], 1, 0)
    sums = np.zeros_like(points)
    for corner in range(3):
        np.add.at(sums, owners[:, corner], np.cross(b - a, c - a))
    return sums


def plain_mesh(
    material: Material,
    positions: Reals,
    normals: Reals,
    corners: Corners,
    *,
    uvs: Reals | None = None,
    palette_indices: NDArray[np.uint16] | None = None,
    weights: Reals | None = None,
    **others: Any,
) -> Mesh:
    """Return a mesh that has the name of `material`. By default, each vertex follows its first palette entry."""
    count = len(positions)
    return Mesh(
        name=material.name,
        material=material,
        positions=positions.astype(np.float32),
        normals=normals.astype(np.float32),
        uvs=np.zeros((count, 2), np.float32) if uvs is None else uvs.astype(np.float32),
        palette_indices=np.zeros((count, 4), np.uint16) if palette_indices is None else palette_indices,
        weights=np.tile(np.eye(1, 4), (count, 1)).astype(np.float32) if weights is None else weights.astype(np.float32),
        indices=corners.astype(np.uint32).reshape(-1),
        **others,
    )
