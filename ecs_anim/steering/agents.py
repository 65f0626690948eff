"""Agents: the data that steering needs about the actors of all crowds in a world at one moment.

Each array has one row for each agent.

All coordinates are plan coordinates: x east, y north [m].
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, checked
from ecs_anim.steering.own import PARAMETER_COUNT

# Columns of `seen`: position [m], velocity [m/s], heading (a unit vector), radius [m], and the distance [m] to the goal
# at which the agent must stop. If the agent need not stop, the distance is inf. SEEN is the number of columns.
X, Y, VX, VY, EX, EY, RADIUS, LEFT, SEEN = range(9)
# Columns of `own`: desired direction (a unit vector), desired speed [m/s], and the time [s] without progress.
DX, DY, SPEED, STUCK, OWN = range(5)
# Columns of `identity`: number of the model in `Surroundings.models`, the lower 31 bits of the agent's id, and the
# number of the agent's room. Agents in different rooms do not see each other.
MODEL, NAME, ROOM, IDENTITY = range(4)
ROOM_BIT = 32  # the bits of an id from this bit on are the number of the room
SEED_BITS = 0xFFFFFFFF  # random choices depend only on these bits of a seed
NOBODY = -1  # model of agents that do not steer now; other agents see them
# Columns of `chosen`: velocity [m/s] and heading (a unit vector).
TO_VX, TO_VY, TO_EX, TO_EY, CHOSEN = range(5)


class Agents(NamedTuple):
    """State, goals and decisions of all agents in a world."""

    seen: Annotated[NDArray[np.float32], Shape("agent", SEEN)]  # state that other agents see
    own: Annotated[NDArray[np.float32], Shape("agent", OWN)]
    # Memory for one record of each agent's model. `Model.records` of the model reads this memory.
    parameters: Annotated[NDArray[np.float32], Shape("agent", PARAMETER_COUNT)]
    identity: Annotated[NDArray[np.int32], Shape("agent", IDENTITY)]
    chosen: Annotated[NDArray[np.float32], Shape("agent", CHOSEN)]


class Cells(NamedTuple):
    """A periodic grid over the plan.

    The grid repeats after its width and after its height, so positions that are far from each other can share a cell.
    """

    order: Annotated[NDArray[np.int32], Shape("agent")]  # rows of the agents, sorted by cell
    cell: Annotated[NDArray[np.int32], Shape("agent")]  # cell of each row
    first: Annotated[NDArray[np.int32], Shape("cell + 1")]  # index of each cell's first agent in `order`
    # columns and rows of the grid of a room (powers of two), and the number of rooms; each room has its own cells
    size: Annotated[NDArray[np.int32], Shape(3)]
    # x and y [m], sorted as in `order`; the last 8 columns are padding
    places: Annotated[NDArray[np.float32], Shape(2, "agent + 8")]


class Turn(NamedTuple):
    """A decision turn. In a turn, each agent chooses its next velocity once.

    Random choices depend only on the seed and the number of the agent's room, and on the id of the agent.
    """

    seed: Annotated[NDArray[np.int64], Shape("room")]
    number: Annotated[NDArray[np.int64], Shape("room")]
    seconds: float  # time until the next decision [s]


def turn_of(seed: int, number: int, seconds: float) -> Turn:
    """Return the turn of a world with one room."""
    return Turn(np.array([seed & SEED_BITS]), np.array([number]), seconds)


def new_agents(count: int) -> Agents:
    """Return `Agents` for `count` agents. All columns are 0."""
    widths = {"seen": SEEN, "own": OWN, "parameters": PARAMETER_COUNT, "chosen": CHOSEN}
    floats = {name: np.zeros((count, width), np.float32) for name, width in widths.items()}
    return checked(Agents(identity=np.zeros((count, IDENTITY), np.int32), **floats))


def new_cells(count: int, rooms: int = 1) -> Cells:
    """Return a grid (`Cells`) for `count` agents in `rooms` rooms. The grid has at least `count` cells."""
    cells = rooms * max(64, 1 << (-(-count // rooms) - 1).bit_length())
    order, cell, first = (np.zeros(length, np.int32) for length in (count, count, cells + 1))
    return checked(Cells(order, cell, first, np.array([0, 0, rooms], np.int32), np.zeros((2, count + 8), np.float32)))
