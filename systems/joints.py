"""Joint matrices of actors after the last step. The CPU or the GPU has computed the poses of the actors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import LAYOUTS
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.small_matrices import determinant
from ecs_anim.systems.poses import local_poses

Reals = NDArray[np.float64]

FLAT = 1e-12  # a bind matrix with a smaller determinant has no usable inverse


@dataclass(frozen=True)
class JointEntries:
    """The joints of a skeleton whose matrices a palette contains."""

    joints: NDArray[np.intp]  # [n]
    entries: NDArray[np.intp]  # [n], palette entries
    bind: Reals  # [n, 3, 4], joint space to model space at binding


def joint_matrices(world: World, entity: int, rows: NDArray[np.int32]) -> Reals:
    """Return the joint matrices of the actors in `rows`, [n, joint, 3, 4] [m], in world space.

    The matrices contain the scales of the actors.

    - If the CPU computes an actor's pose, the actor's matrices are computed from the palettes of the last step. The
      matrices from palettes include the corrections. If a joint moves no skin, its matrix is computed from the local
      pose of the actor's clips.
    - If the GPU computes an actor's pose, the actor's matrices are computed from the clips. The report of a bake states
      how much the bake differs from the clips.
    """
    return affine.multiply(actor_matrices(world, entity, rows)[:, None], model_joints(world, entity, rows)).astype(
        np.float64
    )


def model_joints(world: World, entity: int, rows: NDArray[np.int32]) -> Reals:
    """Return the joint matrices of the actors in `rows`, [n, joint, 3, 4] [rig units], in the space of the rig."""
    skeleton = world.get(entity, Character).rig.skeleton
    local = local_poses(world, entity, rows)
    model = model_matrices(skeleton, local).astype(np.float64)
    posed, palettes = known_palettes(world, entity, rows)
    if len(posed):
        model[posed] = joints_of_palettes(skeleton, palettes, local.to_matrix()[posed])
    return model


def actor_matrices(world: World, entity: int, rows: NDArray[np.int32]) -> Reals:
    """Return the matrices from the space of the rig to world space for the actors in `rows`, [n, 3, 4] [m]."""
    transforms = world.get(entity, Transforms)
    turn = quaternion.to_matrix(transforms.rotation[rows].astype(np.float64))
    return np.asarray(
        affine.join(turn * transforms.scale[rows, None, None].astype(np.float64), transforms.translation[rows])
    )


def known_palettes(world: World, entity: int, rows: NDArray[np.int32]) -> tuple[NDArray[np.intp], Reals]:
    """Return the actors whose poses the CPU has computed, as indices [n] into `rows`.

    Also return the skin matrices of these actors, [n, entry, 3, 4].
    """
    palette, near = world.find(entity, Palette), world.find(entity, Nearness)
    if palette is None or (near is None and world.find(entity, Baked) is not None):
        return np.zeros(0, np.intp), np.zeros((0, 0, 3, 4))
    own = rows if near is None else near.palette_row[rows]
    posed = np.flatnonzero(own >= 0)
    entries = palette.matrices[own[posed]].astype(np.float64)
    known = entries.any(axis=(1, 2, 3))  # new actors have no palette until the next step
    posed, entries = posed[known], entries[known]
    return posed, LAYOUTS[palette.method].to_matrices(entries).astype(np.float64)


def joints_of_palettes(skeleton: Skeleton, palettes: Reals, local: NDArray[np.floating]) -> Reals:
    """Return the model matrices [actor, joint, 3, 4] that are computed from palettes.

    If a joint has no palette entry, its matrix is computed from its local matrix.
    """
    told = joint_entries(skeleton)
    model = np.empty((len(palettes), skeleton.joint_count, 3, 4))
    model[:, told.joints] = affine.multiply(palettes[:, told.entries], told.bind)
    is_told = np.isin(np.arange(skeleton.joint_count), told.joints)
    for joint in np.flatnonzero(~is_told).tolist():  # parents come before children
        parent = int(skeleton.parents[joint])
        own = local[:, joint]
        model[:, joint] = own if parent < 0 else affine.multiply(model[:, parent], own)
    return model


def joint_entries(skeleton: Skeleton) -> JointEntries:
    """Return the joints that have a palette entry with an invertible inverse bind matrix, and their palette entries."""
    volumes = np.abs(determinant(skeleton.inverse_bind[:, :, :3].astype(np.float64)))
    usable = np.flatnonzero(volumes > FLAT)
    joints, first = np.unique(skeleton.skin_joints[usable], return_index=True)
    entries = usable[first]
    bind = affine.inverse(skeleton.inverse_bind[entries].astype(np.float64))
    return JointEntries(joints.astype(np.intp), entries, bind.astype(np.float64))
