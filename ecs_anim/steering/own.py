"""Steering models: what a model declares, and what a model written in Python sees."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
PARAMETER_COUNT = 6  # most parameters of a model
ARRIVAL = 1.0  # [s], in which actors come to rest at their last goal, by a model without a parameter `time_gap`


class Around(NamedTuple):
    """The perception and the goals of a model's n agents at the beginning of a turn, on the plan: x east, y north [m].

    Columns for each agent:

    - `ids` [n], `position` [n, 2], `velocity` [n, 2] [m/s], `heading_vector` [n, 2] (a unit vector), `radius` [n],
    - `way` [n, 2], the desired direction (a unit vector), and `speed` [n], the desired speed [m/s], 0 to stop,
    - `parameters`: the values [n] of each parameter, by name,
    - `wall` [n, 2], from the agent to the nearest point of a wall, inf without walls.

    Columns for all neighbours within 3 m that no wall hides, in the agents' order:

    - `agent` [m], whose neighbour it is, `offset` [m, 2], from that agent to the neighbour,
    - `their_velocity` [m, 2], `their_heading_vector` [m, 2], and `touching` [m], the sum of both radii.

    The turn takes `seconds`. Random choices should depend on `seed`, `turn` and `ids` alone.
    """

    ids: NDArray[np.int32]
    position: Floats
    velocity: Floats
    heading_vector: Floats
    way: Floats
    speed: Floats
    radius: Floats
    parameters: Mapping[str, Floats]
    wall: Floats
    agent: NDArray[np.intp]
    offset: Floats
    their_velocity: Floats
    their_heading_vector: Floats
    touching: Floats
    seconds: float
    seed: int
    turn: int

    def summed(self, values: NDArray[np.floating]) -> Floats:
        """Return the sum [n] or [n, k] of values [m] or [m, k] over each agent's neighbours."""
        columns = values.reshape(len(self.agent), -1).T
        count = len(self.position)
        sums = np.stack([np.bincount(self.agent, column, count) for column in columns], axis=-1)
        return sums.reshape(count, *values.shape[1:]).astype(np.float32)


class Parameter(float):
    """The default of a parameter, with its unit and meaning."""

    unit: str  # "m", "s" or "", a pure number
    meaning: str

    def __new__(cls, default: float, unit: str = "", meaning: str = "") -> Self:
        own = super().__new__(cls, default)
        own.unit, own.meaning = unit, meaning
        return own


class Model:
    """A steering model. Derive from it, and name the class in a scene.

    Steering keeps all agents clear of others and of walls: it cuts velocities that lead there, and separates agents
    that overlap. One instance is made for each world, without arguments.
    """

    # Default of each parameter, by name: `Parameter` or a plain number, `PARAMETER_COUNT` at most. Scenes can set other
    # values. One name has a meaning outside of the model: within `time_gap` [s] actors come to rest at their last goal
    # (default without it: 1 s).
    parameters: ClassVar[Mapping[str, float]] = {}
    # The module with the compiled kernel `steer`, which then takes the place of `choose`.
    kernel: ClassVar[str] = ""

    def choose(self, around: Around) -> NDArray[np.floating] | tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return velocities [n, 2] [m/s] for the turn, or a pair of velocities and heading vectors [n, 2].

        Without heading vectors, agents face where they go.
        """
        raise NotImplementedError

    @classmethod
    @cache
    def record(cls) -> np.dtype[Any]:
        """Return the type of one agent's parameters: 32-bit floats by name, in `PARAMETER_COUNT` numbers of memory."""
        count = len(cls.parameters)
        layout = {"names": [*cls.parameters], "formats": [np.float32] * count, "offsets": [4 * n for n in range(count)]}
        return np.dtype((np.record, np.dtype({**layout, "itemsize": 4 * PARAMETER_COUNT})))  # type: ignore[call-overload]

    @classmethod
    def records(cls, memory: Floats) -> NDArray[Any]:
        """Return a view [n] of memory [n, `PARAMETER_COUNT`] as the model's records."""
        return memory.view(cls.record())[:, 0]


def arrival_seconds(parameters: Mapping[str, float]) -> float:
    """Return the time [s] in which actors with these parameters come to rest: their time gap, if the model has one.

    The wanted speed near the last goal is the distance divided by this time.
    """
    return parameters.get("time_gap", ARRIVAL)
