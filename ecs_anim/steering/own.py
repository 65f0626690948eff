"""Base class and parameters of steering models, and the input of models that are written in Python."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
PARAMETER_COUNT = 6  # largest number of parameters of a model
ARRIVAL = 1.0  # [s] in which actors stop at their last goal, for models without a parameter `time_gap`


class Around(NamedTuple):
    """The perception and the goals of a model's n agents at the start of a decision, on the plan: x east, y north [m].

    Columns for each agent:

    - `ids` [n], `position` [n, 2], `velocity` [n, 2] [m/s], `heading_vector` [n, 2] (a unit vector), `radius` [n],
    - `way` [n, 2], the desired direction (a unit vector), and `speed` [n], the desired speed [m/s], 0 to stop,
    - `parameters`: the values [n] of each parameter, by name,
    - `wall` [n, 2], from the agent to the nearest point of a wall, inf without walls.

    Columns for all neighbours within 3 m without a wall in between, in the agents' order:

    - `agent` [m], row of the agent, `offset` [m, 2], from that agent to the neighbour,
    - `their_velocity` [m, 2], `their_heading_vector` [m, 2], and `touching` [m], the sum of both radii.

    A decision is valid for `seconds` [s]. Random choices must depend only on `seed`, `turn` and `ids`.
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
    """A parameter of a steering model: its default, its unit and its meaning."""

    unit: str  # "m", "s" or "" (no unit)
    meaning: str

    def __new__(cls, default: float, unit: str = "", meaning: str = "") -> Self:
        own = super().__new__(cls, default)
        own.unit, own.meaning = unit, meaning
        return own


class Model:
    """A steering model. Derive a class from it, and name the class in a scene.

    Steering keeps all agents away from walls and from other agents: it limits velocities that lead to collisions, and
    separates agents that overlap. Each world creates one instance of the class without arguments.
    """

    # Default of each parameter, by name: `Parameter` or a plain number, at most `PARAMETER_COUNT` in total. Scenes can
    # set other values. `time_gap` also has a meaning outside of the model: actors stop at their last goal within
    # `time_gap` [s]. Without this parameter, they stop within 1 s.
    parameters: ClassVar[Mapping[str, float]] = {}
    # The module with the compiled kernel `steer`. The kernel replaces `choose`.
    kernel: ClassVar[str] = ""

    def choose(self, around: Around) -> NDArray[np.floating] | tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the chosen velocities [n, 2] [m/s], or a pair: velocities and heading vectors [n, 2].

        Without heading vectors, agents face their direction of movement.
        """
        raise NotImplementedError

    @classmethod
    @cache
    def record(cls) -> np.dtype[Any]:
        """Return the record type of an agent's parameters: named 32-bit floats, padded to `PARAMETER_COUNT` floats."""
        count = len(cls.parameters)
        layout = {"names": [*cls.parameters], "formats": [np.float32] * count, "offsets": [4 * n for n in range(count)]}
        return np.dtype((np.record, np.dtype({**layout, "itemsize": 4 * PARAMETER_COUNT})))  # type: ignore[call-overload]

    @classmethod
    def records(cls, memory: Floats) -> NDArray[Any]:
        """Return a view [n] of memory [n, `PARAMETER_COUNT`] as the model's records."""
        return memory.view(cls.record())[:, 0]


def arrival_seconds(parameters: Mapping[str, float]) -> float:
    """Return the time [s] in which actors stop at their last goal: the parameter for the time gap, or a constant.

    The desired speed near the last goal is the distance to the goal divided by this time.
    """
    return parameters.get("time_gap", ARRIVAL)
