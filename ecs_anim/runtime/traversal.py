"""Traversals: the data with which kernels compute model matrices from pose rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.maths import affine

LANES = 8  # numbers in a SIMD vector: joints in a row, or actors in a chunk
CHANNELS = 10  # channels of a joint: rotation x, y, z, w; translation x, y, z; scale x, y, z


class TraversalArrays(NamedTuple):
    """The arrays of a traversal, as an argument of kernels. All arrays are read-only.

    A traversal step is a pair (joint, parent). The step of a parent comes before the steps of its children. The parent
    of a root is the number `joint_count`.
    """

    # Channels of the rest pose, with one copy for each actor in a SIMD vector.
    rest: Annotated[NDArray[np.float32], Shape("joint + 1", CHANNELS, LANES)]
    # Row of `rest` (a flat index) for each number of a pose row. The padding uses the extra last joint.
    channel_rows: Annotated[NDArray[np.int32], Shape("column")]
    fixed: Annotated[NDArray[np.int32], Shape("fixed step", 2)]  # traversal steps whose results are equal for all poses
    moving: Annotated[NDArray[np.int32], Shape("moving step", 2)]  # all other traversal steps


@dataclass(frozen=True, eq=False)
class SkinTraversal:
    """The traversal that computes a palette with the fewest joints.

    The traversal leaves out a joint if no clip animates the joint or any of its descendants. If the traversal leaves
    out a joint, the palette uses the nearest ancestor that the traversal contains. The inverse bind matrix in the
    palette then also contains the constant transform from the joint to this ancestor.
    """

    arrays: TraversalArrays
    joints: NDArray[np.int32]  # [palette_count] i32, joint that moves each palette entry
    inverse_bind: NDArray[np.float32]  # [palette_count, 12] f32, transform from model space to the space of this joint


def build_traversal(
    skeleton: Skeleton,
    rotation: NDArray[np.int32],
    translation: NDArray[np.int32],
    scale: NDArray[np.int32],
    width: int,
    visited: Sequence[int] | None = None,
) -> TraversalArrays:
    """Return the traversal of the joints in `visited`. If `visited` is None, the traversal contains all joints.

    `rotation`, `translation` and `scale` are the joints with animated rotations, translations and scales. `width` is
    the number of values in a rotation plane, including the padding.
    """
    count, rest = skeleton.joint_count, skeleton.rest_pose
    channels = np.zeros((count + 1, CHANNELS))
    channels[:count] = np.concatenate([rest.rotation, rest.translation, rest.scale], axis=-1)
    turned = np.concatenate([rotation, np.full(width - len(rotation), count)])
    columns = [turned] * 4 + [translation] * 3 + [scale] * 3
    channel_rows = np.concatenate([CHANNELS * joints + channel for channel, joints in enumerate(columns)])
    moves, depth = _moves(skeleton, {*rotation.tolist(), *translation.tolist()}), skeleton.depths
    # In this order, neighbouring traversal steps do not depend on each other.
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
    """Return the traversal that computes the skeleton's palette with the fewest joints."""
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
    """Return a mask of the joints that clips move.

    A clip moves a joint if it animates this joint or one of its ancestors.
    """
    moves: list[bool] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        moves.append(joint in animated or (parent >= 0 and moves[parent]))
    return moves


def _carriers(skeleton: Skeleton, animated: set[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the carrier of each joint, and the constant transform from the joint to its carrier [joint_count, 3, 4].

    A joint without animation moves with its carrier. An animated joint is its own carrier.
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
