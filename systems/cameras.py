"""The cameras of a world at their current positions."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.presence import Presence
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import determinant, orthonormal
from ecs_anim.support.arguments import unknown
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.systems.actor_ids import find_actors
from ecs_anim.systems.following import follow_camera, follow_motion, seen_from
from ecs_anim.systems.joints import actor_matrices, joint_matrices
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera import CameraChange, OrbitCamera, changed_camera
from ecs_anim.view.follow import Follow, Following
from ecs_anim.view.pinhole import FOCUS, PinholeCamera, ViewCamera, orbit_pose
from ecs_anim.view.scene_cameras import Fixed, Mounted, OnPath, SceneCamera

Reals = NDArray[np.float64]

# A camera object, an actor to follow, the name of a camera in the scene, or keys that replace keys of the world's own
# camera.
Camera = ViewCamera | Follow | CameraChange | str


@checked
def cameras(world: World) -> list[str]:
    """Return the names of the scene's cameras, in the order of the scene file."""
    return [camera.name for camera in stage_of(world).cameras]


@checked
def camera(world: World, name: str) -> PinholeCamera:
    """Return the camera with the given name in the scene, at its current position.

    Raises InputError (also a KeyError) if the name is unknown. Raises InputError if the camera is mounted on an actor
    that is absent.
    """
    world.require_open()
    return _now(world, _named(world, name))


def camera_of(world: World, given: Camera | None) -> ViewCamera:
    """Return the camera for the argument `given`. If `given` is None, return the world's own camera.

    A camera that follows an actor is at the current position of the actor. Raises the same errors as `camera`,
    `follow_motion` and `changed_camera`.
    """
    match given:
        case None:
            return stage_of(world).camera
        case OrbitCamera() | PinholeCamera():
            return given
        case str():
            return camera(world, given)
        case Follow():
            own = stage_of(world).camera
            now = follow_motion(world, given).camera()
            return replace(now, vertical_fov=own.vertical_fov, near=own.near, far=own.far)
        case _:
            return changed_camera(stage_of(world).camera, given)


@contextmanager
def kept_camera(world: World, given: Camera | None) -> Iterator[Camera | None]:
    """Yield a camera for several pictures.

    If `given` follows an actor, the function adds a camera with a smooth motion to the world, and yields its name. At
    the end of the `with` block, the function removes this camera. Otherwise, the function yields `given`. Raises the
    errors of `follow_motion`.
    """
    if not isinstance(given, Follow):
        yield given
        return
    with follow_camera(world, given) as name:
        yield name


def sensor_of(world: World, given: Camera | None) -> SceneCamera | None:
    """Return the camera of the scene if it has a sensor. Cameras without a name in the scene have none."""
    own = _named(world, given) if isinstance(given, str) else None
    return own if own is not None and own.sensor is not None else None


def own_size(world: World, given: Camera | None) -> tuple[int, int] | None:
    """Return the picture size [pixel] of the camera `given`, or None if the camera has no size of its own.

    Raises InputError if the camera is unknown.
    """
    match given:
        case PinholeCamera():
            return given.lens.size
        case str():
            return _named(world, given).lens.size
        case _:
            return None


def _named(world: World, name: str) -> SceneCamera:
    found = {camera.name: camera for camera in stage_of(world).cameras}
    if name not in found:
        raise unknown("camera", name, found, of="cameras of the scene are")
    return found[name]


def _now(world: World, own: SceneCamera) -> PinholeCamera:
    now = _middle(world, own)
    if not own.aside:
        return now
    pose = now.pose.copy()
    pose[:, 3] += own.aside * pose[:, 0]
    return replace(now, pose=pose)


def _middle(world: World, own: SceneCamera) -> PinholeCamera:
    """Return the camera, for a stereo pair in the middle between the two cameras."""
    match own.motion:
        case Fixed(pose, distance):
            return PinholeCamera(own.lens, pose, distance=distance)
        case OnPath():
            try:
                pose, distance = own.motion.at(world.time)
            except ValueError as error:
                raise InputError(
                    f"camera {own.name!r}: the path of the camera is not valid at {world.time:.2f} s: {error}"
                ) from None
            return PinholeCamera(own.lens, pose, distance=distance)
        case Mounted():
            return PinholeCamera(own.lens, _carried(world, own.name, own.motion), distance=FOCUS)
        case Following():
            now = seen_from(own.motion, own.name)
            return PinholeCamera(own.lens, orbit_pose(now), distance=now.distance)
        case _:
            assert_never(own.motion)


def _carried(world: World, name: str, mounted: Mounted) -> Reals:
    """Return the transform [3, 4] of a camera that is mounted on an actor. Raises InputError if the actor is absent."""
    (actor,) = find_actors(world, np.array([mounted.actor_id]))
    presence = world.find(actor.entity, Presence) if actor is not None else None
    if actor is None or (presence is not None and not presence.is_there(world.time)[actor.row]):
        raise InputError(
            f"camera {name!r}: the camera is mounted on {mounted.carrier}, but this actor is absent at"
            f" {world.time:.2f} s. Mount the camera on another actor."
        )
    rows = np.array([actor.row], np.int32)
    if mounted.joint >= 0:
        carrier = joint_matrices(world, actor.entity, rows)[0, mounted.joint]
    else:
        carrier = actor_matrices(world, actor.entity, rows)[0]
        carrier[1, 3] -= mounted.lift
    whole = affine.multiply(carrier, mounted.pose)
    turn = orthonormal(whole[:, :3])
    if determinant(turn) < 0:  # the transform of the joint contains a mirroring
        turn[:, 0] *= -1
    return affine.join(turn, whole[:, 3]).astype(np.float64)
