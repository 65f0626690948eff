"""Palettes for dual quaternion skinning. Each entry is a stretch, then a rigid motion.

A skin matrix M is decomposed as M v = R (S v + o) + t: the symmetric stretch S with the offset o, then the rotation R
and the translation t. Skinning blends stretches linearly and rigid motions as dual quaternions. These are the two
phases of Kavan, Collins, Zara and O'Sullivan, Geometric Skinning with Approximate Dual Quaternion Blending, ACM ToG
27(4), 2008, section 4.2.

The offset is o = (s I - S) c. Here c is the joint's position in bind space, and s is the global scale, which is the
scale of the outermost joint. Scales relative to the global scale act about the joint. A character under a scale of 0.01
therefore keeps its shape.

An entry has four rows of four numbers in the shader's format:

    rotation x, y, z, w          unit quaternion
    translation x, y, z          and stretch xx
    offset x, y, z               and stretch yy
    stretch zz, yz, zx, xy

An entry can represent uniform scale, non-uniform scale and shear. A mirror is a stretch by -1 in all directions and a
rotation. A matrix with scale 0 loses its rotation.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine, quaternion

ROWS = 4  # rows of an entry; a matrix has three rows
FLAT = 1e-6  # share of the longest axis; a shorter axis has no reliable direction

Array = NDArray[np.floating]


def from_matrices(matrices: ArrayLike, skeleton: Skeleton) -> Array:
    """Return dual palette entries [..., entry, 4, 4] for a skeleton's skin matrices [..., entry, 3, 4]."""
    m = np.asarray(matrices)
    rotation, stretch = _polar(m[..., :3].astype(np.float64))
    whole = np.trace(stretch, axis1=-2, axis2=-1)[..., skeleton.base_entries, None] / 3
    center = skeleton.bind_places.astype(np.float64)
    offset = whole * center - (stretch @ center[..., None])[..., 0]
    out = np.empty((*m.shape[:-2], ROWS, 4), m.dtype)
    out[..., 0, :] = quaternion.from_matrix(rotation)
    out[..., 1, :3] = m[..., 3] - (rotation @ offset[..., None])[..., 0]
    out[..., 2, :3] = offset
    out[..., 1, 3], out[..., 2, 3] = stretch[..., 0, 0], stretch[..., 1, 1]
    out[..., 3, 0], out[..., 3, 1] = stretch[..., 2, 2], stretch[..., 1, 2]
    out[..., 3, 2], out[..., 3, 3] = stretch[..., 2, 0], stretch[..., 0, 1]
    return out


def to_matrices(entries: ArrayLike) -> Array:
    """Return the skin matrices [..., 3, 4] that entries [..., 4, 4] represent."""
    entries = np.asarray(entries)
    return affine.multiply(rigid_matrices(entries), stretch_matrices(entries))


def rigid_matrices(entries: Array) -> Array:
    """Return matrices [..., 3, 4] with only the rotation and the translation of entries [..., 4, 4]."""
    return affine.join(quaternion.to_matrix(entries[..., 0, :]), entries[..., 1, :3])


def stretch_matrices(entries: Array) -> Array:
    """Return matrices [..., 3, 4] with only the stretch and the offset of entries [..., 4, 4]."""
    xx, yy = entries[..., 1, 3], entries[..., 2, 3]
    zz, yz, zx, xy = np.moveaxis(entries[..., 3, :], -1, 0)
    rows = (xx, xy, zx), (xy, yy, yz), (zx, yz, zz)
    return affine.join(np.stack([np.stack(row, axis=-1) for row in rows], axis=-2), entries[..., 2, :3])


def _polar(linear: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return proper rotations R and symmetric S with R S = linear, [..., 3, 3].

    S is negative for a matrix that mirrors. For a singular matrix, the sign of the lost direction makes R proper.
    """
    u, size, vt = np.linalg.svd(linear)
    mirrored = np.linalg.det(u @ vt) < 0
    flat = size[..., 2] <= FLAT * size[..., 0]
    u[..., 2] *= np.where(mirrored & flat, -1, 1)[..., None]
    sign = np.where(mirrored & ~flat, -1, 1)[..., None, None]
    stretch = np.swapaxes(vt, -1, -2) @ (size[..., None] * vt)
    return sign * (u @ vt), sign * stretch
