"""Body: the component that stores the gaits and the footsteps of walking actors."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.gait_plan import GaitPlan
from ecs_anim.body.state import BodyState
from ecs_anim.ecs.records import Binding
from ecs_anim.ik.legs import LegArrays
from ecs_anim.ik.look_at import LookChain


@dataclass
class Body(Binding):
    """Walking bodies: the gait of each actor, and the state of each standing or swinging foot.

    The body of an actor follows the actor's root, which a velocity, the steering or a path moves.

    Written by: the scene loader and the system `body` (only `state`). Read by: the systems `poise`, `step_feet` and
    `step_contacts`.
    """

    table: NDArray[np.float32]  # [SPEEDS, LEG + leg_count * LEG_WIDTH] f32, the gait by speed
    plan: GaitPlan
    legs: LegArrays
    spine: LookChain  # joints from the spine to the head, which turn while the actor stands; can be empty
    state: BodyState

    @cached_property
    def columns(self) -> BodyState:
        """The state of the bodies as a record for kernels."""
        return self.bound(BodyState, "state")
