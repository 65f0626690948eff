"""Ground surfaces from a model: the triangles of the model after the transforms of its nodes."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.mirroring import outward_indices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.ground.surface import Surface
from ecs_anim.maths import affine


def placed_surfaces(rig: Rig, placement: NDArray[np.floating]) -> tuple[Surface, ...]:
    """Return the surfaces of a rig's finest meshes in the rest pose. The matrix `placement` [3, 4] places the rig.

    The function applies the transforms of the rig's nodes. If a node mirrors a triangle, the function reverses the
    order of the triangle's corners, so that the triangle still faces outwards. Raises ValueError for a rig without
    triangles.
    """
    palette = affine.multiply(placement, skin_palette(rig.skeleton, rig.skeleton.rest_pose)).astype(np.float32)
    weights = rig.morph_targets.defaults
    surfaces = tuple(_surface(mesh, palette, weights) for mesh in rig.level(0))
    if not surfaces:
        raise ValueError("the model must have triangles on which actors can stand. Use a model with a mesh.")
    return surfaces


def _surface(mesh: Mesh, palette: NDArray[np.float32], morph_weights: NDArray[np.float32]) -> Surface:
    positions, normals = skin_linear(mesh, palette, morph_weights)
    indices, uvs = outward_indices(mesh, palette), mesh.uvs
    colors = None if mesh.colors is None else mesh.colors[:, :3]
    if mesh.flat:  # in a mesh with flat shading, the last corner of a triangle has the normal of the triangle
        positions, uvs, normals = positions[indices], uvs[indices], np.repeat(normals[indices[2::3]], 3, axis=0)
        colors = None if colors is None else colors[indices]
        indices = np.arange(len(positions), dtype=np.uint32)
    material = mesh.material
    color = material.base_color[:3]
    is_bare = material.texture is None and colors is None and not material.unlit and color == (1.0, 1.0, 1.0)
    return Surface(
        positions,
        normals,
        indices,
        uvs if material.texture else None,
        colors,
        material.texture,
        None if is_bare else color,
        material.double_sided,
        material.unlit,
    )
