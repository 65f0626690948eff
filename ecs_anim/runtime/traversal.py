"""Traversals: data of skeletons that kernels need to compute model matrices from rows of poses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.maths import affine

LANES = 8  # numbers in a SIMD vector, for joints of a row or for actors of a chunk
CHANNELS = 10  # channels of a joint: rotation x, y, z, w; translation x, y, z; scale x, y, z


class TraversalArrays(NamedTuple):
    """The arrays of a traversal for kernels. All arrays are read-only.

    A step is (joint, parent). Parents come first. The parent of a root is `joint_count`.
    """

    # Channels of the rest pose, one copy for each actor of a vector.
    rest: Annotated[NDArray[np.float32], Shape("joint + 1", CHANNELS, LANES)]
    # Flat index in `rest` of the row of eight for each lane; padding lanes use the extra last joint.
    channel_rows: Annotated[NDArray[np.int32], Shape("lane")]
    fixed: Annotated[NDArray[np.int32], Shape("fixed step", 2)]  # steps with equal results for all poses
    moving: Annotated[NDArray[np.int32], Shape("moving step", 2)]  # all other steps


@dataclass(frozen=True, eq=False)
class SkinTraversal:
    """The traversal with the fewest joints that computes a palette.

    A joint is not visited if no clip moves the joint or a joint below it. The next visited joint above carries such a
    joint. The constant transform between the two joints is multiplied into the inverse bind matrices.
    """

    arrays: TraversalArrays
    joints: NDArray[np.int32]  # [palette_count] i32, joint that carries each palette entry
    inverse_bind: NDArray[np.float32]  # [palette_count, 12] f32, from model space to the space of that joint


def build_traversal(
    skeleton: Skeleton,
    rotation: NDArray[np.int32],
    translation: NDArray[np.int32],
    scale: NDArray[np.int32],
    width: int,
    visited: Sequence[int] | None = None,
) -> TraversalArrays:
    """Return the traversal that visits the `visited` joints. Default: all joints.

    `rotation`, `translation` and `scale` list the joints whose rotations, translations and scales are animated. `width`
    is the number of rotation lanes with padding.
    """
    count, rest = skeleton.joint_count, skeleton.rest_pose
    channels = np.zeros((count + 1, CHANNELS))
    channels[:count] = np.concatenate([rest.rotation, rest.translation, rest.scale], axis=-1)
    turned = np.concatenate([rotation, np.full(width - len(rotation), count)])
    lanes = [turned] * 4 + [translation] * 3 + [scale] * 3
    channel_rows = np.concatenate([CHANNELS * joints + channel for channel, joints in enumerate(lanes)])
    moves, depth = _moves(skeleton, {*rotation.tolist(), *translation.tolist()}), skeleton.depths
    # In this order, neighbouring steps do not depend on each other.
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
    """Return the traversal with the fewest joints that computes the skeleton's palette."""
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
    """Return, for each joint, whether clips move the joint or a joint above."""
    moves: list[bool] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        moves.append(joint in animated or (parent >= 0 and moves[parent]))
    return moves


def _carriers(skeleton: Skeleton, animated: set[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return each joint's carrier, and the constant transform from the joint to its carrier [joint_count, 3, 4].

    A carrier is a joint that carries other joints. An animated joint carries itself.
    """
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
