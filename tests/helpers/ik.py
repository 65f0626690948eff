"""Helpers for tests of inverse kinematics: chains, poses, and excesses over limits, computed by scipy."""

import math

import numpy as np
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ik.arrays import FREE, chain_arrays
from ecs_anim.ik.chain import find_chain
from ecs_anim.ik.limits import BallLimit, HingeLimit
from ecs_anim.maths.transform import Pose
from ecs_anim.systems.stages import Stage
from tests.helpers import random_rotations

LIMIT_SLACK = math.radians(0.1)


def line_skeleton(joint_count: int, rest_rotation: np.ndarray | None = None, scale: float = 1.0) -> Skeleton:
    """Return a skeleton with joints j0, j1 and so on, each half a unit above the previous joint."""
    rest = Pose.identity(joint_count)
    rest.translation[1:, 1] = 0.5
    rest.scale[0] = scale
    if rest_rotation is not None:
        rest.rotation[:] = rest_rotation
    names = tuple(f"j{i}" for i in range(joint_count))
    parents = np.arange(-1, joint_count - 1).astype(np.int32)
    return Skeleton(names, parents, rest, np.zeros(1, np.int32), np.zeros((1, 3, 4), np.float32))


def random_poses(rng: np.random.Generator, joint_count: int, count: int) -> Pose:
    """Return poses with random rotations, and with links of random lengths and directions."""
    ways = rng.normal(size=(count, joint_count, 3))
    ways *= rng.uniform(0.1, 1, (count, joint_count, 1)) / np.linalg.norm(ways, axis=-1, keepdims=True)
    return Pose(
        ways.astype(np.float32),
        random_rotations(rng, count, joint_count),
        np.ones((count, joint_count, 3), np.float32),
    )


def straight_poses(skeleton: Skeleton, count: int) -> Pose:
    """Return `count` copies of the rest pose."""
    rest = skeleton.rest_pose
    return Pose(*(np.repeat(part[None], count, axis=0) for part in (rest.translation, rest.rotation, rest.scale)))


def places(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    """Return the positions of joints in model space [..., joint, 3] as float64."""
    return model_matrices(skeleton, pose)[..., 3].astype(np.float64)


def chain_length(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    return np.linalg.norm(np.diff(places(skeleton, pose), axis=-2), axis=-1).sum(axis=-1)


def run_kernel(
    method, skeleton, pose, target, *, tolerance, limits=None, weight=1.0, iterations=30, chain=None, scale=1.0
):
    """Run the stage on poses [k]. Return model matrices [k, joint, 3, 4], distances [k] and iterations [k]."""
    from ecs_anim.kernels.reach import new_room, reach
    from tests.helpers.stages import run_stages

    names = chain or (skeleton.joint_names[0], skeleton.joint_names[-1])
    count, own = len(target), chain_arrays(skeleton, find_chain(skeleton, names, limits))
    model = np.ascontiguousarray(model_matrices(skeleton, pose).reshape(count, -1, 12))
    target, limited = np.ascontiguousarray(target, np.float32), bool((own.kinds != FREE).any())
    weights, scales = np.full(count, weight, np.float32), np.full(count, scale, np.float32)
    near = np.broadcast_to(np.asarray(tolerance, np.float32), count).copy()
    distance, reached, used = np.empty(count, np.float32), np.empty(count, np.bool_), np.empty(count, np.int32)
    room = new_room(model.shape[1], len(own.parents))
    bends = own, method, limited, iterations, target, weights, near, scales, room
    moved = run_stages(model, Stage(reach, (*bends, distance, reached, used)))
    np.testing.assert_array_equal(reached, distance <= near * np.float32(scale))
    return moved.reshape(count, -1, 3, 4), distance, used


def broken_by(limit: BallLimit | HingeLimit, rest, local, bone=(0.0, 1.0, 0.0)) -> np.ndarray:
    """Return the angle [rad] by which local rotations [k, 4] exceed a limit, computed by scipy alone."""
    change = Rotation.from_quat(np.asarray(rest, np.float64)).inv() * Rotation.from_quat(np.asarray(local, np.float64))
    if isinstance(limit, HingeLimit):
        axis = np.array(limit.axis) / np.linalg.norm(limit.axis)
        angle = _about(change, axis)
        beside = (change * Rotation.from_rotvec(-angle[:, None] * axis)).magnitude()
        return np.maximum(beside, _outside(angle, limit.angle))
    bone = np.asarray(bone, np.float64)
    swung = change.apply(bone)
    swing = np.arctan2(np.linalg.norm(np.cross(bone, swung), axis=-1), swung @ bone)
    axis = np.cross(bone, swung)
    size = np.linalg.norm(axis, axis=-1, keepdims=True)
    back = Rotation.from_rotvec(-swing[:, None] * np.where(size > 1e-12, axis / np.maximum(size, 1e-12), 0))
    return np.maximum(swing - limit.swing, _outside(_about(back * change, bone), limit.twist))


def _about(rotation: Rotation, axis: np.ndarray) -> np.ndarray:
    """Return the angle of a rotation about an axis.

    It is the angle of a perpendicular vector, as seen along the axis.
    """
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    side /= np.linalg.norm(side)
    turned = rotation.apply(side)
    return np.arctan2(turned @ np.cross(axis, side), turned @ side)


def _outside(angle: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Return the distance between angles and a range on the circle."""
    low, high = limits
    apart = [np.abs((angle - end + math.pi) % (2 * math.pi) - math.pi) for end in limits]
    return np.where((angle >= low) & (angle <= high), 0, np.minimum(*apart))
