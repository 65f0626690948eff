"""How actors walk."""

from dataclasses import dataclass

import numpy as np

from ecs_anim.columns import Column


@dataclass
class Locomotion:
    """Actors move over the ground as what they play says, along their own heading.

    An actor that leaves the area turns back towards its middle.
    Written by: the scene loader. Read by: locomotion.
    """

    turn_rate: Column[np.float32]  # [actor_count] f32, [rad/s], the most an actor turns
    facing: float  # [rad] about +Y from +Z, where the rig looks before it is turned
    area_center: tuple[float, float]  # x, z [m]
    area_radius: float  # [m], inf = no bounds
