"""HandRails: the component of actors that put a hand on the handrails of stairs, ramps and escalators."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Index, ShareColumn
from ecs_anim.ecs.columns import Column, Personal
from ecs_anim.storeys.handrails import Arms, Rails


@dataclass
class HandRails:
    """The hands of actors that hold handrails. The system `reach` moves the hands to the rails.

    Written by: the scene loader and the system `handrails`. Read by: the system `handrails`.
    """

    rails: Rails
    arms: Arms
    goals: tuple[int, int]  # numbers of the left and the right arm in `Reach.goals`
    holds: Column[np.bool_]  # [actor_count], whether the actor uses handrails
    # [actor_count] i32, flight of the handrail that the actor holds or has released last; -1 = none
    flight: Annotated[Column[np.int32], Index("rails.flights", or_none=True), Personal(-1)]
    # [actor_count, 2] f32, share of the movement of each hand to the handrail: 0 = at the body, 1 = on the handrail
    grip: Annotated[ShareColumn, Personal(0.0)]
