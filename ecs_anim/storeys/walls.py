"""The walls of a building: wall segments on the unfolded plan for kernels, and drawn prisms on each level."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.ground.surface import Color, Surface
from ecs_anim.storeys.building import Building
from ecs_anim.storeys.railings import wall_solids
from ecs_anim.storeys.surfaces import polygons_of
from ecs_anim.storeys.unfolded import Unfolded
from ecs_anim.walls.build import WallStyle, standing_walls
from ecs_anim.walls.grid import wall_arrays
from ecs_anim.walls.prisms import prism_surface
from ecs_anim.walls.shapes import Shapes
from ecs_anim.walls.walls import Walls

# Number of grid cells for each wall segment. The number is large, because the walls of flights are close together and
# large parts of the unfolded plan have no walls.
CELLS_A_SEGMENT = 32
_UNDRAWN = WallStyle(drawn=False)


@dataclass(frozen=True)
class LevelWalls:
    """The appearance of the walls of a level."""

    height: float  # [m]
    thickness: float  # [m]
    color: Color  # linear RGB
    has_outer: bool = True  # whether walls around the floor are drawn


@dataclass(frozen=True)
class BuildingDoor:
    """A door of a level."""

    level: int
    solid: BaseGeometry  # the closed door, on the plan of the building


def building_walls(
    unfolded: Unfolded,
    looks: Sequence[LevelWalls],
    doors: Sequence[BuildingDoor] = (),
    closed: Collection[int] = (),
) -> Walls:
    """Return the walls of a building. `closed` contains the numbers of the closed doors."""
    from ecs_anim.ground.ground import flat

    shut = [doors[number] for number in closed]
    blocks = [part for door in shut for part in unfolded.copies(door.level, door.solid)]
    area = unfolded.plan.difference(shapely.union_all(blocks)) if blocks else unfolded.plan
    polygons = tuple(polygons_of(area))
    if not polygons:
        raise ValueError("the walls cover the whole area of the levels. Draw smaller walls.")
    walls = standing_walls(Shapes(polygons, ()), _UNDRAWN, "walkable", flat())
    arrays = wall_arrays(walls.arrays.segments, is_open=False, cells_per_segment=CELLS_A_SEGMENT)
    surfaces = [own for number, look in enumerate(looks) for own in _drawn(unfolded, number, look, doors)]
    surfaces += [_door(unfolded, door, looks[door.level]) for door in shut]
    return Walls(walls.walkable, walls.solids, max(look.height for look in looks), arrays, tuple(surfaces), True)


def _drawn(unfolded: Unfolded, number: int, look: LevelWalls, doors: Sequence[BuildingDoor]) -> list[Surface]:
    """Return the prisms of the walls of a level, or no prisms if the level has no walls."""
    building = unfolded.building
    gaps = shapely.union_all([door.solid for door in doors if door.level == number])
    solids = wall_solids(building, number, look.thickness if look.has_outer else 0.0, gaps)
    found = _prisms(polygons_of(solids), look, building, number, "wall")
    columns = building.levels[number].columns
    if columns is None:
        return found
    tall = replace(look, height=building.clear_height(number) or look.height)
    return found + _prisms(polygons_of(columns), tall, building, number, "wall")


def _door(unfolded: Unfolded, door: BuildingDoor, look: LevelWalls) -> Surface:
    return _prisms(polygons_of(door.solid), look, unfolded.building, door.level, "door")[0]


def _prisms(polygons: list[Polygon], look: LevelWalls, building: Building, number: int, kind: str) -> list[Surface]:
    if not polygons:
        return []
    height = building.levels[number].height

    def ground_height(places: NDArray[np.floating]) -> NDArray[np.floating]:
        return np.full(len(places), height)

    prisms = prism_surface(polygons, look.height, ground_height, look.color, kind)  # type: ignore[arg-type]
    return [replace(prisms, storey=building.storey(height))]
