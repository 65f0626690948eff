"""A chain as the kernels take it."""

from typing import Annotated, Literal, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.ik.chain import Array, Chain
from ecs_anim.ik.limits import BallLimit, HingeLimit, Limit

FREE, BALL, HINGE = 0, 1, 2
CCD, FABRIK, TWO_BONE = np.int64(0), np.int64(1), np.int64(2)  # solvers; as literals each would be compiled apart

Solver = Literal["ccd", "fabrik", "two_bone"]
SOLVERS: dict[Solver, np.int64] = {"ccd": CCD, "fabrik": FABRIK, "two_bone": TWO_BONE}


class ChainArrays(NamedTuple):
    """One chain of a crowd's rig. Solvers work in float64, which a handful of joints keep in registers and caches."""

    joints: Annotated[NDArray[np.int32], Shape("bone + 1")]  # root to effector
    parents: Annotated[NDArray[np.int32], Shape("bone")]  # the skeleton's parent of each joint that turns, -1 = none
    rest_rotations: Annotated[NDArray[np.float64], Shape("bone", 4)]  # local
    kinds: Annotated[NDArray[np.int32], Shape("bone")]  # FREE, BALL or HINGE
    axes: Annotated[NDArray[np.float64], Shape("bone", 3)]  # a hinge's axis, else the bone, unit, in the joint's frame
    angles: Annotated[NDArray[np.float64], Shape("bone", 3)]  # [rad], a ball's swing, then the range of twist or hinge
    moved: Annotated[NDArray[np.int32], Shape("moved")]  # all joints that hang from the root, itself included
    owners: Annotated[NDArray[np.int32], Shape("moved")]  # joint of the chain that each of them moves rigidly with


def chain_arrays(skeleton: Skeleton, chain: Chain) -> ChainArrays:
    """The chain as kernels read it."""
    movable = list(chain.joints[:-1])
    owners = np.full(skeleton.joint_count, -1, np.int32)
    for joint, parent in enumerate(skeleton.parents):
        owners[joint] = movable.index(joint) if joint in movable else owners[parent] if parent >= 0 else -1
    moved = np.flatnonzero(owners >= 0)
    rows = [_row(limit, bone) for limit, bone in zip(chain.limits, chain.bones, strict=True)]
    arrays = ChainArrays(
        np.array(chain.joints, np.int32),
        np.ascontiguousarray(skeleton.parents[movable], np.int32),
        np.ascontiguousarray(skeleton.rest_pose.rotation[movable], np.float64),
        np.array([kind for kind, _, _ in rows], np.int32),
        np.array([axis for _, axis, _ in rows], np.float64),
        np.array([angles for _, _, angles in rows], np.float64),
        moved.astype(np.int32),
        owners[moved],
    )
    return sealed(arrays)


def _row(limit: Limit | None, bone: Array) -> tuple[int, Array, tuple[float, float, float]]:
    """Kind, axis and angles of a joint's limit; `bone` is its bone's direction."""
    match limit:
        case BallLimit():
            return BALL, bone, (limit.swing, *limit.twist)
        case HingeLimit():
            return HINGE, limit.unit_axis, (0.0, *limit.angle)
        case None:
            return FREE, bone, (0.0, 0.0, 0.0)
        case _:
            assert_never(limit)
