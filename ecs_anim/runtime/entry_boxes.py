"""Boxes around the vertices that each palette entry moves. The corners of a box represent all vertices in the box.

Linear skinning transforms a vertex with the matrices of its palette entries. The position of a skinned vertex is a
weighted mean of the transformed positions. Therefore, the vertex lies in the convex hull of the transformed boxes of
its palette entries. No vertex moves farther than the corner with the largest movement.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh


def entry_boxes(meshes: Sequence[Mesh]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the palette entries [n] that move vertices, and the eight box corners [n, 8, 3] of each entry."""
    used = [np.unique(mesh.palette_indices[mesh.weights > 0]) for mesh in meshes]
    entries = np.unique(np.concatenate(used)).astype(np.int64) if used else np.zeros(0, np.int64)
    low, high = np.full((len(entries), 3), np.inf), np.full((len(entries), 3), -np.inf)
    for mesh in meshes:
        vertex, influence = np.nonzero(mesh.weights > 0)
        index = np.searchsorted(entries, mesh.palette_indices[vertex, influence])
        lowest, highest = _shaped(mesh)
        np.minimum.at(low, index, lowest[vertex])
        np.maximum.at(high, index, highest[vertex])
    pick = np.array([[corner >> axis & 1 for axis in range(3)] for corner in range(8)], bool)
    return entries, np.where(pick, high[:, None], low[:, None])


def _shaped(mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a lower bound and an upper bound for the position of each vertex [vertex, 3].

    The bounds are valid for all figures, and for morph weights from 0 to 1.
    """
    low = high = mesh.positions.astype(np.float64)
    if mesh.figures is not None:
        low, high = low + mesh.figures.positions.min(axis=0), high + mesh.figures.positions.max(axis=0)
    if mesh.morphs is not None:
        low = low + np.minimum(mesh.morphs.positions, 0).sum(axis=0)
        high = high + np.maximum(mesh.morphs.positions, 0).sum(axis=0)
    return low, high
