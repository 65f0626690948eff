"""Blending and addition of poses. This module is the reference implementation for single poses.

The kernels for crowds and this module compute equal results. Poses [..., joint] contain local transforms. The leading
axes of a pose broadcast against the axes of the weights [...]. A mask has one weight from 0 to 1 for each joint.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.support.arguments import numbers
from ecs_anim.support.checked import checked

Array = NDArray[np.floating]


@checked
def blend(a: Pose, b: Pose, weight: ArrayLike, mask: ArrayLike | None = None) -> Pose:
    """Interpolate from pose `a` at weight 0 to pose `b` at weight 1.

    The result is exactly `a` at weight 0 and exactly `b` at weight 1. Translations and scales are interpolated
    linearly. Rotations use normalised linear interpolation on the short arc. The interpolation factor of a joint is the
    product of `weight` [...] and the joint's value in `mask` [joint]. Raises ValueError for a weight that is not
    finite. Also raises ValueError if the length of `mask` is not the joint count, or if a value in `mask` is outside 0
    to 1.
    """
    _require_same_joints(a, b)
    w = _joint_weights(a, weight, mask)
    return Pose(
        _between(w, a.translation, b.translation, a.translation + w * (b.translation - a.translation)),
        _between(w, a.rotation, b.rotation, quaternion.nlerp(a.rotation, b.rotation, w[..., 0])),
        _between(w, a.scale, b.scale, a.scale + w * (b.scale - a.scale)),
    )


@checked
def add(pose: Pose, additive: Pose, reference: Pose, weight: ArrayLike = 1.0, mask: ArrayLike | None = None) -> Pose:
    """Add the difference between `additive` and `reference` to `pose`.

    The rotation is (additive x reference^-1) x pose, in the parent's space. `weight` reduces the rotation additive x
    reference^-1 to a share of the short arc from the identity. Translation and scale are pose + weight x (additive -
    reference). The result is exactly `pose` if `weight` is 0 or if `additive` equals `reference`. Raises ValueError for
    the reasons that `blend` states.
    """
    _require_same_joints(pose, additive, reference)
    w = _joint_weights(pose, weight, mask)
    change = quaternion.multiply(additive.rotation, quaternion.conjugate(reference.rotation))
    change = quaternion.nlerp(quaternion.IDENTITY.astype(change.dtype), change, w[..., 0])
    changed = np.any(additive.rotation != reference.rotation, axis=-1, keepdims=True) & (w != 0)
    return Pose(
        pose.translation + w * (additive.translation - reference.translation),
        np.where(changed, quaternion.multiply(change, pose.rotation), pose.rotation),
        pose.scale + w * (additive.scale - reference.scale),
    )


@checked
def subtree_mask(skeleton: Skeleton, joint_name: str) -> NDArray[np.float32]:
    """Return a mask [joint] f32.

    The mask is 1 for the joint `joint_name` and its descendants, and 0 for all other joints. Raises InputError, which
    is also a KeyError, for an unknown `joint_name`. The error message suggests the most similar name.
    """
    mask = np.zeros(skeleton.joint_count, np.float32)
    mask[skeleton.below(skeleton.joint_index(joint_name))] = 1
    return mask


def _require_same_joints(*poses: Pose) -> None:
    counts = [pose.rotation.shape[-2:-1] for pose in poses]
    if counts.count(counts[0]) < len(counts) or counts[0] == ():
        raise ValueError(
            "the poses must have shape [..., joint] with equal numbers of joints (got"
            f" {', '.join(map(repr, poses))}). Use poses of one skeleton."
        )


def _joint_weights(pose: Pose, weight: ArrayLike, mask: ArrayLike | None) -> Array:
    """Return the joint weights [..., joint or 1, 1] in the dtype of `pose`."""
    w = numbers("weight", weight).astype(pose.rotation.dtype)[..., None]
    if mask is not None:
        w = w * _checked(numbers("mask", mask).astype(w.dtype), pose.rotation.shape[-2])
    return w[..., None]


def _checked(mask: Array, joint_count: int) -> Array:
    if mask.shape != (joint_count,):
        raise ValueError(
            f"a joint mask must have one weight for each of the {joint_count} joints (got shape {mask.shape})."
            " Build the mask for this skeleton."
        )
    if not ((mask >= 0) & (mask <= 1)).all():
        raise ValueError(
            f"the weights of a joint mask must be 0 to 1 (got {mask.min()} to {mask.max()}). Scale the weights"
            " into this range."
        )
    return mask


def _between(w: Array, a: Array, b: Array, mixed: Array) -> Array:
    """Return the mixture `mixed` of `a` and `b`, without rounding errors at the weights 0 and 1.

    The result is exactly `a` at weight 0 and exactly `b` at weight 1.
    """
    return np.where(w == 0, a, np.where(w == 1, b, mixed))
