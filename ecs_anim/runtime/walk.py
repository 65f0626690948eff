"""How the lanes of a pose row become model matrices: what kernels need to know of a skeleton and of what clips move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine

LANES = 8  # numbers in a vector: joints of a row, actors of a chunk
CHANNELS = 10  # of a joint: rotation x, y, z, w; translation x, y, z; scale x, y, z


class WalkArrays(NamedTuple):
    """What the kernels read; all arrays read-only.

    A step is (joint, parent), parents first; the parent of a root is `joint_count`.
    """

    rest: NDArray[np.float32]  # [joint_count + 1, CHANNELS, LANES] f32, channels of the rest pose, once an actor
    places: NDArray[
        np.int32
    ]  # [row_width] i32, where in `rest`, counted flat, a number of a row goes; padding: the end
    fixed: NDArray[np.int32]  # [n, 2] i32, steps that are the same for all poses
    moving: NDArray[np.int32]  # [m, 2] i32, all others


@dataclass(frozen=True, eq=False)
class SkinWalk:
    """The shortest walk to a palette.

    A joint that no clip moves, nor anything below it, is not walked: it rides on the joint above, and what lies between
    them is multiplied into the inverse bind matrices.
    """

    arrays: WalkArrays
    joints: NDArray[np.int32]  # [palette_count] i32, the joint that carries each palette entry
    inverse_bind: NDArray[np.float32]  # [palette_count, 12] f32, from model space to that joint's


def build_walk(
    skeleton: Skeleton,
    rotation: NDArray[np.int32],
    translation: NDArray[np.int32],
    scale: NDArray[np.int32],
    width: int,
    walked: Sequence[int] | None = None,
) -> WalkArrays:
    """The walk over some joints, default all, where clips animate these; `width` rotation lanes with padding."""
    count, rest = skeleton.joint_count, skeleton.rest_pose
    channels = np.zeros((count + 1, CHANNELS))
    channels[:count] = np.concatenate([rest.rotation, rest.translation, rest.scale], axis=-1)
    turned = np.concatenate([rotation, np.full(width - len(rotation), count)])
    lanes = [turned] * 4 + [translation] * 3 + [scale] * 3
    places = np.concatenate([CHANNELS * joints + channel for channel, joints in enumerate(lanes)])
    moves, depth = _moves(skeleton, {*rotation.tolist(), *translation.tolist()}), skeleton.depths
    walked = sorted(range(count) if walked is None else walked, key=depth.__getitem__)  # neighbours wait for no other
    steps = [(joint, parent if (parent := int(skeleton.parents[joint])) >= 0 else count) for joint in walked]
    return WalkArrays(
        _frozen(np.repeat(channels[..., None], LANES, axis=-1), np.float32),
        _frozen(LANES * places, np.int32),
        _frozen([step for step in steps if not moves[step[0]]], np.int32, 2),
        _frozen([step for step in steps if moves[step[0]]], np.int32, 2),
    )


def build_skin_walk(
    skeleton: Skeleton,
    rotation: NDArray[np.int32],
    translation: NDArray[np.int32],
    scale: NDArray[np.int32],
    width: int,
) -> SkinWalk:
    """The shortest walk to the skeleton's palette; arguments as for `build_walk`."""
    carrier, offset = _carriers(skeleton, {*rotation.tolist(), *translation.tolist()})
    joints = carrier[skeleton.skin_joints]
    needed: set[int] = set()
    for joint in joints.tolist():
        while joint >= 0 and joint not in needed:
            needed.add(joint)
            joint = int(skeleton.parents[joint])
    inverse_bind = affine.multiply(offset[skeleton.skin_joints], skeleton.inverse_bind.astype(np.float64))
    return SkinWalk(
        build_walk(skeleton, rotation, translation, scale, width, sorted(needed)),
        _frozen(joints, np.int32),
        _frozen(inverse_bind.reshape(-1, 12), np.float32),
    )


def _moves(skeleton: Skeleton, animated: set[int]) -> list[bool]:
    """Whether clips move each joint, or one above it."""
    moves: list[bool] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        moves.append(joint in animated or (parent >= 0 and moves[parent]))
    return moves


def _carriers(skeleton: Skeleton, animated: set[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The joint that each joint rides on, itself where it is animated, and where it sits on it [joint_count, 3, 4]."""
    parents, rest = skeleton.parents.tolist(), skeleton.rest_matrices.astype(np.float64)
    carries = [joint in animated for joint in range(skeleton.joint_count)]
    for joint in reversed(range(skeleton.joint_count)):
        if parents[joint] >= 0:
            carries[parents[joint]] |= carries[joint]
    carrier = np.arange(skeleton.joint_count)
    offset = np.tile(affine.IDENTITY.astype(np.float64), (skeleton.joint_count, 1, 1))
    for joint, parent in enumerate(parents):
        if not carries[joint] and parent >= 0 and (carries[parent] or carrier[parent] != parent):
            carrier[joint] = carrier[parent]
            offset[joint] = affine.multiply(offset[parent], rest[joint])
    return carrier, offset


def _frozen(values: object, dtype: type, width: int | None = None) -> NDArray:
    array: NDArray = np.array(values, dtype, order="C")
    array = array if width is None else array.reshape(-1, width)
    array.flags.writeable = False
    return array
