"""Meshes for exported files. A mesh has the shape of one figure, and each vertex has its own normal."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.mirroring import mirrored_triangles
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.assets.rig import Rig


@dataclass(frozen=True)
class Shape:
    """A group of meshes that are drawn together. All meshes of a group use the same morph targets of the rig."""

    name: str
    meshes: tuple[Mesh, ...]
    columns: slice
    mirrored: bool  # whether the rest pose mirrors the meshes, which reverses the winding of triangles


def shapes_of(rig: Rig, level: int, variant: int) -> list[Shape]:
    """Return the meshes of the level of detail `level` for an actor with the variant number `variant`, in groups."""
    rest = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    groups: dict[tuple[int, int, bool], list[Mesh]] = {}
    for mesh in rig.level(level):
        figures = 0 if mesh.figures is None else len(mesh.figures.positions)
        own = mesh.of_figure(variant % figures) if figures else mesh
        columns = slice(0, 0) if mesh.morphs is None else mesh.morphs.columns
        mirrored = mesh.mirrors and bool(mirrored_triangles(mesh, rest).mean() > 0.5)
        group = groups.setdefault((columns.start, columns.stop, mirrored), [])
        group.append(_by_corners(own) if own.flat else own)
    return [Shape(own[0].name, tuple(own), slice(start, stop), m) for (start, stop, m), own in groups.items()]


def most_shapes(rig: Rig) -> int:
    """Return the largest number of shapes that an actor of the rig has."""
    return max(len(shapes_of(rig, level, 0)) for level in range(rig.level_count))


def joints_of(mesh: Mesh) -> NDArray[np.uint16]:
    """Return the palette entries [vertex, influence] of a mesh. An influence with weight 0 gets the palette entry 0."""
    return np.where(mesh.weights > 0, mesh.palette_indices, 0).astype(np.uint16)


def _by_corners(mesh: Mesh) -> Mesh:
    """Return a copy of a flat-shaded mesh with one vertex for each triangle corner.

    The normal of a vertex is the normal of its triangle.
    """
    corners, faces = mesh.indices.astype(np.intp), mesh.indices[2::3].repeat(3)
    own, morphs = mesh.vertices_alone(corners), mesh.morphs
    if morphs is not None:
        morphs = MeshMorphs(morphs.names, morphs.positions[:, corners], morphs.normals[:, faces], morphs.first)
    indices = np.arange(len(corners), dtype=np.uint32)
    return replace(own, normals=mesh.normals[faces], indices=indices, morphs=morphs, flat=False)
