"""Doors: the component that stores which doors in the walls of a scene are open."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.walls.walls import Walls

WallsWith = Callable[[tuple[bool, ...]], Walls]


@dataclass
class Doors:
    """The doors of a scene. The stage's entity has the component `Doors`.

    Written by: the systems `doors` and `timeline`. Read by: the systems `doors` and `routing`.
    """

    names: tuple[str, ...]
    walls_with: WallsWith  # function from door states to walls
    is_open: Annotated[Kept[NDArray[np.bool_]], Lengths()]  # [door_count], true = the door is open

    def as_built(self) -> "Doors":
        """Return the doors with a separate array of states."""
        return replace(self, is_open=self.is_open.copy())

    @property
    def walls(self) -> Walls:
        """The walls of the scene with the current states of its doors."""
        return self.walls_with(tuple(self.is_open.tolist()))

    @property
    def unlocked(self) -> Walls:
        """The walls of the scene if all doors are open."""
        return self.walls_with((True,) * len(self.names))

    @property
    def locked(self) -> Walls:
        """The walls of the scene if all doors are closed."""
        return self.walls_with((False,) * len(self.names))
