"""Spawner: the component that creates the initial values of actors that join a crowd."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Kept


class Draw(Protocol):
    """A function that draws the random properties of new actors, as the scene file describes the crowd."""

    def __call__(
        self, have: int, count: int, rng: np.random.Generator, positions: NDArray[np.float64] | None
    ) -> dict[str, NDArray[np.generic]]:
        """Return a dictionary from column path to the initial values [count, ...] of new actors.

        The result contains only columns in which actors can have different values.

        `have` is the number of existing actors. `positions` [count, 2] are plan points in metres. If `positions` is
        None, the layout of the crowd sets the positions. Raises ValueError if the layout has no free positions.
        """


@dataclass
class Spawner:
    """The initial values of actors that join the crowd.

    The function `draw` returns the values that are random. All other values come from `begin`, with which the crowd
    started.

    Written by: the scene loader. Read by: the system `population`, which draws random numbers from `rng`.
    """

    draw: Draw
    begin: dict[str, NDArray[np.generic]]  # [1, ...], initial values of columns without random values, by column path
    facing: float  # [rad] about +Y from +Z, forward direction of the unrotated rig
    unit: float  # factor from rig units to metres for an actor with the rig's size
    lift: float  # [m], height of `Transforms.translation` above the ground
    rng: np.random.Generator  # random generator for all new actors

    @property
    def drawn(self) -> Kept[dict[str, Any]]:
        """The state of the random generator `rng`, in numpy's format."""
        return dict(self.rng.bit_generator.state)

    @drawn.setter
    def drawn(self, state: dict[str, Any]) -> None:
        self.rng.bit_generator.state = state
