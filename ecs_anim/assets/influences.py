"""Skin influences of vertices. An influence is a pair of a palette entry and a weight.

With fewer influences per vertex, skinning takes less time, but the surface can crack at bent joints.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import SET, Mesh


def limit_influences(mesh: Mesh, count: int) -> Mesh:
    """Return a copy of the mesh that keeps the `count` (1 to 4) largest influences of each vertex.

    The kept weights sum to 1. Raises ValueError for a `count` outside 1 to 4.
    """
    if not 1 <= count <= SET:
        raise ValueError(
            f"the number of influences per vertex must be 1 to 4 (got {count}). Pass a number from 1 to 4."
        )
    order = np.argsort(-mesh.weights, axis=1, kind="stable")
    entries = np.take_along_axis(mesh.palette_indices, order, axis=1)[:, :SET]
    weights = np.take_along_axis(mesh.weights, order, axis=1)[:, :SET].astype(np.float64)
    entries[:, count:], weights[:, count:] = 0, 0
    weights /= weights.sum(axis=1, keepdims=True)
    return replace(mesh, palette_indices=entries, weights=weights.astype(np.float32))


def joined_influences(meshes: Sequence[Mesh]) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Return two arrays [vertex, influence] for the vertices of all meshes: the palette entries and the weights.

    The influence axis is as long as the largest number of influences per vertex in all meshes.
    """
    width = max(mesh.weights.shape[1] for mesh in meshes)
    entries, weights = (
        [np.pad(column, ((0, 0), (0, width - column.shape[1]))) for column in columns]
        for columns in ([mesh.palette_indices for mesh in meshes], [mesh.weights for mesh in meshes])
    )
    return np.concatenate(entries), np.concatenate(weights)
