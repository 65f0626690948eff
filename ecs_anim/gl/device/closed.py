"""Test for closed meshes. In a closed mesh, no back face of a triangle is visible."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.maths.solids import volume


def is_closed(mesh: Mesh) -> bool:
    """Return whether a mesh is closed: every edge has an opposite edge, and all triangles face outwards.

    All vertices at one position count as one vertex, except if morph targets or figures can move them apart. For
    example, a morph target can open closed lips. Many exporters mark every material as double-sided. The renderer
    therefore needs this test: it omits the back faces of closed meshes, which are never visible. With these back faces,
    drawing would take twice as long.
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
    """Return one integer for each vertex [vertex_count]. The integer identifies a point that several vertices can
    share.

    Two vertices have equal integers if their positions are equal in the mesh, in all morph targets and in all figures.
    """
    moves = [move for shapes in (mesh.morphs, mesh.figures) if shapes is not None for move in shapes.positions]
    return np.unique(np.concatenate([mesh.positions, *moves], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
