"""Arrays that describe a chain for kernels."""

from typing import Annotated, Literal, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.ik.chain import Array, Chain
from ecs_anim.ik.limits import BallLimit, HingeLimit, Limit

FREE, BALL, HINGE = 0, 1, 2
# Numbers of the solvers. The numbers have a numpy type, because numba would compile a new kernel for each Python
# literal.
CCD, FABRIK, TWO_BONE = np.int64(0), np.int64(1), np.int64(2)

Solver = Literal["ccd", "fabrik", "two_bone"]
SOLVERS: dict[Solver, np.int64] = {"ccd": CCD, "fabrik": FABRIK, "two_bone": TWO_BONE}


class ChainArrays(NamedTuple):
    """One chain of a crowd's rig, as arrays for kernels.

    Solvers use float64 numbers: a chain has few joints, so its data fit into the CPU's caches.
    """

    joints: Annotated[NDArray[np.int32], Shape("bone + 1")]  # joints from the root to the effector
    parents: Annotated[NDArray[np.int32], Shape("bone")]  # parent of each joint that rotates, -1 = none
    rest_rotations: Annotated[NDArray[np.float64], Shape("bone", 4)]  # local rotations
    kinds: Annotated[NDArray[np.int32], Shape("bone")]  # FREE, BALL or HINGE
    # unit vector in the joint's coordinate frame: the axis of a hinge, otherwise the direction of the bone
    axes: Annotated[NDArray[np.float64], Shape("bone", 3)]
    # [rad], largest swing of a ball joint, then lower and upper limit of the twist or of the hinge
    angles: Annotated[NDArray[np.float64], Shape("bone", 3)]
    moved: Annotated[NDArray[np.int32], Shape("moved")]  # the root and all joints below the root
    # for each joint in `moved`, the joint of the chain with which it moves rigidly
    owners: Annotated[NDArray[np.int32], Shape("moved")]


def chain_arrays(skeleton: Skeleton, chain: Chain) -> ChainArrays:
    """Return the arrays that describe a chain for kernels."""
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
    """Return the kind, the axis and the angles of a joint's limit. `bone` is the direction of the joint's bone."""
    match limit:
        case BallLimit():
            return BALL, bone, (limit.swing, *limit.twist)
        case HingeLimit():
            return HINGE, limit.unit_axis, (0.0, *limit.angle)
        case None:
            return FREE, bone, (0.0, 0.0, 0.0)
        case _:
            assert_never(limit)
