"""Scans of the lidar that stands at the position of a camera."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.pinhole import PinholeCamera


def scan(world: World, drawer: CameraDrawer, carrier: PinholeCamera) -> NDArray[np.void]:
    """Return a scan [ring, step] of the world's lidar at the camera `carrier`, with the fields of `lidar.RETURN`."""
    lidar = stage_of(world).lidar
    camera = lidar.camera(carrier)
    return lidar.scan(camera, drawer.passes(world, camera, camera.lens.size))
