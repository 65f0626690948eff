"""Base class and parameters of steering models, and the input data of steering models in Python."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
PARAMETER_COUNT = 8  # largest number of parameters of a model; kernels copy eight numbers at once
ARRIVAL = 1.0  # [s], time in which actors stop at their last goal, for models without the parameter `time_gap`


class Around(NamedTuple):
    """The input of a model for its n agents at the start of a decision. Coordinates are x east, y north on the plan.

    Columns for each agent:

    - `ids` [n], `position` [n, 2], `velocity` [n, 2] [m/s], `radius` [n], and the unit vector `heading_vector` [n, 2]
    - `way` [n, 2]: the desired direction of the agent, a unit vector
    - `speed` [n]: the desired speed of the agent [m/s], 0 to stop
    - `parameters`: a dictionary from parameter name to the values [n] of the agents
    - `wall` [n, 2]: the vector from the agent to the nearest point of a wall (inf if there are no walls)

    Columns with one row for each pair of an agent and a neighbour, sorted by agent. A neighbour is within 3 m of the
    agent, and no wall is between the two. p is the number of pairs:

    - `agent` [p]: the row of the agent
    - `offset` [p, 2]: the vector from the agent to the neighbour
    - `their_velocity` [p, 2] and `their_heading_vector` [p, 2]: the velocity and the heading of the neighbour
    - `touching` [p]: the sum of the radii of the agent and the neighbour

    The chosen velocities apply for `seconds` [s]. Random choices must depend only on `seed`, `turn` and `ids`.
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
        """Return the sum of `values` over the neighbours of each agent.

        `values` has one row for each pair: [p] or [p, k]. The result has one row for each agent: [n] or [n, k].
        """
        columns = values.reshape(len(self.agent), -1).T
        count = len(self.position)
        sums = np.stack([np.bincount(self.agent, column, count) for column in columns], axis=-1)
        return sums.reshape(count, *values.shape[1:]).astype(np.float32)


class Parameter(float):
    """A parameter of a steering model: its default, its unit and its meaning."""

    unit: str  # an SI unit, or "" (no unit)
    meaning: str

    def __new__(cls, default: float, unit: str = "", meaning: str = "") -> Self:
        own = super().__new__(cls, default)
        own.unit, own.meaning = unit, meaning
        return own


class Model:
    """A steering model. Derive a class from `Model`, and name your class in a scene.

    Steering keeps all agents away from walls and from other agents. If a velocity of your model would lead to a
    collision, steering limits this velocity. Steering also separates agents that overlap. Each world creates one
    instance of the class, without arguments.
    """

    # Default of each parameter, by name. A default is a `Parameter` or a plain number. A model has at most
    # `PARAMETER_COUNT` parameters. Scenes can set other values. Steering also uses `time_gap`: actors stop at their
    # last goal within `time_gap` [s]. Without this parameter, actors stop within 1 s.
    parameters: ClassVar[Mapping[str, float]] = {}
    # The module that contains the compiled kernel `steer`. If it is set, the kernel replaces `choose`.
    kernel: ClassVar[str] = ""

    def choose(self, around: Around) -> NDArray[np.floating] | tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the chosen velocities [n, 2] [m/s], or a pair of velocities and heading vectors [n, 2].

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
        """Return a view of `memory` [n, `PARAMETER_COUNT`] in which each row is one record [n] of the model's
        parameters.
        """
        return memory.view(cls.record())[:, 0]


def arrival_seconds(parameters: Mapping[str, float]) -> float:
    """Return the time constant [s] with which actors stop at their last goal: the parameter `time_gap`, or a constant.

    Near the last goal, the desired speed is the distance to the goal divided by this time constant.
    """
    return parameters.get("time_gap", ARRIVAL)
