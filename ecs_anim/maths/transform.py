"""Transforms and poses. Translations, rotations and scales are separate, so that clips can animate each of them.

A `Transform` is one transform, or an array of independent transforms. A `Pose` contains the local transforms of all
joints.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import affine, quaternion, small_matrices

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Transform:
    """A transform that scales, then rotates, then translates. All arrays share their leading axes.

    A rotation followed by a non-uniform scale gives shear, which a transform cannot represent. Hierarchies are
    therefore composed as matrices (`ecs_anim.maths.affine`). `combine` and `inverse` are exact for uniform scales.
    """

    translation: Array  # [..., 3], [m]
    rotation: Array  # [..., 4], unit quaternion x, y, z, w
    scale: Array  # [..., 3], factor; a negative sign is a mirror

    def __post_init__(self) -> None:
        shapes = [getattr(part, "shape", ()) for part in (self.translation, self.rotation, self.scale)]
        leading = shapes[0][:-1]
        if shapes != [(*leading, 3), (*leading, 4), (*leading, 3)]:
            got = ", ".join(map(str, shapes))
            raise ValueError(
                "the arrays of a transform must be translation [..., 3], rotation [..., 4] and scale [..., 3] (got"
                f" shapes {got})"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} [{', '.join(map(str, self.rotation.shape[:-1]))}] {self.rotation.dtype}>"

    @classmethod
    def identity(cls, *leading: int, dtype: type = np.float32) -> Self:
        """Return identity transforms with the leading axes `leading`."""
        rotation: Array = np.zeros((*leading, 4), dtype)
        rotation[..., 3] = 1
        return cls(np.zeros((*leading, 3), dtype), rotation, np.ones((*leading, 3), dtype))

    @classmethod
    def from_matrix(cls, m: ArrayLike) -> Self:
        """Decompose a matrix [..., 3 or 4, 4].

        The rotation R is the orthonormal matrix nearest to the linear part M (polar decomposition, Shoemake and Duff
        1992). The scale is the diagonal of R^-1 M, so shear is lost. A mirror changes the sign of a scale.
        """
        m = np.asarray(m)[..., :3, :]
        linear = m[..., :3].astype(np.float64)
        basis = _orthonormal(linear)
        scale = np.sum(basis * linear, axis=-2)
        return cls(m[..., 3].copy(), quaternion.from_matrix(basis).astype(m.dtype), scale.astype(m.dtype))

    def to_matrix(self) -> Array:
        """Return the affine matrices [..., 3, 4]."""
        return affine.compose(self.translation, self.rotation, self.scale)

    def combine(self, child: Self) -> Self:
        """Return the transform that applies `child` first, then this transform (world = parent.combine(local))."""
        return type(self)(
            self.point(child.translation), quaternion.multiply(self.rotation, child.rotation), self.scale * child.scale
        )

    def inverse(self) -> Self:
        """Return the inverse transform. The inverse of a scale of 0 is 0."""
        nonzero = self.scale != 0
        scale = np.where(nonzero, 1 / np.where(nonzero, self.scale, 1), 0).astype(self.scale.dtype)
        rotation = quaternion.conjugate(self.rotation)
        return type(self)(scale * quaternion.rotate(rotation, -self.translation), rotation, scale)

    def mix(self, other: Self, weight: ArrayLike) -> Self:
        """Interpolate linearly from this transform (weight 0) to `other` (weight 1). Rotations take the short arc."""
        w = np.asarray(weight, self.translation.dtype)[..., None]
        return type(self)(
            self.translation + (other.translation - self.translation) * w,
            quaternion.nlerp(self.rotation, other.rotation, w[..., 0]),
            self.scale + (other.scale - self.scale) * w,
        )

    def point(self, p: ArrayLike) -> Array:
        """Transform points [..., 3] into the parent's space."""
        return self.translation + self.vector(p)

    def vector(self, v: ArrayLike) -> Array:
        """Scale and rotate vectors [..., 3] without translation."""
        return quaternion.rotate(self.rotation, self.scale * np.asarray(v))

    def __getitem__(self, index: object) -> Self:
        """Index the leading axes of all three arrays."""
        return type(self)(self.translation[index], self.rotation[index], self.scale[index])  # type: ignore[call-overload]


@dataclass(frozen=True, eq=False, repr=False)
class Pose(Transform):
    """The local transforms of all joints relative to their parents: arrays [..., joint, 3 or 4]."""


def _orthonormal(linear: Array) -> Array:
    """Return the proper rotations nearest to linear maps [..., 3, 3].

    If a map contains a mirror, the function changes the sign of an axis of length 0. If no axis has length 0, the
    function changes the sign of x.
    """
    basis = small_matrices.orthonormal(linear)
    vanishing = np.linalg.norm(linear, axis=-2) < 1e-12
    flipped = np.eye(3)[np.argmax(vanishing, axis=-1)].astype(bool)
    mirrored = small_matrices.determinant(basis)[..., None] < 0
    return basis * np.where(mirrored & flipped, -1.0, 1.0)[..., None, :]
