"""How actors walk."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.bounds import NotNegativeColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import WalkingArea


@dataclass
class Locomotion(Binding):
    """Actors move over the ground as what they play says, along their own heading.

    An actor that leaves the area turns back towards its middle.
    Written by: the scene loader. Read by: locomotion.
    """

    turn_rate: NotNegativeColumn  # [actor_count] f32, [rad/s], the most an actor turns
    facing: float  # [rad] about +Y from +Z, where the rig looks before it is turned
    area_center: tuple[float, float]  # x, z [m]
    area_radius: float  # [m], inf = no bounds

    @cached_property
    def area(self) -> tuple[float, ...]:
        """The numbers of a `WalkingArea`, as kernels take them."""
        x, z = self.area_center
        return tuple(WalkingArea(float(x), float(z), float(self.area_radius)))
