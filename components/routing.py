"""Routing: what all routes of a world are made over."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecs_anim.routing.grid import Grid
from ecs_anim.routing.lattice import Lattice
from ecs_anim.walls.arrays import WallArrays


@dataclass
class Routing:
    """A grid over the world, and fields of arrival times by the radius of those who go.

    Written by: routing. Read by: routing, whoever gives actors goals. All of it follows from the scene, from what
    doors are open, and from the goals of crowds; so nothing is saved.
    """

    key: str  # of the scene, where the size of cells is said
    grid: Grid
    pace: NDArray[np.float32]  # [cell] f32, factor of speeds
    unlocked: WallArrays  # with all doors open
    locked: WallArrays  # with all doors closed
    lattices: dict[tuple[float, bool], Lattice] = field(default_factory=dict)  # by radius [m], and whether unlocked
