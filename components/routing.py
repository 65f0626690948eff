"""Routing: the grid and the arrival time fields that all routes of a world share."""

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
    """A grid over the world, and fields of arrival times, one for each radius of actors.

    Written by: routing, congestion. Read by: routing, user code that sets goals. Fields follow from the scene, the open
    doors, the goals of crowds, and the congestion. Only the congestion is saved.
    """

    scene: str  # its name, for messages
    key: str  # of the scene, where the size of cells is said
    grid: Grid
    speed_factor: NDArray[np.float32]  # [cell] f32, factor of speeds
    unlocked: WallArrays  # with all doors open
    locked: WallArrays  # with all doors closed
    congestion_interval: float = 0.0  # [s] between measurements of congestion; 0 = routes ignore congestion
    # [cell] f32, ratio of actual to desired speed near the cell, 0 to 1; each measurement counts half, the earlier ones
    # the other half; empty if congestion is not measured
    ease: Annotated[Kept[NDArray[np.float32]], SHARE, Lengths()] = field(
        default_factory=lambda: np.zeros(0, np.float32)
    )
    # due times of measurements so far; the first is the start, without a measurement
    looks: Annotated[Kept[int], TALLY] = 0
    rounds: Annotated[Kept[int], TALLY] = (
        0  # due times handled so far: fewer if steps are longer than `congestion_interval`
    )
    lattices: dict[tuple[float, bool], Lattice] = field(default_factory=dict)  # by radius [m], and whether unlocked
    is_told: bool = False  # that actors have no way to any of their goals
