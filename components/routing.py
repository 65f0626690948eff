"""Routing: the component that stores the fields of arrival times, from which actors read their routes."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.connections import ConnectedWith
from ecs_anim.ecs.bounds import SHARE, TALLY
from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.routing.grid import Grid
from ecs_anim.routing.lattice import CellLinks, Lattice
from ecs_anim.walls.arrays import WallArrays


@dataclass
class Routing:
    """The grid of a world, and one lattice with arrival time fields for each actor radius.

    The arrival time fields depend only on the scene, the open doors, the goals of the crowds, and the congestion.
    Therefore, a snapshot of the world contains the congestion, but no arrival time fields.

    Written by: the systems `routing` and `congestion`. Read by: the system `routing` and user code that sets goals.
    """

    scene: str  # name of the scene, used in messages
    key: str  # scene key that sets the cell size, used in messages
    grid: Grid
    speed_factor: NDArray[np.float32]  # [cell] f32, factor of walking speeds
    unlocked: WallArrays  # walls if all doors are open
    locked: WallArrays  # walls if all doors are closed
    congestion_interval: float = 0.0  # [s], time between measurements of congestion; 0 = routes ignore congestion
    # [cell] f32, ratio of actual to desired walking speed near the cell, 0 to 1. Each measurement replaces the ratio by
    # the mean of the ratio and the measurement. Empty = congestion is not measured.
    ease: Annotated[Kept[NDArray[np.float32]], SHARE, Lengths()] = field(
        default_factory=lambda: np.zeros(0, np.float32)
    )
    # number of due measurements so far; the first one is at the start and measures nothing
    looks: Annotated[Kept[int], TALLY] = 0
    rounds: Annotated[Kept[int], TALLY] = (
        0  # number of finished measurements; less than `looks` if a step is longer than `congestion_interval`
    )
    # [cell], cells on stairs; None = no stairs
    stairs: NDArray[np.bool_] | None = None
    # by radius [m], whether routes avoid stairs, and whether all doors count as open
    lattices: dict[tuple[float, bool, bool], Lattice] = field(default_factory=dict)
    # [cell], cells on moving steps, on which walls cost no time; None = no moving steps
    on_belts: NDArray[np.bool_] | None = None
    # [cell], space of each cell on the unfolded plan; -1 = between spaces, None = no storeys
    spaces: NDArray[np.int16] | None = None
    links: CellLinks | None = None  # links between the storeys of a building; None = no storeys
    connected: ConnectedWith | None = None  # data for other uses of the connections; None = no storeys
    is_told: bool = False  # true = the warning about actors without a route was printed
