"""Compression of poses to few numbers. The module computes the principal components of quaternions, translations and
scales, weighted by their effects on joint positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.quaternion import normalize

POSE = 10  # numbers of a joint: translation 3, rotation 4, scale 3
ROTATION = slice(3, 7)
STILL = 1e-6  # a number of the pose with a smaller range counts as constant
# [m], assumed effect of a number that moves no joint, such as the rotation of a hand, if this number changes by 1
LEAST = 0.05
SMALL = 1e-3  # for the measurement of its effect, a number changes by this value
# The effects are measured in this number of evenly spaced poses, and in this number of poses that differ most from the
# mean. Several poses are necessary, because the effects differ between straight and bent legs.
EVEN, EXTREME = 64, 16

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class PoseBasis:
    """A linear basis of poses. A pose is the mean pose plus a sum of components, each multiplied by a coefficient."""

    mean: NDArray[np.float32]  # [joint x 10], pose with all coefficients 0
    dims: NDArray[np.uint16]  # [n], indices of the numbers of a pose that are not constant
    components: NDArray[np.float32]  # [component, n], change of these numbers if the coefficient of the component is 1
    # [n, component], matrix that converts changes of these numbers to coefficients; empty for a basis that was read
    # from a file
    projection: Reals

    @classmethod
    def fit(cls, rows: NDArray[np.float32], parents: Sequence[int], weights: Reals, tolerance: float) -> Self:
        """Return the basis of the poses `rows` [n, joint x 10]. Leave out the smallest components, up to a total effect
        of `tolerance` [m].

        A coefficient is approximately the root of the sum of the squared movements of all joints. `parents` are the
        parents of the joints. `weights` [joint] are factors of the movements: the length of a rig unit in metres, and
        more for joints whose errors are easily visible.
        """
        rows = rows.astype(np.float64)
        mean = rows.mean(axis=0).astype(np.float32)
        dims = np.flatnonzero(np.ptp(rows, axis=0) > STILL)
        squares = LEAST**2 * np.eye(len(dims))
        measured = _measured(rows[:, dims] - mean[dims], rows)
        for row in measured:
            effects = _effects(row, dims, parents) * np.repeat(weights, 3)
            squares += effects @ effects.T / len(measured)
        sizes, axes = np.linalg.eigh(squares)
        metric, back = (axes * sizes**power @ axes.T for power in (0.5, -0.5))
        changes = (rows[:, dims] - mean[dims]) @ metric
        sizes, axes = np.linalg.eigh(changes.T @ changes / len(rows))
        axes = axes[:, np.cumsum(np.maximum(sizes, 0)) > tolerance**2][:, ::-1]
        return cls(mean, dims.astype(np.uint16), (axes.T @ back).astype(np.float32), metric @ axes)

    @classmethod
    def read(cls, mean: NDArray[np.float32], dims: NDArray[np.uint16], components: NDArray[np.float32]) -> Self:
        """Return a basis from stored arrays. Such a basis can compute poses, but not coefficients."""
        return cls(mean, dims, components, np.zeros((0, 0)))

    @property
    def count(self) -> int:
        """Return the number of components."""
        return len(self.components)

    def coefficients(self, rows: NDArray[np.float32]) -> Reals:
        """Return the coefficients [..., component] of poses [..., joint x 10]."""
        return (rows[..., self.dims].astype(np.float64) - self.mean[self.dims]) @ self.projection

    def poses(self, coefficients: Reals) -> Reals:
        """Return the poses [n, joint x 10] that coefficients [n, component] represent. Quaternions have any length."""
        rows = np.empty((len(coefficients), len(self.mean)))
        rows[:] = self.mean
        rows[:, self.dims] += coefficients @ self.components
        return rows


def aligned(rows: NDArray[Any], reference: NDArray[Any]) -> NDArray[Any]:
    """Return poses [..., joint x 10] in which the dot product of each quaternion and the quaternion of `reference` is
    not negative.

    `reference` is one pose [joint x 10], or one pose for each pose of `rows`.
    """
    joints = rows.reshape(*rows.shape[:-1], rows.shape[-1] // POSE, POSE).copy()
    rotation = joints[..., ROTATION]
    other = reference.reshape(*reference.shape[:-1], reference.shape[-1] // POSE, POSE)[..., ROTATION]
    against = np.sum(rotation * other, axis=-1, keepdims=True) < 0
    joints[..., ROTATION] = np.where(against, -rotation, rotation)
    return joints.reshape(rows.shape)


def model_points(rows: NDArray[np.floating], parents: Sequence[int]) -> Reals:
    """Return the joint positions [n, joint, 3] [rig units] of poses [n, joint x 10]."""
    from ecs_anim.kernels.pose_points import pose_points  # compiled at first use

    joints = np.array(rows, np.float64).reshape(len(rows), len(parents), POSE)
    joints[..., ROTATION] = normalize(joints[..., ROTATION])
    points = np.empty((len(rows), len(parents), 3))
    pose_points(joints.reshape(rows.shape), np.array(parents, np.int64), points)
    return points


def _measured(changes: Reals, rows: NDArray[np.floating]) -> Reals:
    """Select the poses among `rows` [n] at which the effects are measured. `changes` [n] are differences from
    the mean.
    """
    even = np.linspace(0, len(rows) - 1, min(EVEN, len(rows))).astype(np.intp)
    extreme = np.argsort(-np.sum(changes**2, axis=1), kind="stable")[:EXTREME]
    return rows[np.append(even, extreme)].astype(np.float64)


def _effects(row: Reals, dims: NDArray[np.intp], parents: Sequence[int]) -> Reals:
    """Return the movement [n, joint x 3] [rig units] of all joints for a change of 1 of each number `dims` [n].

    The numbers change in the pose `row` [joint x 10].
    """
    rows = np.repeat(row[None], len(dims) + 1, axis=0)
    rows[np.arange(len(dims)), dims] += SMALL
    points = model_points(rows, parents)
    return (points[:-1] - points[-1]).reshape(len(dims), 3 * len(parents)) / SMALL
