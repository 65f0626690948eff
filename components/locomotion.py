"""How actors walk."""

from dataclasses import dataclass

from ecs_anim.ecs.bounds import NotNegativeColumn


@dataclass
class Locomotion:
    """Actors move over the ground as what they play says, along their own heading.

    An actor that leaves the area turns back towards its middle.
    Written by: the scene loader. Read by: locomotion.
    """

    turn_rate: NotNegativeColumn  # [actor_count] f32, [rad/s], the most an actor turns
    facing: float  # [rad] about +Y from +Z, where the rig looks before it is turned
    area_center: tuple[float, float]  # x, z [m]
    area_radius: float  # [m], inf = no bounds
