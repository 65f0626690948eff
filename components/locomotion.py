"""Locomotion: the root motion of clips moves the actors."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.bounds import NotNegativeColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import WalkingArea


@dataclass
class Locomotion(Binding):
    """Settings of locomotion: the motions that actors play move the actors over the ground, in their heading.

    An actor that leaves the area turns back towards the middle of the area.
    Written by: the scene loader. Read by: locomotion.
    """

    turn_rate: NotNegativeColumn  # [actor_count] f32, [rad/s], maximum rate of turning
    facing: float  # [rad] about +Y from +Z, front direction of the rig without rotation
    area_center: tuple[float, float]  # x, z [m]
    area_radius: float  # [m], inf = no bounds

    @cached_property
    def area(self) -> tuple[float, ...]:
        """The fields of the `WalkingArea` for kernels."""
        x, z = self.area_center
        return tuple(WalkingArea(float(x), float(z), float(self.area_radius)))
