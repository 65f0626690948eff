"""Grounding: the component for foot grounding.

Foot grounding moves legs and pelvis so that feet stand on the ground.
"""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.bounds import ShareColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.ground.ground import Ground
from ecs_anim.ik.grounding import FootState, GroundingSettings
from ecs_anim.ik.legs import LegArrays


@dataclass
class Grounding(Binding):
    """The settings and the state of foot grounding.

    Clips are made for a flat floor. Foot grounding moves legs and pelvis so that the feet also stand on uneven ground.

    Written by: the scene loader, viewers (only `settings`), the system `grounding` (only `state`, and weights that
    parameters set), and user code (only weights). Read by: the system `grounding`.
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
