"""Whether a mesh encloses a volume, so that its back faces are never seen."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh


def is_closed(mesh: Mesh) -> bool:
    """Whether every edge has its opposite, vertices at one place taken as one, and the faces look outwards.

    Vertices that morph targets or figures move apart are two: lips that meet may open.

    Many exporters mark every material double-sided; drawing the back faces of a closed mesh doubles the
    work and shows nothing.
    """
    if not len(mesh.indices):
        return False
    corners = _welded(mesh)[mesh.indices].reshape(-1, 3)
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]).astype(np.int64)
    forward, backward = (edges @ pair for pair in ([mesh.vertex_count, 1], [1, mesh.vertex_count]))
    return np.array_equal(np.sort(forward), np.sort(backward)) and _volume(mesh) > 0


def _welded(mesh: Mesh) -> NDArray[np.intp]:
    """A number for each vertex [vertex_count], the same for those that are always at one place."""
    moves = [move for shapes in (mesh.morphs, mesh.figures) if shapes is not None for move in shapes.positions]
    return np.unique(np.concatenate([mesh.positions, *moves], axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _volume(mesh: Mesh) -> float:
    """Signed volume, positive where counter-clockwise faces look outwards."""
    a, b, c = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype(np.float64).transpose(1, 0, 2)
    return float(np.sum(a * np.cross(b, c)) / 6)
