"""HandRails: the component of actors that put a hand on the handrails of stairs, ramps and escalators."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import Index, ShareColumn
from ecs_anim.ecs.columns import Column, Personal

Reals = NDArray[np.float64]
LEFT, RIGHT = 0, 1  # columns of hands, and of the sides of a flight


@dataclass(frozen=True, eq=False)
class Rails:
    """The handrails of all flights of a building. Side 0 is on the left of the direction uphill, and side 1 on the
    right.
    """

    first: int  # number of the first flight in the list of spaces
    foot: Reals  # [flight, 2] [m], plan point of the middle of the lower end
    uphill: Reals  # [flight, 2], unit vector on the plan
    aside: Reals  # [flight] [m], distance between the middle line and each handrail
    length: Reals  # [flight] [m], on the plan
    low: Reals  # [flight] [m], height of the lower end of the handrails
    slope: Reals  # [flight], rise of the handrails per metre of the plan
    sides: NDArray[np.bool_]  # [flight, 2], whether the flight has a handrail on this side

    @property
    def count(self) -> int:
        """The number of flights."""
        return len(self.foot)


@dataclass(frozen=True, eq=False)
class Arms:
    """The two arms of a rig in the standing pose, in the units of the rig."""

    shoulders: NDArray[np.float64]  # [2, 3], positions of the left and the right shoulder
    lengths: NDArray[np.float64]  # [2], from the shoulder to the wrist
    forward: NDArray[np.float64]  # [3], unit vector in the direction in which the rig faces


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
    flight: Annotated[Column[np.int32], Index("rails.count", or_none=True), Personal(-1)]
    # [actor_count, 2] f32, share of the movement of each hand to the handrail: 0 = at the body, 1 = on the handrail
    grip: Annotated[ShareColumn, Personal(0.0)]
