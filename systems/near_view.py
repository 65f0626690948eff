"""Selection of the actors that can be visible in a picture, by their positions."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.small_matrices import length
from ecs_anim.support.owner_cache import cached_by_owner
from ecs_anim.systems.queries import who_is_there
from ecs_anim.view.frustum import frustum_planes
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.resampling import faces_of
from ecs_anim.view.style import View

# largest distance of a posed body's points from the actor's origin, as a multiple of the distance in the rest pose
REACH = 1.5


def seen_rows(world: World, entity: int, camera: PinholeCamera) -> NDArray[np.int32]:
    """Return the rows of the actors in the scene that can be in the picture of a camera with any lens."""
    if camera.lens.is_flat:
        return near_view(world, entity, camera)
    rows = [near_view(world, entity, face.camera(camera)) for face in faces_of(camera.lens)]
    return np.unique(np.concatenate(rows))


def near_view(world: World, entity: int, camera: PinholeCamera) -> NDArray[np.int32]:
    """Return the rows of the actors in the scene that can be in the picture of a camera without distortion."""
    transforms = world.get(entity, Transforms)
    radius = REACH * _rest_radius(world.get(entity, Character).rig) * transforms.scale
    view = View.of(camera, camera.lens.size[0] / camera.lens.size[1])
    points = np.concatenate([transforms.translation, np.ones((len(radius), 1))], axis=1)
    near = who_is_there(world, entity)
    for plane in frustum_planes(view.view_projection):
        near &= np.sum(points * plane, axis=-1) >= -radius
    return np.flatnonzero(near).astype(np.int32)


@cached_by_owner
def _rest_radius(rig: Rig) -> float:
    """Return the largest distance of a joint or a vertex from the actor's origin in the rest pose, in rig units."""
    joints = model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3]
    corners = np.abs(np.stack(rest_bounds(rig))).max(axis=0) if rig.meshes else np.zeros(3)
    return float(max(length(joints).max(initial=0.0), length(corners)))
