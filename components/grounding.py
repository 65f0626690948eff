"""Grounding: the component for the correction of legs, so that feet follow the ground."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.bounds import ShareColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.ground.ground import Ground
from ecs_anim.ik.grounding import FootState, GroundingSettings
from ecs_anim.ik.legs import LegArrays


@dataclass
class Grounding(Binding):
    """Settings and state of the correction of legs and pelvis. Feet stand on the ground with any clip.

    Written by: the scene loader, grounding (`state`, parameter-driven weights), viewers (`settings`), user code
    (weights). Read by: grounding.
    """

    legs: LegArrays
    ground: Ground
    settings: GroundingSettings
    weight: ShareColumn  # [actor_count] f32, weight of the correction, 0 to 1
    weight_parameter: int  # column of the parameter that drives `weight`; -1 = no parameter
    state: FootState

    @cached_property
    def feet(self) -> FootState:
        """The state of the feet as a record for kernels."""
        return self.bound(FootState, "state")
