"""Meshes whose vertices follow fewer joints: cheaper to skin, with cracks where joints bend."""

from dataclasses import replace

import numpy as np

from ecs_anim.assets.mesh import Mesh


def limit_influences(mesh: Mesh, count: int) -> Mesh:
    """The mesh with the `count` (1 to 4) heaviest of each vertex's influences; their weights again sum to 1.

    Raises ValueError for another count.
    """
    if not 1 <= count <= 4:
        raise ValueError(f"a vertex has 1 to 4 influences (got {count})")
    order = np.argsort(-mesh.weights, axis=1, kind="stable")
    entries = np.take_along_axis(mesh.palette_indices, order, axis=1)
    weights = np.take_along_axis(mesh.weights, order, axis=1).astype(np.float64)
    entries[:, count:], weights[:, count:] = 0, 0
    weights /= weights.sum(axis=1, keepdims=True)
    return replace(mesh, palette_indices=entries, weights=weights.astype(np.float32))
