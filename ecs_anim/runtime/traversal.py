"""How the lanes of a pose row become model matrices: what kernels need to know of a skeleton and of what clips move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.maths import affine

LANES = 8  # numbers in a vector: joints of a row, actors of a chunk
CHANNELS = 10  # of a joint: rotation x, y, z, w; translation x, y, z; scale x, y, z


class TraversalArrays(NamedTuple):
    """The traversal as the kernels read it; all arrays read-only.

    A step is (joint, parent), parents first; the parent of a root is `joint_count`.
    """

    # Channels of the rest pose, once an actor.
    rest: Annotated[NDArray[np.float32], Shape("joint + 1", CHANNELS, LANES)]
    # Where in `rest`, counted flat, the row of eight begins that a lane goes to; padding: the end.
    channel_rows: Annotated[NDArray[np.int32], Shape("lane")]
    fixed: Annotated[NDArray[np.int32], Shape("fixed step", 2)]  # steps that are the same for all poses
    moving: Annotated[NDArray[np.int32], Shape("moving step", 2)]  # all others


@dataclass(frozen=True, eq=False)
class SkinTraversal:
    """The shortest traversal to a palette.

    A joint that no clip moves, nor anything below it, is not visited: it rides on the joint above, and what lies
    between them is multiplied into the inverse bind matrices.
    """

    arrays: TraversalArrays
    joints: NDArray[np.int32]  # [palette_count] i32, the joint that carries each palette entry
    inverse_bind: NDArray[np.float32]  # [palette_count, 12] f32, from model space to that joint's


def build_traversal(
    skeleton: Skeleton,
    rotation: NDArray[np.int32],
    translation: NDArray[np.int32],
    scale: NDArray[np.int32],
    width: int,
    visited: Sequence[int] | None = None,
) -> TraversalArrays:
    """The traversal of some joints, default all, where clips animate these; `width` rotation lanes with padding."""
    count, rest = skeleton.joint_count, skeleton.rest_pose
    channels = np.zeros((count + 1, CHANNELS))
    channels[:count] = np.concatenate([rest.rotation, rest.translation, rest.scale], axis=-1)
    turned = np.concatenate([rotation, np.full(width - len(rotation), count)])
    lanes = [turned] * 4 + [translation] * 3 + [scale] * 3
    channel_rows = np.concatenate([CHANNELS * joints + channel for channel, joints in enumerate(lanes)])
    moves, depth = _moves(skeleton, {*rotation.tolist(), *translation.tolist()}), skeleton.depths
    # Neighbours wait for no other.
    visited = sorted(range(count) if visited is None else visited, key=depth.__getitem__)
    steps = [(joint, parent if (parent := int(skeleton.parents[joint])) >= 0 else count) for joint in visited]
    arrays = TraversalArrays(
        _frozen(np.repeat(channels[..., None], LANES, axis=-1), np.float32),
        _frozen(LANES * channel_rows, np.int32),
        _frozen([step for step in steps if not moves[step[0]]], np.int32, 2),
        _frozen([step for step in steps if moves[step[0]]], np.int32, 2),
    )
    return sealed(arrays)


def build_skin_traversal(
    skeleton: Skeleton,
    rotation: NDArray[np.int32],
    translation: NDArray[np.int32],
    scale: NDArray[np.int32],
    width: int,
) -> SkinTraversal:
    """The shortest traversal to the skeleton's palette; arguments as for `build_traversal`."""
    carrier, offset = _carriers(skeleton, {*rotation.tolist(), *translation.tolist()})
    joints = carrier[skeleton.skin_joints]
    needed: set[int] = set()
    for joint in joints.tolist():
        while joint >= 0 and joint not in needed:
            needed.add(joint)
            joint = int(skeleton.parents[joint])
    inverse_bind = affine.multiply(offset[skeleton.skin_joints], skeleton.inverse_bind.astype(np.float64))
    return SkinTraversal(
        build_traversal(skeleton, rotation, translation, scale, width, sorted(needed)),
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


def _frozen(values: object, dtype: type, width: int | None = None) -> NDArray[Any]:
    array: NDArray[Any] = np.array(values, dtype, order="C")
    array = array if width is None else array.reshape(-1, width)
    array.flags.writeable = False
    return array
