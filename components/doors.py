"""Doors: parts of the walls that can open and close."""

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
    """The doors of a scene, on the entity of the stage.

    Written by: doors, timeline. Read by: doors, routing.
    """

    names: tuple[str, ...]
    walls_with: WallsWith  # function that returns the walls for open and closed doors
    is_open: Annotated[Kept[NDArray[np.bool_]], Lengths()]  # [door_count], true = the door is open

    @property
    def walls(self) -> Walls:
        """The walls with the current doors."""
        return self.walls_with(tuple(self.is_open.tolist()))

    @property
    def unlocked(self) -> Walls:
        """The walls with all doors open."""
        return self.walls_with((True,) * len(self.names))

    @property
    def locked(self) -> Walls:
        """The walls with all doors closed."""
        return self.walls_with((False,) * len(self.names))
