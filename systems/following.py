"""The following system: it moves the cameras that follow actors.

The functions of this module add cameras that follow actors to a world.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.presence import NEARLY, Presence
from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.support.arguments import unknown
from ecs_anim.support.errors import InputError, UnknownName
from ecs_anim.systems.actor_ids import ActorRow, find_actors
from ecs_anim.systems.actor_points import headings_of, middle_of
from ecs_anim.systems.queries import stage_of, who_is_there
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.follow import Follow, Following, following
from ecs_anim.view.lens import Lens
from ecs_anim.view.scene_cameras import SceneCamera

SIZE = (1280, 720)  # [pixel], picture size of a camera that a program adds


class FollowActors:
    """Move the cameras that follow actors to the positions of these actors at the end of the step."""

    name = "following"

    def run(self, world: World, dt: float) -> None:
        """Write the state of each camera that follows an actor."""
        for motion in _motions(world):
            _advance(world, motion, dt)

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """If a camera follows an actor, return 0, because the smoothing of the camera needs all steps.

        Otherwise, return the number of steps in `ends`.
        """
        return 0 if any(_motions(world)) else len(ends)


def follow_motion(world: World, follow: Follow) -> Following:
    """Return the motion of a new camera that follows an actor. The camera is at the current position of the actor.

    Raises InputError (also a KeyError) if the crowd or the actor does not exist.
    """
    actor_id = _actor_id(world, follow)
    carrier = f"the actor with id {actor_id} of crowd {follow.crowd!r}"
    motion = following(follow, carrier, actor_id, stage_of(world).camera)
    _advance(world, motion, 0.0)
    return motion


@contextmanager
def follow_camera(world: World, follow: Follow) -> Iterator[str]:
    """Add a camera that follows an actor. Yield the name of the camera, and remove the camera at the end.

    Raises the errors of `follow_motion`.
    """
    stage, motion = stage_of(world), follow_motion(world, follow)
    own = stage.camera
    lens = Lens.of_view(SIZE, own.vertical_fov, near=own.near, far=own.far)
    added = SceneCamera(f"follow {follow.crowd}:{motion.actor_id}", lens, motion)
    stage.cameras += (added,)
    try:
        yield added.name
    finally:
        stage.cameras = tuple(camera for camera in stage.cameras if camera is not added)


def seen_from(motion: Following, name: str) -> OrbitCamera:
    """Return the camera that follows an actor. Raises InputError if the actor has not been present yet."""
    if not motion.is_known:
        raise InputError(
            f"camera {name!r}: {motion.carrier} has never been present, so the camera cannot follow this actor."
            " Follow another actor."
        )
    return motion.camera()


def _motions(world: World) -> Iterator[Following]:
    for _, (stage,) in world.query(Stage):
        for camera in stage.cameras:
            if isinstance(camera.motion, Following):
                yield camera.motion


def _advance(world: World, motion: Following, dt: float) -> None:
    """Follow an actor for `dt` seconds. If the actor has left, do nothing."""
    (actor,) = find_actors(world, np.array([motion.actor_id]))
    if actor is not None and not _has_left(world, actor, world.time + dt):
        heading = float(headings_of(world, actor.entity, [actor.row])[0])
        motion.advance(middle_of(world, actor), heading, dt)


def _has_left(world: World, actor: ActorRow, time: float) -> bool:
    presence = world.find(actor.entity, Presence)
    return presence is not None and bool(presence.end[actor.row] + NEARLY < time)


def _actor_id(world: World, follow: Follow) -> int:
    """Return the id of the actor to follow. Raises InputError (also a KeyError) if this actor does not exist."""
    crowds = {crowd.name: (entity, crowd) for entity, (crowd,) in world.query(Crowd)}
    if follow.crowd not in crowds:
        raise unknown("crowd", follow.crowd, crowds, of="crowds are")
    entity, crowd = crowds[follow.crowd]
    if not crowd.actor_count:
        raise InputError(f"crowd {crowd.name!r} must have an actor that the camera can follow. Name another crowd.")
    if follow.actor_id is None:
        return int(crowd.ids[np.argmax(who_is_there(world, entity))])
    if crowd.index.find(np.array([follow.actor_id]))[0] < 0:
        raise UnknownName(
            f"crowd {crowd.name!r} has no actor with id {follow.actor_id} (its ids are {crowd.ids.min()} to"
            f" {crowd.ids.max()}). Name one of its actors."
        )
    return follow.actor_id
