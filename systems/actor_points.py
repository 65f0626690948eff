"""Points of actors in space, for cameras that follow actors and for marks above actors."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.character import Character
from ecs_anim.components.spawner import Spawner
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import heading_from_yaw
from ecs_anim.maths.quaternion import rotate
from ecs_anim.support.owner_cache import cached_by_owner
from ecs_anim.systems.actor_ids import ActorRow

Reals = NDArray[np.float64]
Rows = slice | list[int] | NDArray[np.integer]

ALL = slice(None)


@cached_by_owner
def rest_box(rig: Rig) -> Reals:
    """Return the lowest and the highest corner of the box around a rig in its rest pose, [2, 3] f64 [rig units]."""
    return np.array(rest_bounds(rig), np.float64)


def nearest_rows(points: NDArray[np.floating], eye: NDArray[np.floating], most: int) -> NDArray[np.intp]:
    """Return the sorted rows of the `most` points [n, 3] that are nearest to the camera position `eye` [3]."""
    if len(points) <= most:
        return np.arange(len(points))
    off = points - eye
    return np.sort(np.argpartition(np.sum(off * off, axis=-1), most)[:most])


def point_of(world: World, actor: ActorRow, point: Reals) -> Reals:
    """Convert a point [3] of the rig in its rest pose to world space, [3] f64 [m].

    The result depends on the position, the rotation and the scale of the actor, but not on its pose.
    """
    transforms = world.get(actor.entity, Transforms)
    turned = rotate(transforms.rotation[actor.row].astype(np.float64), point)
    found: Reals = transforms.translation[actor.row] + transforms.scale[actor.row] * turned
    return found


def middle_of(world: World, actor: ActorRow) -> Reals:
    """Return the centre of an actor's rest box in world space, [3] f64 [m]."""
    return point_of(world, actor, rest_box(world.get(actor.entity, Character).rig).mean(axis=0))


def ground_points(world: World, entity: int, rows: Rows = ALL) -> Reals:
    """Return the ground points between the feet of actors of a crowd, [n, 3] f64 [m], x east, y up, z south."""
    spawner = world.find(entity, Spawner)
    lift = spawner.lift if spawner else 0.0
    return world.get(entity, Transforms).translation[rows].astype(np.float64) - (0.0, lift, 0.0)


def headings_of(world: World, entity: int, rows: Rows = ALL) -> Reals:
    """Return the headings of actors of a crowd, [n] f64 [rad], counter-clockwise from east, in (-pi, pi]."""
    _, y, _, w = world.get(entity, Transforms).rotation[rows].T.astype(np.float64)
    spawner = world.find(entity, Spawner)
    return heading_from_yaw(2 * elementary.arctan2(y, w) + (spawner.facing if spawner else 0.0))
