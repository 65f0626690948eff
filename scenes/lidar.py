"""The lidar of a scene, from the table [lidar]."""

import math

import numpy as np

from ecs_anim.scenes.schema_lidar import LidarModel
from ecs_anim.view.lidar import Lidar


def lidar_of(model: LidarModel) -> Lidar:
    """Return the lidar that a table describes. The rings are in falling order."""
    lowest, highest = model.elevation_degrees
    rings = model.ring_elevations_degrees or np.linspace(lowest, highest, model.rings).tolist()
    falling = tuple(math.radians(own) for own in sorted(rings, reverse=True))
    return Lidar(falling, model.azimuth_steps, *model.range, model.offset)
