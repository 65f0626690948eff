"""Colour pictures through the sensor of a scene's camera."""

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.systems.cameras import Camera, camera, cameras, sensor_of
from ecs_anim.systems.flow_memory import Earlier, flow_since
from ecs_anim.systems.moments import moment_of
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.shutter import Motion

_before: WeakKeyDictionary[World, dict[str, Earlier]] = WeakKeyDictionary()


def remember_motion(world: World) -> None:
    """Store the present state, so that the next capture knows the motion since now.

    Motion blur and rolling shutter need this motion. Without a camera that has such a sensor, do nothing.
    """
    moving = [
        name for name in cameras(world) if (own := sensor_of(world, name)) and own.sensor and own.sensor.needs_motion
    ]
    if moving:
        moment = moment_of(world)
        _before[world] = {name: Earlier(moment, camera(world, name), world.time) for name in moving}


def developed(
    world: World, drawer: CameraDrawer, given: Camera | None, seen_from: PinholeCamera, colors: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return the drawn picture `colors` [height, width, 3] with the effects of the camera's sensor."""
    own = sensor_of(world, given)
    if own is None or own.sensor is None:
        return colors
    motion = _motion(world, drawer, own.name, seen_from) if own.sensor.needs_motion else None
    return own.sensor.developed(colors, np.random.default_rng((*own.noise_seed, world.frame)), motion)


def _motion(world: World, drawer: CameraDrawer, name: str, seen_from: PinholeCamera) -> Motion | None:
    """Return the motion since the stored state. Without a stored state, return None."""
    earlier = _before.get(world, {}).get(name)
    if earlier is None or world.time <= earlier.time:
        return None
    passes = drawer.passes(world, seen_from, seen_from.lens.size, earlier.moment)
    return Motion(flow_since(passes, seen_from, earlier) / (world.time - earlier.time), passes.depth)
