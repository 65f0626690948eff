"""The walls of a scene, and the polygons that bound the walkable area."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.surface import Surface
from ecs_anim.walls.arrays import WallArrays

Points = NDArray[np.float32]


class PlanPolygon(NamedTuple):
    """A polygon on the plan. A ring of the polygon does not repeat its first corner."""

    exterior: Points  # [corner_count, 2] f32, [m]; corners are counter-clockwise seen from above
    holes: tuple[Points, ...]  # each [corner_count, 2] f32, [m]; corners are clockwise


@dataclass(frozen=True, eq=False)
class Walls:
    """The walls that bound the walkable area, and their drawn surfaces.

    The object never changes, so several worlds can share it. Points are on the plan: x east, y north [m]. Actors cannot
    stand on top of walls, because rays that search for the ground do not hit walls.
    """

    walkable: tuple[PlanPolygon, ...] | None  # the walkable area; None = all points outside the solids
    solids: tuple[PlanPolygon, ...]  # the drawn solids, and the footprints of props that are obstacles
    height: float  # [m], above the ground
    arrays: WallArrays  # read-only, for kernels: ecs_anim.kernels.walls
    surfaces: tuple[Surface, ...]  # the drawn surfaces
    has_levels: bool = False  # true = points are on the unfolded plan of a building
    of_props: NDArray[np.bool_] | None = None  # [segment], true = side of a prop; None = no prop is an obstacle

    def __post_init__(self) -> None:
        for array in self.arrays:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def __repr__(self) -> str:
        return f"Walls({len(self.arrays.segments)} segments, {len(self.solids)} solids, {self.height:g} m high)"
