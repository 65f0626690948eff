"""Local poses of actors after the last step, with all corrections such as grounding and look-at."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.systems.joints import joint_entries, joints_of_palettes, known_palettes
from ecs_anim.systems.poses import local_poses

# [rig units], limit of the shear: above this limit, the ten numbers of a local matrix are computed more exactly
EXACT = 1e-4

Reals = NDArray[np.float64]


class PaletteJoints(NamedTuple):
    """The palette entry and the bind matrix of each joint of a skeleton."""

    skeleton: Skeleton
    entries: NDArray[np.int32]  # [joint], -1 = no entry
    binds: Reals  # [joint, 12], joint space to model space at binding

    @classmethod
    def of(cls, skeleton: Skeleton) -> "PaletteJoints":
        """Return the palette entries of the joints of a skeleton."""
        told, count = joint_entries(skeleton), skeleton.joint_count
        entries, binds = np.full(count, -1, np.int32), np.zeros((count, 12))
        entries[told.joints], binds[told.joints] = told.entries, told.bind.reshape(-1, 12)
        return cls(skeleton, entries, binds)


def corrected_poses(
    world: World, entity: int, rows: NDArray[np.int32], joints: PaletteJoints | None = None
) -> tuple[NDArray[np.float32], float]:
    """Return the local poses [n, joint x 10] of the actors in `rows`, and the largest shear [rig units].

    A joint has ten numbers: translation, quaternion x, y, z, w, and scale. The shear is the largest difference between
    a local matrix and its ten numbers, which cannot represent shear. `joints` belongs to the skeleton of the crowd.
    """
    from ecs_anim.kernels.local_rows import local_rows  # compiled at first use

    skeleton = world.get(entity, Character).rig.skeleton
    joints = joints or PaletteJoints.of(skeleton)
    found = pose_rows(local_poses(world, entity, rows))
    posed, palettes = known_palettes(world, entity, rows)
    if not len(posed):
        return found, 0.0
    own, off = found[posed], np.empty(len(posed))
    local_rows(np.ascontiguousarray(palettes).reshape(len(posed), -1, 12), *joints[1:], skeleton.parents, own, off)
    doubtful = np.flatnonzero(~(off <= EXACT))
    if len(doubtful):
        local = _local_matrices(skeleton, palettes[doubtful], found[posed[doubtful]])
        pose = Pose.from_matrix(local)
        own[doubtful] = pose_rows(pose)
        off[doubtful] = np.abs(pose.to_matrix() - local).max(axis=(1, 2, 3))
    found[posed] = own
    return found, float(off.max())


def pose_rows(pose: Pose) -> NDArray[np.float32]:
    """Return local poses [n, joint] as rows [n, joint x 10]."""
    rows = np.concatenate([pose.translation, pose.rotation, pose.scale], axis=-1, dtype=np.float32)
    return rows.reshape(len(rows), rows[0].size if len(rows) else 10 * pose.rotation.shape[1])


def _local_matrices(skeleton: Skeleton, palettes: Reals, clips: NDArray[np.float32]) -> Reals:
    """Return the local matrices [n, joint, 3, 4] of the poses in palettes.

    `clips` [n, joint x 10] are the poses of the clips, for joints without a palette entry.
    """
    numbers = clips.reshape(len(clips), -1, 10)
    played = Pose(numbers[..., :3], numbers[..., 3:7], numbers[..., 7:])
    local = joints_of_palettes(skeleton, palettes, played.to_matrix())
    hanging = np.flatnonzero(skeleton.parents >= 0)
    local[:, hanging] = affine.multiply(affine.inverse(local[:, skeleton.parents[hanging]]), local[:, hanging])
    return local
