"""Routing: the grid and the travel time fields of all routes of a world."""

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
    """A grid over the world, and lattices with fields of travel times, one lattice for each radius of actors.

    The fields can be computed from the scene, the open doors, the goals of crowds, and the congestion. Snapshots do not
    save the fields. Snapshots save the congestion.
    Written by: routing, congestion. Read by: routing, user code that sets goals.
    """

    scene: str  # name of the scene, for messages
    key: str  # key of the scene that sets the size of cells, for messages
    grid: Grid
    speed_factor: NDArray[np.float32]  # [cell] f32, factor of speeds
    unlocked: WallArrays  # walls with all doors open
    locked: WallArrays  # walls with all doors closed
    congestion_interval: float = 0.0  # [s], time between measurements of congestion; 0 = routes ignore congestion
    # [cell] f32, ratio of actual to desired speed near the cell, 0 to 1; empty if congestion is not measured. A new
    # value is the mean of the old value and the measurement.
    ease: Annotated[Kept[NDArray[np.float32]], SHARE, Lengths()] = field(
        default_factory=lambda: np.zeros(0, np.float32)
    )
    # number of due times of measurements so far; the first is the start, without a measurement
    looks: Annotated[Kept[int], TALLY] = 0
    rounds: Annotated[Kept[int], TALLY] = (
        0  # number of handled due times so far; fewer than `looks` if steps are longer than `congestion_interval`
    )
    lattices: dict[tuple[float, bool], Lattice] = field(default_factory=dict)  # by radius [m], and if unlocked
    is_told: bool = False  # true = the warning of actors without a way was shown
