"""Agents of all crowds of a world as steering sees them: a snapshot in which each agent has a row.

In plan coordinates: x east, y north [m].
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, checked
from ecs_anim.steering.own import PARAMETER_COUNT

# Columns of `seen`: position [m], velocity [m/s], heading (a unit vector), radius [m], and the distance [m] to the goal
# where the agent is to stop, inf without such a goal. The last name is the width.
X, Y, VX, VY, EX, EY, RADIUS, LEFT, SEEN = range(9)
# Columns of `own`: desired direction (a unit vector), desired speed [m/s], and the time [s] without progress.
DX, DY, SPEED, STUCK, OWN = range(5)
# Columns of `identity`: number of the model in `Surroundings.models`, and the lower 31 bits of the agent's id.
MODEL, NAME, IDENTITY = range(3)
NOBODY = -1  # model of agents that others see, and that do not steer now
# Columns of `chosen`: velocity [m/s] and heading (a unit vector).
TO_VX, TO_VY, TO_EX, TO_EY, CHOSEN = range(5)


class Agents(NamedTuple):
    """State, wishes and decisions of agents."""

    seen: Annotated[NDArray[np.float32], Shape("agent", SEEN)]  # by others
    own: Annotated[NDArray[np.float32], Shape("agent", OWN)]
    # Memory for one record of the agent's model each. Read it as `Model.records` of that model.
    parameters: Annotated[NDArray[np.float32], Shape("agent", PARAMETER_COUNT)]
    identity: Annotated[NDArray[np.int32], Shape("agent", IDENTITY)]
    chosen: Annotated[NDArray[np.float32], Shape("agent", CHOSEN)]


class Cells(NamedTuple):
    """A periodic grid over the plane. Cells that are a grid's width apart share one entry."""

    order: Annotated[NDArray[np.int32], Shape("agent")]  # row of each agent, cell by cell
    cell: Annotated[NDArray[np.int32], Shape("agent")]  # of each row
    first: Annotated[NDArray[np.int32], Shape("cell + 1")]  # the first agent of each cell, in that order
    size: Annotated[NDArray[np.int32], Shape(2)]  # columns and rows, powers of two
    places: Annotated[NDArray[np.float32], Shape(2, "agent + 8")]  # x, and y [m], in that order; the last 8 are padding


class Turn(NamedTuple):
    """One decision of all agents. Random choices depend on `seed`, `number` and the agent's name alone."""

    seed: int
    number: int
    seconds: float  # until the next decision


def new_agents(count: int) -> Agents:
    """Return zeroed memory for that many agents."""
    widths = {"seen": SEEN, "own": OWN, "parameters": PARAMETER_COUNT, "chosen": CHOSEN}
    floats = {name: np.zeros((count, width), np.float32) for name, width in widths.items()}
    return checked(Agents(identity=np.zeros((count, IDENTITY), np.int32), **floats))


def new_cells(count: int) -> Cells:
    """Return memory for that many agents, in at least as many cells."""
    cells = max(64, 1 << (count - 1).bit_length())
    order, cell, first = (np.zeros(length, np.int32) for length in (count, count, cells + 1))
    return checked(Cells(order, cell, first, np.zeros(2, np.int32), np.zeros((2, count + 8), np.float32)))
