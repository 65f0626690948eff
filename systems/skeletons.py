"""Drawing of the skeletons of actors: bones and joints in front of the bodies."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.maths import affine
from ecs_anim.rigs.bones import body_joints, bone_meshes
from ecs_anim.systems.actor_points import nearest_rows
from ecs_anim.systems.instance_rows import instance_rows
from ecs_anim.systems.joints import model_joints
from ecs_anim.systems.queries import who_is_there
from ecs_anim.systems.uploaded_models import UploadedModels

MOST = 300  # largest number of actors with drawn bones in a crowd whose poses the GPU computes


def bones(
    models: UploadedModels,
    rig: Rig,
    rows: NDArray[np.float32],
    palettes: NDArray[np.float32],
    method: Method = "linear",
    shadow_radius: float | None = None,
) -> CrowdDraw:
    """Return the draw call data for the bones of the actors that have the instance data `rows` [n, 12].

    Without `shadow_radius`, the bones have a fixed colour and are in front of all other objects. With `shadow_radius`
    [m], the bones have the tints and the shadows of the actors.
    """
    model = models.of(rig.skeleton, lambda: _meshes(rig), method)
    if shadow_radius is not None:
        return CrowdDraw(model, rows, palettes, shadow_radius, skinning=method)
    untinted = rows.copy()
    untinted[:, 11] = 0
    return CrowdDraw(model, untinted, palettes, shadow_radius=0.0, casts_shadow=False, in_front=True, skinning=method)


def bones_of_clips(world: World, entity: int, eye: NDArray[np.float32], models: UploadedModels) -> CrowdDraw:
    """Return the draw call data for the bones of a crowd whose poses the GPU computes.

    The CPU computes the poses again for the bones. Only the `MOST` actors in the scene that are nearest to the camera
    position `eye` [3] [m] have bones.
    """
    transforms, rig = world.get(entity, Transforms), world.get(entity, Character).rig
    rows = np.flatnonzero(who_is_there(world, entity)).astype(np.int32)
    rows = rows[nearest_rows(transforms.translation[rows], eye, MOST)]
    joints = model_joints(world, entity, rows)[:, rig.skeleton.skin_joints]
    palettes = affine.multiply(joints, rig.skeleton.inverse_bind.astype(np.float64))
    instances = instance_rows(transforms, world.get(entity, Appearance))[rows]
    return bones(models, rig, instances, np.ascontiguousarray(palettes, np.float32))


def _meshes(rig: Rig) -> tuple[Mesh, ...]:
    """Return the meshes of the bones that begin at joints with skin. If there are no such bones, return all bones."""
    return bone_meshes(rig.skeleton, joints=body_joints(rig)) or bone_meshes(rig.skeleton)
