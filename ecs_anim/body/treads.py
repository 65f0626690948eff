"""Flights of stairs as arrays for kernels.

Positions in a flight are measured uphill, from the middle of the first riser. Tread k extends from k times to k + 1
times the going (the length of a tread). Its height above the lower floor is k + 1 times the height of a riser. The
lower floor is tread -1, and the upper floor is the last tread.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import FINITE
from ecs_anim.ecs.records import Shape

# Columns of a flight: x, z [m] of the middle of the first riser, unit vector uphill, half of the width, length of a
# tread, height of a riser, height of the lower floor [m], number of risers.
FOOT_X, FOOT_Z, UP_X, UP_Z, HALF, GOING, RISER, BASE, RISERS = range(9)
FLIGHT_WIDTH = 9


class Stairs(NamedTuple):
    """A straight flight of stairs. Points are on the plan: x east, y north [m]."""

    foot: tuple[float, float]  # middle of the first riser
    uphill: tuple[float, float]  # unit vector
    width: float  # [m]
    going: float  # [m], length of a tread
    riser: float  # [m]
    base: float  # [m], height of the lower floor
    risers: int  # number of risers; the number of treads is one less


class Treads(NamedTuple):
    """All flights of a building."""

    flight: Annotated[NDArray[np.float32], FINITE, Shape("flight", FLIGHT_WIDTH)]


def treads_of(flights: Sequence[Stairs]) -> Treads:
    """Return the flights as arrays for kernels."""
    rows = [
        (own.foot[0], 0.0 - own.foot[1], own.uphill[0], 0.0 - own.uphill[1], own.width / 2, *own[3:]) for own in flights
    ]
    return Treads(np.array(rows, np.float32).reshape(-1, FLIGHT_WIDTH))
