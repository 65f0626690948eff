"""Locomotion: the component with the settings of actors that move at the speed of their clips."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.bounds import NotNegativeColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import WalkingArea


@dataclass
class Locomotion(Binding):
    """Settings for actors that move with the root motion of their clips.

    An actor moves in the direction of its heading. An actor outside the walking area turns towards the centre of the
    area.

    Written by: the scene loader. Read by: the system `locomotion`.
    """

    turn_rate: NotNegativeColumn  # [actor_count] f32, [rad/s], maximum rate of turning
    facing: float  # [rad] about +Y from +Z, forward direction of the unrotated rig
    area_center: tuple[float, float]  # x, z [m]
    area_radius: float  # [m], inf = the area has no bounds

    @cached_property
    def area(self) -> tuple[float, ...]:
        """The centre and the radius of the walking area, in the order of the fields of `WalkingArea`."""
        x, z = self.area_center
        return tuple(WalkingArea(float(x), float(z), float(self.area_radius)))
