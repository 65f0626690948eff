"""Models of one's own: a class says what its agents do, from arrays of what they see."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Around(NamedTuple):
    """What n agents see and want as a turn begins; x to the east, y to the north [m].

    Of each: `ids` [n], `position` [n, 2], `velocity` [n, 2] [m/s], `heading` [n, 2], where they face, and `way` [n, 2],
    where they would go if they were alone, both unit vectors, `speed` [n], that they want [m/s], 0 where they are to
    stand, `radius` [n], `parameters`, of each name [n], `wall` [n, 2], from them to the nearest point of a wall, inf
    where there are none.

    Of all whom they see within 3 m and no wall hides, in the agents' order: `agent` [m], whose neighbour it is,
    `offset` [m, 2], from that one to them, `their_velocity` [m, 2], `their_heading` [m, 2], and `touching` [m], the sum
    of both radii.

    The turn takes `seconds`; what is drawn by chance should hang on `seed`, `turn` and `ids` alone.
    """

    ids: NDArray[np.int32]
    position: Floats
    velocity: Floats
    heading: Floats
    way: Floats
    speed: Floats
    radius: Floats
    parameters: Mapping[str, Floats]
    wall: Floats
    agent: NDArray[np.intp]
    offset: Floats
    their_velocity: Floats
    their_heading: Floats
    touching: Floats
    seconds: float
    seed: int
    turn: int

    def summed(self, values: NDArray[np.floating]) -> Floats:
        """The sum over each agent's neighbours of values [m] or [m, k]: [n] or [n, k]."""
        columns = values.reshape(len(self.agent), -1).T
        count = len(self.position)
        sums = np.stack([np.bincount(self.agent, column, count) for column in columns], axis=-1)
        return sums.reshape(count, *values.shape[1:]).astype(np.float32)


class Model:
    """A model of steering: derive from it, and name the class in a scene.

    Whatever it chooses, nobody goes into others or walls: velocities that lead there are cut, and who stands in
    somebody parts from them. An instance is made for each world, without arguments.
    """

    # Names and defaults, six at most; scenes can say other values. One name means something outside of the model:
    # `time_gap` [s], in which actors come to rest at their last goal (default without it: 1 s).
    parameters: ClassVar[Mapping[str, float]] = {}

    def choose(self, around: Around) -> NDArray[np.floating] | tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Velocities [n, 2] [m/s] for the turn; or these and where agents face [n, 2]: else they face where they go."""
        raise NotImplementedError
