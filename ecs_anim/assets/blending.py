"""Blending and adding whole poses: the readable, single-pose form.

The crowd kernels compute the same. Poses are local, [..., joint], and broadcast over their leading axes against
weights [...]; a mask is a weight for each joint, 0 to 1.
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
    """From pose `a` at weight 0 to pose `b` at weight 1, bit for bit at both ends.

    Translations and scales mix linearly, rotations by normalised linear interpolation on the short arc.
    `weight` [...] and `mask` [joint] multiply. Raises ValueError for a weight that is not finite, and for a mask of
    another length or outside 0 to 1.
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
    """The pose, and on top of it what `additive` changes from its `reference`.

    Rotation: (additive x reference^-1) x pose, in the parent's space, the change taken from no rotation on the short
    arc by the weight; translation and scale: pose + weight x (additive - reference). Nothing is added at weight 0
    or where `additive` is the reference, bit for bit. Raises ValueError as `blend` does.
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
    """A mask [joint] f32: 1 for a joint and all below it, 0 elsewhere.

    Raises InputError, a KeyError too, naming the nearest joint if there is none of this name.
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
    """Weights [..., joint or 1, 1] in the pose's dtype."""
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
    """`mixed`, but the very ends where the weight is 0 or 1, which arithmetic would round."""
    return np.where(w == 0, a, np.where(w == 1, b, mixed))
