"""Routing: what all routes of a world are made over."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import SHARE, TALLY
from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.routing.grid import Grid
from ecs_anim.routing.lattice import Lattice
from ecs_anim.walls.arrays import WallArrays


@dataclass
class Routing:
    """A grid over the world, and fields of arrival times by the radius of those who go.

    Written by: routing, jams. Read by: routing, whoever gives actors goals. Fields follow from the scene, from what
    doors are open, from the goals of crowds, and from where people hardly got on, which alone is saved.
    """

    scene: str  # its name, for messages
    key: str  # of the scene, where the size of cells is said
    grid: Grid
    pace: NDArray[np.float32]  # [cell] f32, factor of speeds
    unlocked: WallArrays  # with all doors open
    locked: WallArrays  # with all doors closed
    jams: float = 0.0  # [s] from one look at where people hardly get on to the next; 0 = ways do not heed it
    # [cell] f32, share of the speed they want that people there got at the last looks; none where nobody looks
    ease: Annotated[Kept[NDArray[np.float32]], SHARE, Lengths()] = field(
        default_factory=lambda: np.zeros(0, np.float32)
    )
    looks: Annotated[Kept[int], TALLY] = 0  # that were due so far
    rounds: Annotated[Kept[int], TALLY] = 0  # looks that were taken: fewer where steps are longer than `jams`
    lattices: dict[tuple[float, bool], Lattice] = field(default_factory=dict)  # by radius [m], and whether unlocked
    is_told: bool = False  # that actors have no way to any of their goals
