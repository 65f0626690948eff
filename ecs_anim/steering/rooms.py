"""Rooms: independent copies of a scene in the columns of one world."""

from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape
from ecs_anim.steering.agents import ROOM_BIT, SEED_BITS

EARLY = 1e-6  # fraction of a decision interval; a decision can be early by this fraction, because times are rounded
Rhythm = tuple[NDArray[np.bool_], NDArray[np.int64]]  # [room], for each room: whether it is due, and its decisions


class Deciders(NamedTuple):
    """The actors of a crowd that decide in this step."""

    rows: Annotated[NDArray[np.int64], Shape("decider")]
    ids: Annotated[NDArray[np.int64], Shape("actor")]  # of all actors of the crowd


@dataclass
class RoomClocks:
    """The seed and the time of each room."""

    seed: NDArray[np.int64]  # [room], the bits of the seed on which random choices depend
    time: NDArray[np.float64]  # [room] [s], time since the last reset
    before: NDArray[np.float64]  # [room] [s], time at the last step; -1 = no step since the reset
    _rhythms: dict[float, Rhythm] = field(default_factory=dict)  # results of `rhythm` at the present times

    @classmethod
    def new(cls, count: int) -> "RoomClocks":
        """Return the clocks of `count` rooms before their first step."""
        return cls(np.zeros(count, np.int64), np.zeros(count), np.full(count, -1.0))

    def begin(self, room: int, seed: int) -> None:
        """Set the clock of a room to 0."""
        self._rhythms.clear()
        self.seed[room], self.time[room], self.before[room] = seed & SEED_BITS, 0.0, -1.0

    def advance(self, dt: float) -> None:
        """Advance all clocks after a step of `dt` [s]."""
        self._rhythms.clear()
        self.before[:] = self.time
        self.time += dt

    def rhythm(self, rate: float) -> Rhythm:
        """Return whether the actors of each room decide in this step, and the number of their decisions before it.

        The actors make `rate` decisions per second.
        """
        if rate not in self._rhythms:
            number = np.where(self.before < 0, 0, turns_at(self.before, rate))
            self._rhythms[rate] = turns_at(self.time, rate) > number, number
        return self._rhythms[rate]


def turns_at(time: NDArray[np.float64] | float, rate: float) -> NDArray[np.int64]:
    """Return the number of decisions until `time` [s], with `rate` decisions per second."""
    return np.floor(np.asarray(time) * rate + EARLY).astype(np.int64) + 1


def rooms_of_ids(ids: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the room of each actor. The number of the room is in the upper bits of the id."""
    return np.minimum(ids >> ROOM_BIT, count - 1)
