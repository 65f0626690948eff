"""Palettes for dual quaternion skinning. A palette entry consists of a stretch and a rigid motion.

A skin matrix M is decomposed as M v = R (S v + o) + t. The matrix S is a symmetric stretch, and the vector o is the
offset of the stretch. The matrix R is a rotation, and the vector t is a translation. Skinning blends the stretches
linearly and the rigid motions as dual quaternions. Section 4.2 of the source describes this skinning method. Source:
Kavan, Collins, Zara and O'Sullivan, Geometric Skinning with Approximate Dual Quaternion Blending, ACM ToG 27(4), 2008.

The offset is o = (s I - S) c. The vector c is the joint's position in bind space. The number s is the global scale,
which is the scale of the outermost joint. A joint's scale relative to the global scale does not move the joint itself.
A character with a global scale of 0.01 therefore keeps its shape.

A palette entry has four rows of four numbers. The shader reads this format:

- row 1: the rotation as a unit quaternion x, y, z, w
- row 2: the translation x, y, z, and the stretch xx
- row 3: the offset x, y, z, and the stretch yy
- row 4: the stretches zz, yz, zx, xy

A palette entry can represent uniform scale, non-uniform scale and shear. For a matrix that mirrors, the entry contains
a rotation and a stretch by -1 in all directions. For a matrix with scale 0, the entry does not contain the rotation.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine, quaternion

ROWS = 4  # rows of a palette entry; a skin matrix has three rows
FLAT = 1e-6  # fraction of the longest axis; a shorter axis has no reliable direction

Array = NDArray[np.floating]


def from_matrices(matrices: ArrayLike, skeleton: Skeleton) -> Array:
    """Convert skin matrices [..., entry, 3, 4] of a skeleton to palette entries [..., entry, 4, 4] in the format of
    this module.
    """
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
    """Convert palette entries [..., 4, 4] in the format of this module to skin matrices [..., 3, 4]."""
    entries = np.asarray(entries)
    return affine.multiply(rigid_matrices(entries), stretch_matrices(entries))


def rigid_matrices(entries: Array) -> Array:
    """Return the rotations and translations of palette entries [..., 4, 4] as matrices [..., 3, 4]."""
    return affine.join(quaternion.to_matrix(entries[..., 0, :]), entries[..., 1, :3])


def stretch_matrices(entries: Array) -> Array:
    """Return the stretches and offsets of palette entries [..., 4, 4] as matrices [..., 3, 4]."""
    xx, yy = entries[..., 1, 3], entries[..., 2, 3]
    zz, yz, zx, xy = np.moveaxis(entries[..., 3, :], -1, 0)
    rows = (xx, xy, zx), (xy, yy, yz), (zx, yz, zz)
    return affine.join(np.stack([np.stack(row, axis=-1) for row in rows], axis=-2), entries[..., 2, :3])


def _polar(linear: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the polar decomposition R S of the matrices `linear` [..., 3, 3].

    R is a proper rotation and S is symmetric. If a matrix mirrors, its S is negative. If a matrix is singular, R is not
    unique. The function then chooses a proper rotation.
    """
    u, size, vt = np.linalg.svd(linear)
    mirrored = np.linalg.det(u @ vt) < 0
    flat = size[..., 2] <= FLAT * size[..., 0]
    u[..., 2] *= np.where(mirrored & flat, -1, 1)[..., None]
    sign = np.where(mirrored & ~flat, -1, 1)[..., None, None]
    stretch = np.swapaxes(vt, -1, -2) @ (size[..., None] * vt)
    return sign * (u @ vt), sign * stretch
