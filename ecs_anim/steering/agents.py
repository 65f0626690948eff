"""Agents of all crowds of a world as steering sees them: a snapshot in which each has a row.

In plan coordinates: x east, y north [m].
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, checked
from ecs_anim.steering.models import PARAMETER_COUNT

# Columns of `seen`: position [m], velocity [m/s], where an agent faces (a unit vector), its radius [m], and how far it
# is from where it is to stand [m], inf where it goes on.
X, Y, VX, VY, EX, EY, RADIUS, LEFT = range(8)
SEEN = 8
# Columns of `own`: the direction that an agent wants, a unit vector, the speed [m/s], and for how long it has hardly
# got on [s]; then its model's parameters.
DX, DY, SPEED, STUCK, PARAMETERS = range(5)
OWN = PARAMETERS + PARAMETER_COUNT
# Columns of `who`: the model, and the lower 31 bits of the agent's id.
MODEL, NAME = range(2)
WHO = 2
NOBODY = -1  # the model of agents whom others see, and who do not steer now
# Columns of `chosen`: a velocity [m/s], and where the agent is to face.
CHOSEN = 4


class Agents(NamedTuple):
    """What agents are and want, and what was chosen for them."""

    seen: Annotated[NDArray[np.float32], Shape("agent", SEEN)]  # by others
    own: Annotated[NDArray[np.float32], Shape("agent", OWN)]
    who: Annotated[NDArray[np.int32], Shape("agent", WHO)]
    chosen: Annotated[NDArray[np.float32], Shape("agent", CHOSEN)]


class Cells(NamedTuple):
    """A grid of cells that has no end: it is laid again and again over the plane, so cells far apart are one."""

    order: Annotated[NDArray[np.int32], Shape("agent")]  # row of each agent, cell by cell
    cell: Annotated[NDArray[np.int32], Shape("agent")]  # of each row
    first: Annotated[NDArray[np.int32], Shape("cell + 1")]  # the first agent of each cell, in that order
    size: Annotated[NDArray[np.int32], Shape(2)]  # columns and rows, powers of two
    places: Annotated[NDArray[np.float32], Shape(2, "agent + 8")]  # x, and y [m], in that order; then eight of nobody


def new_agents(count: int) -> Agents:
    """Memory for so many."""
    return checked(
        Agents(
            np.zeros((count, SEEN), np.float32),
            np.zeros((count, OWN), np.float32),
            np.zeros((count, WHO), np.int32),
            np.zeros((count, CHOSEN), np.float32),
        )
    )


def new_cells(count: int) -> Cells:
    """Memory for so many agents in as many cells, or a few more."""
    cells = max(64, 1 << (count - 1).bit_length())
    order, cell, first = (np.zeros(length, np.int32) for length in (count, count, cells + 1))
    return checked(Cells(order, cell, first, np.zeros(2, np.int32), np.zeros((2, count + 8), np.float32)))
