"""Blending and addition of whole poses: the reference implementation for single poses.

The crowd kernels compute the same results as this module. Poses are local, [..., joint]. The leading axes of a pose
broadcast against weights [...]. A mask is one weight from 0 to 1 for each joint.
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

    The result is exactly `a` at weight 0 and exactly `b` at weight 1. Translations and scales mix linearly, rotations
    by normalised linear interpolation on the short arc. Each joint uses the product of `weight` [...] and `mask`
    [joint]. Raises ValueError for a weight that is not finite, and for a mask whose length is not the joint count or
    whose values are outside 0 to 1.
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

    Rotation: (additive x reference^-1) x pose, in the parent's space. `weight` scales the rotation difference from the
    identity on the short arc. Translation and scale: pose + weight x (additive - reference). The result equals `pose`
    exactly if `weight` is 0 or if `additive` equals `reference`. Raises ValueError as `blend` does.
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
    """Return a mask [joint] f32: 1 for a joint and its descendants, 0 for all other joints.

    Raises InputError, which is also a KeyError, for an unknown `joint_name`. The message suggests the nearest name.
    """
    mask = np.zeros(skeleton.joint_count, np.float32)
    mask[skeleton.below(skeleton.joint_index(joint_name))] = 1
    return mask


def _require_same_joints(*poses: Pose) -> None:
    counts = [pose.rotation.shape[-2:-1] for pose in poses]
    if counts.count(counts[0]) < len(counts) or counts[0] == ():
        raise ValueError(
            f"poses must be [..., joint] with the same number of joints (got {', '.join(map(repr, poses))})"
        )


def _joint_weights(pose: Pose, weight: ArrayLike, mask: ArrayLike | None) -> Array:
    """Return weights [..., joint or 1, 1] in the pose's dtype."""
    w = numbers("weight", weight).astype(pose.rotation.dtype)[..., None]
    if mask is not None:
        w = w * _checked(numbers("mask", mask).astype(w.dtype), pose.rotation.shape[-2])
    return w[..., None]


def _checked(mask: Array, joint_count: int) -> Array:
    if mask.shape != (joint_count,):
        raise ValueError(f"a mask needs one weight for each of {joint_count} joints (got shape {mask.shape})")
    if not ((mask >= 0) & (mask <= 1)).all():
        raise ValueError(f"mask weights must be from 0 to 1 (got {mask.min()} to {mask.max()})")
    return mask


def _between(w: Array, a: Array, b: Array, mixed: Array) -> Array:
    """Return `mixed`, but exactly `a` at weight 0 and exactly `b` at weight 1, where `mixed` has rounding errors."""
    return np.where(w == 0, a, np.where(w == 1, b, mixed))
