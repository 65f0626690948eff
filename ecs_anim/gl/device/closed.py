"""Whether a mesh encloses a volume, so that its back faces are never seen."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.maths.solids import volume


def is_closed(mesh: Mesh) -> bool:
    """Tell whether every edge has its opposite edge and the faces look outwards.

    Vertices at one place are one vertex, unless morph targets or figures move them apart: lips that meet can open.
    Many exporters mark every material double-sided. The back faces of a closed mesh double the work and are never seen.
    """
    if not len(mesh.indices):
        return False
    corners = _welded(mesh)[mesh.indices].reshape(-1, 3)
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]).astype(np.int64)
    forward, backward = (edges @ pair for pair in ([mesh.vertex_count, 1], [1, mesh.vertex_count]))
    return np.array_equal(np.sort(forward), np.sort(backward)) and bool(volume(mesh.positions, mesh.indices) > 0)


def _welded(mesh: Mesh) -> NDArray[np.intp]:
    """A number for each vertex [vertex_count], the same for those that are always at one place."""
    moves = [move for shapes in (mesh.morphs, mesh.figures) if shapes is not None for move in shapes.positions]
    return np.unique(np.concatenate([mesh.positions, *moves], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
