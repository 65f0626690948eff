"""Feet that follow the ground."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.bounds import ShareColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.ground.ground import Ground
from ecs_anim.ik.grounding import FootState, GroundingSettings
from ecs_anim.ik.legs import LegArrays


@dataclass
class Grounding(Binding):
    """Legs and pelvis are corrected so that feet stand on the ground, whatever the clips do.

    Written by: the scene loader, grounding (`state`, parameter-driven weights), viewers (`settings`), user code
    (weights). Read by: grounding.
    """

    legs: LegArrays
    ground: Ground
    settings: GroundingSettings
    weight: ShareColumn  # [actor_count] f32, 0 to 1
    weight_parameter: int  # column that is the weight, -1 = the column above as it is set
    state: FootState

    @cached_property
    def feet(self) -> FootState:
        """Return the feet's state for kernels."""
        return self.bound(FootState, "state")
