"""Creation of the new actors of a crowd."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Kept


class Draw(Protocol):
    """A function that draws the random properties of new actors, as the scene describes the crowd."""

    def __call__(
        self, have: int, count: int, rng: np.random.Generator, positions: NDArray[np.float64] | None
    ) -> dict[str, NDArray[np.generic]]:
        """Return a dictionary from column path to rows [count, ...], for the columns that differ from actor to actor.

        `have` is the current number of actors. `positions` [count, 2] are plan points [m]. None = the layout sets the
        positions. Raises ValueError if the layout has no more positions.
        """


@dataclass
class Spawner:
    """Initial values of new actors: random draws, or the initial values of the crowd's actors.

    Written by: the scene loader. Read by: population, which draws from `rng`.
    """

    draw: Draw
    begin: dict[str, NDArray[np.generic]]  # [1, ...], initial values of all other columns, by path
    facing: float  # [rad] about +Y from +Z, front direction of the rig without rotation
    unit: float  # factor from rig units to metres, for an actor of the rig's size
    lift: float  # [m], height of `Transforms.translation` above the ground
    rng: np.random.Generator  # random generator of all new actors

    @property
    def drawn(self) -> Kept[dict[str, Any]]:
        """The state of the random generator `rng`, as numpy returns the state."""
        return dict(self.rng.bit_generator.state)

    @drawn.setter
    def drawn(self, state: dict[str, Any]) -> None:
        self.rng.bit_generator.state = state
