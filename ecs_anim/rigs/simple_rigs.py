"""Simple built-in rigs that show the solvers of inverse kinematics: a chain of bones and a ball."""

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.bones import ball_mesh, bone_meshes

CHAIN_LENGTH = 1.0  # [m]
CHAIN_THICKNESS, CHAIN_RADIUS = 0.17, 0.036  # radius of a bone as a share of its length, and the largest radius [m]
BALL_RADIUS = 0.05  # [m]


def chain_rig(joints: int = 5, name: str = "chain") -> Rig:
    """Return a rig with `joints` equal bones along +Y, 1 m in total.

    The joints have the names joint_0 (on the ground) to joint_<joints> (at the top).
    """
    offset = np.array([0.0, CHAIN_LENGTH / joints, 0.0])
    skeleton = straight_skeleton(joints + 1, offset)
    return _rig(name, skeleton, bone_meshes(skeleton, min(CHAIN_THICKNESS, CHAIN_RADIUS * joints / CHAIN_LENGTH)))


def ball_rig(name: str = "ball") -> Rig:
    """Return a rig whose mesh is a ball with a radius of 5 cm around the only joint."""
    skeleton = straight_skeleton(1, np.zeros(3))
    return _rig(name, skeleton, (ball_mesh(BALL_RADIUS, Material("ball")),))


def _rig(name: str, skeleton: Skeleton, meshes: tuple[Mesh, ...]) -> Rig:
    rest = Clip("rest", skeleton, (), 0.0, 0.0, {"loop": False})
    return Rig(name, skeleton, meshes, {rest.name: rest})


def straight_skeleton(count: int, offset: np.ndarray) -> Skeleton:
    """Return a chain of `count` joints from the origin. Each joint is at `offset` [3] from the previous joint."""
    index = np.arange(count)
    translation = np.where(index[:, None] > 0, offset, 0.0)
    bind = np.tile(affine.IDENTITY, (count, 1, 1))
    bind[..., 3] = -index[:, None] * offset
    rest = Pose(
        translation.astype(np.float32),
        np.tile(np.array([0, 0, 0, 1], np.float32), (count, 1)),
        np.ones((count, 3), np.float32),
    )
    names = tuple(f"joint_{i}" for i in range(count))
    return Skeleton(names, (index - 1).astype(np.int32), rest, index.astype(np.int32), bind)
