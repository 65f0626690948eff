"""Handrails of flights, and arms that can hold handrails, as records for kernels."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import FINITE
from ecs_anim.ecs.records import Shape

Reals = NDArray[np.float64]


class Rails(NamedTuple):
    """The handrails of all flights of a building. Side 0 is on the left of the direction uphill, and side 1 on the
    right.
    """

    first: int  # number of the first flight in the list of spaces
    foot: Annotated[Reals, FINITE, Shape("flight", 2)]  # [m], plan point of the middle of the lower end
    uphill: Annotated[Reals, FINITE, Shape("flight", 2)]  # unit vector on the plan
    aside: Annotated[Reals, FINITE, Shape("flight")]  # [m], distance between the middle line and each handrail
    length: Annotated[Reals, FINITE, Shape("flight")]  # [m], on the plan
    low: Annotated[Reals, FINITE, Shape("flight")]  # [m], height of the lower end of the handrails
    slope: Annotated[Reals, FINITE, Shape("flight")]  # rise of the handrails per metre of the plan
    sides: Annotated[NDArray[np.bool_], Shape("flight", 2)]  # whether the flight has a handrail on this side

    @property
    def flights(self) -> int:
        """The number of flights."""
        return len(self.foot)


class Arms(NamedTuple):
    """The two arms of a rig in the standing pose, in the units of the rig."""

    shoulders: Annotated[Reals, FINITE, Shape(2, 3)]  # positions of the left and the right shoulder
    lengths: Annotated[Reals, FINITE, Shape(2)]  # from the shoulder to the wrist
    forward: Annotated[Reals, FINITE, Shape(3)]  # unit vector in the direction in which the rig faces
