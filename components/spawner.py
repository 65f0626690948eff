"""How a crowd's new actors are made."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Kept


class Draw(Protocol):
    """Draws new actors as the crowd's description does."""

    def __call__(
        self, have: int, count: int, rng: np.random.Generator, positions: NDArray[np.float64] | None
    ) -> dict[str, NDArray[np.generic]]:
        """Rows [count, ...] of the columns that differ from actor to actor, by their path; beside `have` actors.

        `positions` [count, 2] are plan points [m]; None = as the layout says. Raises ValueError where it has no more.
        """


@dataclass
class Spawner:
    """Initial values of new actors: drawn, or the initial values of the crowd's actors.

    Written by: the scene loader. Read by: population, which draws from `rng`.
    """

    draw: Draw
    begin: dict[str, NDArray[np.generic]]  # [1, ...] of the other columns, by path
    facing: float  # [rad] about +Y from +Z, where the rig looks before it is turned
    unit: float  # factor from the rig's units to metres, of an actor of the rig's own size
    lift: float  # [m] of `Transforms.translation` over the ground
    rng: np.random.Generator  # of all newcomers

    @property
    def drawn(self) -> Kept[dict[str, Any]]:
        """How far the generator is, as numpy says it."""
        return dict(self.rng.bit_generator.state)

    @drawn.setter
    def drawn(self, state: dict[str, Any]) -> None:
        self.rng.bit_generator.state = state
