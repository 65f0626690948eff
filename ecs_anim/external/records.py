"""The records that kernels read and write for external agents. Coordinates are on the plan: x east, y north [m]."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, checked
from ecs_anim.external.footprint import Footprint, cover

DRIVES = ("velocity", "unicycle", "pose")  # kinds of commands
KINDS = ("person", "wall", "prop", "agent")  # kinds of objects that agents touch and rays hit
PERSON, WALL, PROP, AGENT = range(len(KINDS))
# Columns of a contact: agent, kind, row of the other object, point [m], normal (a unit vector), gap [m].
C_AGENT, C_KIND, C_OTHER, C_X, C_Y, C_NX, C_NY, C_GAP, CONTACT = range(9)
# Columns of `Discs.circle`: middle and radius [m], and the offset from the middle of the agent along its heading [m].
D_X, D_Y, D_RADIUS, D_OFFSET, DISC = range(5)
PERSONAL = 0.15  # [m], radius of people without steering; steered people have the key `radius`


class Movements(NamedTuple):
    """The state and the commands of all external agents in a world."""

    pose: Annotated[NDArray[np.float64], Shape("agent", 3)]  # x, y [m], heading [rad]
    velocity: Annotated[NDArray[np.float64], Shape("agent", 3)]  # of the last step: x, y [m/s], turn rate [rad/s]
    drive: Annotated[NDArray[np.int32], Shape("agent")]  # index in `DRIVES`
    command: Annotated[NDArray[np.float64], Shape("agent", 3)]  # see `components.external_agents`
    shape: Annotated[NDArray[np.float64], Shape("agent", 3)]  # the `Footprint`
    room: Annotated[NDArray[np.int32], Shape("agent")]  # number of the room; 0 in a world without rooms
    slides: Annotated[NDArray[np.int32], Shape("agent")]  # 1 = slides along obstacles, 0 = stops in front of them


class Discs(NamedTuple):
    """The discs on the plan that agents and rays meet, by room: first people, then the discs that cover agents."""

    circle: Annotated[NDArray[np.float64], Shape("disc", DISC)]
    owner: Annotated[NDArray[np.int32], Shape("disc")]  # row of the agent that the disc belongs to; -1 = a person
    ids: Annotated[NDArray[np.int64], Shape("disc")]  # ids of the actors
    first: Annotated[NDArray[np.int32], Shape("room + 1")]  # number of each room's first disc


class Contacts(NamedTuple):
    """The objects that external agents touch at the end of a step, in order of the agents' rows."""

    agent: NDArray[np.int32]  # [n], row of the agent in its crowd
    kind: NDArray[np.int32]  # [n], index in `KINDS`
    other: NDArray[np.int64]  # [n], id of the person or of the other agent, or number of the wall segment
    point: NDArray[np.float64]  # [n, 2], nearest point on the other object [m]
    normal: NDArray[np.float64]  # [n, 2], unit vector from the agent to the other object
    gap: NDArray[np.float64]  # [n], distance [m]; a negative number is the depth of an overlap

    def where(self, kind: str) -> "Contacts":
        """Return the contacts with objects of one kind of `KINDS`."""
        return Contacts(*(column[self.kind == KINDS.index(kind)] for column in self))


def contacts_of(rows: NDArray[np.float64], first: int, kinds: NDArray[np.int32], others: NDArray[np.int64]) -> Contacts:
    """Return the contacts in the rows [n, CONTACT] of the kernel, for a crowd whose first agent is the row `first`."""
    agent = rows[:, C_AGENT].astype(np.int32) - np.int32(first)
    return Contacts(agent, kinds, others, rows[:, C_X : C_Y + 1], rows[:, C_NX : C_NY + 1], rows[:, C_GAP])


def no_contacts() -> Contacts:
    """Return a record without contacts."""
    none = np.zeros(0, np.int32)
    return contacts_of(np.zeros((0, CONTACT)), 0, none, none.astype(np.int64))


def discs_of_agents(
    footprint: Footprint, points: NDArray[np.float64], ways: NDArray[np.float64], ids: NDArray[np.int64], first: int
) -> Discs:
    """Return the discs that cover agents at plan points [agent, 2] [m] with directions (unit vectors) [agent, 2].

    The row of the first agent is `first`.
    """
    offsets, radius = cover(footprint)
    row, offset = np.repeat(np.arange(len(points)), len(offsets)), np.tile(offsets, len(points))[:, None]
    middle = points[row] + offset * ways[row]
    circle = np.concatenate([middle, np.full_like(offset, radius), offset], axis=1)
    return checked(Discs(circle, (row + first).astype(np.int32), ids[row], in_one_room(len(circle))))


def in_one_room(count: int) -> NDArray[np.int32]:
    """Return the column `first` of `count` discs in a world without rooms."""
    return np.array([0, count], np.int32)
