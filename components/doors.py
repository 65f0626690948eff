"""Doors: parts of the walls that come and go."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.walls.walls import Walls

WallsWith = Callable[[tuple[bool, ...]], Walls]


@dataclass
class Doors:
    """The doors of a scene; the stage's entity has them.

    Written by: doors, timeline. Read by: doors, routing.
    """

    names: tuple[str, ...]
    walls_with: WallsWith  # the walls by what doors are open
    is_open: Annotated[Kept[NDArray[np.bool_]], Lengths()]  # [door_count]

    @property
    def walls(self) -> Walls:
        """As doors now are."""
        return self.walls_with(tuple(self.is_open.tolist()))

    @property
    def unlocked(self) -> Walls:
        """With all doors open."""
        return self.walls_with((True,) * len(self.names))

    @property
    def locked(self) -> Walls:
        """With all doors closed."""
        return self.walls_with((False,) * len(self.names))
