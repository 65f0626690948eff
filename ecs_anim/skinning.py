"""Skinning on the CPU, in plain numpy: the reference that the GPU's pictures are held against."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.hierarchy import skin_palette
from ecs_anim.mesh import Mesh
from ecs_anim.rig import Rig


def skin_linear(mesh: Mesh, palette: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Linear blend skinning: positions and unit normals [..., vertex, 3] under palettes [..., entry, 3, 4].

    Normals go by the blended matrix's cofactors, its inverse transpose up to a factor, so that non-uniform
    scale keeps them at right angles to the surface.
    """
    weighted = palette[..., mesh.palette_indices, :, :] * mesh.weights[:, :, None, None]
    matrices = np.sum(weighted, axis=-3)
    linear = matrices[..., :3]
    positions = (linear @ mesh.positions[:, :, None])[..., 0] + matrices[..., 3]
    x, y, z = np.moveaxis(linear, -1, 0)
    cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-1)
    normals = (cofactors @ mesh.normals[:, :, None])[..., 0]
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    unit = normals / np.where(length > 0, length, 1)
    return positions.astype(np.float32), unit.astype(np.float32)


def rest_bounds(rig: Rig) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lowest and highest corner [3] of the finest meshes in the rest pose, in the rig's units.

    Raises ValueError for a rig without meshes.
    """
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    corners = [(p.min(axis=0), p.max(axis=0)) for p in (skin_linear(mesh, palette)[0] for mesh in rig.level(0))]
    if not corners:
        raise ValueError(f"rig {rig.name!r} has no meshes")
    low, high = zip(*corners, strict=True)
    return np.min(low, axis=0), np.max(high, axis=0)
