"""Creation of coarser meshes for a rig without levels of detail. The method is edge collapse.

The optional library fast-simplification computes the edge collapses with quadric errors (Garland and Heckbert 1997).
Every remaining triangle is a triangle of the finest mesh with moved corners. The triangle keeps its material and its
texture coordinates. An edge collapse merges old vertices into one new vertex. The new vertex gets the skin binding of
the nearest old vertex.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.influences import joined_influences
from ecs_anim.assets.mesh import VERTEX_COLUMNS, Mesh
from ecs_anim.assets.mesh_build import Geometry, build, weld
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import blend_linear
from ecs_anim.levels.surface import Surface
from ecs_anim.maths import affine
from ecs_anim.support.errors import InputError

SHARES = (3, 10)  # levels 1 and 2 have a third and a tenth of the triangles of the finest level
FAR = 100  # triangle count of the coarsest level
CLEARLY = 0.8  # a coarser level has at most this fraction of the triangles of the next finer level
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Collapsed:
    """The remaining triangles after edge collapse, with moved corners and new skin bindings.

    Each corner of each triangle has its own position and its own skin binding. Corners with equal positions and skin
    bindings are not merged yet.
    """

    triangles: Ints  # [m], indices of the surface's triangles
    binders: Ints  # [m, 3], the old vertices that give the skin binding of corners
    positions: NDArray[np.float32]  # [m, 3, 3], in the bind pose
    palette_indices: NDArray[np.uint16]  # [m, 3, influence]
    weights: NDArray[np.float32]  # [m, 3, influence]


def with_levels(rig: Rig, triangle_counts: Sequence[int] | None = None) -> Rig:
    """Return a copy of the rig with new coarser levels, which are made from the finest level.

    The new levels replace the existing coarser levels. `triangle_counts` are the approximate triangle counts of level
    1, level 2 and so on. By default, the function makes three levels. The first level has a third of the finest level's
    triangles. The second level has a tenth of the finest level's triangles. The third level has 100 triangles. If the
    level with a given triangle count would not be clearly coarser than the next finer level, the function does not make
    this level. Raises InputError if the library fast-simplification is missing. Also raises InputError for a rig with
    figures, because the shapes of figures fit only the existing levels.
    """
    if rig.figures:
        raise InputError(
            f"the program cannot make detail levels for rig {rig.name!r}, because its figures (body shapes) fit only"
            " the existing levels. Leave out the key `levels`."
        )
    surface = Surface.of(rig.level(0))
    last = len(surface.triangles)
    wanted = [*(max(last // share, FAR) for share in SHARES), FAR] if triangle_counts is None else triangle_counts
    meshes = list(surface.meshes)
    for count in wanted:
        if count < CLEARLY * last:
            level, last = meshes[-1].level + 1, count
            meshes += [replace(mesh, level=level) for mesh in _meshes(surface, _collapse(rig, surface, count))]
    return replace(rig, meshes=tuple(meshes))


def _collapse(rig: Rig, surface: Surface, count: int) -> _Collapsed:
    """Simplify a surface to about `count` triangles.

    The function first merges vertices with equal rest positions and equal skin bindings, even if the vertices belong to
    different meshes.
    """
    rest = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    matrices = np.concatenate([blend_linear(mesh, rest) for mesh in surface.meshes]).astype(np.float64)
    indices, weights = joined_influences(surface.meshes)
    positions = affine.transform_points(matrices, surface.positions).astype(np.float64)
    first, group = weld(positions.astype(np.float32), indices, weights)
    triangles = group[surface.triangles]
    points, became = simplified(rig.name, positions[first], triangles[is_open(triangles)], count)
    corners = became[triangles]
    left = np.flatnonzero(is_open(corners))
    used, corners = np.unique(corners[left], return_inverse=True)
    binders = nearest(positions, became[group], used, points)
    # The new corners are in the rest pose. The matrix of the vertex that gives the skin binding transforms them back to
    # the bind pose.
    back = np.linalg.pinv(matrices[binders, :, :3]) @ (points - positions[binders])[..., None]
    moved = (surface.positions[binders] + back[..., 0]).astype(np.float32)
    corners = corners.reshape(-1, 3)
    binders = binders[corners]
    return _Collapsed(left, binders, moved[corners], indices[binders], weights[binders])


def is_open(corners: Ints) -> NDArray[np.bool_]:
    """Return a mask [m] bool of the triangles [m, 3] that have three different corners."""
    return (corners != np.roll(corners, 1, axis=1)).all(axis=1)


def simplified(
    name: str, positions: NDArray[np.float64], triangles: Ints, count: int
) -> tuple[NDArray[np.float64], Ints]:
    """Return two arrays. The first array contains the positions of the remaining vertices.

    The second array contains, for each old vertex, the number of the remaining vertex that replaces it.
    """
    try:
        from fast_simplification import simplify
    except ImportError:
        raise InputError(
            f"rig {name!r}: detail levels need the package fast-simplification. Install it: pip install 'ecs-anim[lod]'"
        ) from None
    points, _, steps = simplify(positions, triangles.astype(np.int32), target_count=count, return_collapses=True)
    became = np.arange(len(positions))
    became[steps[:, 1]] = steps[:, 0]
    while not np.array_equal(became, became[became]):
        became = became[became]
    return points, became


def nearest(positions: NDArray[np.float64], became: Ints, used: Ints, points: NDArray[np.float64]) -> Ints:
    """Return the nearest old vertex of each remaining vertex [n], among the old vertices that are merged into the
    remaining vertex.
    """
    there = np.flatnonzero(np.isin(became, used))
    number = np.searchsorted(used, became[there])
    order = np.lexsort((np.linalg.norm(positions[there] - points[number], axis=1), number))
    return there[order[np.searchsorted(number[order], np.arange(len(used)))]]


def _meshes(surface: Surface, collapsed: _Collapsed) -> list[Mesh]:
    """Return the simplified meshes. Omit each old mesh that has no remaining triangles."""
    found, first_triangle, first_vertex = [], 0, 0
    for mesh in surface.meshes:
        after = first_triangle + mesh.triangle_count
        rows = np.flatnonzero((collapsed.triangles >= first_triangle) & (collapsed.triangles < after))
        if len(rows):
            old = mesh.indices.reshape(-1, 3)[collapsed.triangles[rows] - first_triangle].ravel().astype(np.int64)
            found.append(_mesh(mesh, collapsed, rows, old, collapsed.binders[rows].ravel() - first_vertex))
        first_triangle, first_vertex = after, first_vertex + mesh.vertex_count
    return found


def _mesh(mesh: Mesh, collapsed: _Collapsed, rows: Ints, old: Ints, binders: Ints) -> Mesh:
    """Return a mesh with the collapsed triangles `rows`.

    `old` are the vertices of `mesh` that were the corners of these triangles before the collapse. The binder of a
    corner is the old vertex from which the corner takes its skin binding. A corner has the morph target offsets of its
    binder. If the binder belongs to another mesh, the corner has the morph target offsets of its old vertex.
    """
    morphs = mesh.morphs
    own = np.where((binders >= 0) & (binders < mesh.vertex_count), binders, old)
    deltas = (
        np.zeros((2, 0, mesh.vertex_count, 3), np.float32) if morphs is None else (morphs.positions, morphs.normals)
    )
    position_deltas, normal_deltas = (np.moveaxis(delta[:, own], 0, 1) for delta in deltas)
    raw = Geometry(
        positions=collapsed.positions[rows].reshape(-1, 3),
        normals=mesh.normals[old],
        uvs=mesh.uvs[old],
        colors=np.zeros((len(old), 0), np.float32) if mesh.colors is None else mesh.colors[old],
        palette_indices=np.concatenate(collapsed.palette_indices[rows]),
        weights=np.concatenate(collapsed.weights[rows]),
        corners=np.arange(len(old), dtype=np.uint32).reshape(-1, 3),
        flat=mesh.flat,
        position_deltas=position_deltas,
        normal_deltas=normal_deltas,
    )
    made = build(raw)
    if morphs is not None:
        positions, normals = (
            np.ascontiguousarray(np.moveaxis(d, 1, 0)) for d in (made.position_deltas, made.normal_deltas)
        )
        morphs = replace(morphs, positions=positions, normals=normals)
    return replace(
        mesh,
        **{name: getattr(made, name) for name in VERTEX_COLUMNS if getattr(mesh, name) is not None},
        indices=made.corners.ravel(),
        flat=made.flat,
        morphs=morphs,
    )
