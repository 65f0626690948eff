"""The ground of a building: slabs, treads and slopes on which actors stand, and their drawn surfaces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.floor_material import SurfaceMaterial
from ecs_anim.ground.ground import Ground, triangle_mesh
from ecs_anim.ground.surface import Color, Surface
from ecs_anim.storeys.building import Building
from ecs_anim.storeys.parts import Level
from ecs_anim.storeys.railings import railings
from ecs_anim.storeys.surfaces import Quads, flights_of, floor_tops, painted, slab_edges, top_surface

RAILING_COLOR = (0.10, 0.11, 0.12)  # linear RGB


@dataclass(frozen=True)
class FloorLook:
    """The appearance of a level."""

    color: Color  # linear RGB
    material: SurfaceMaterial


def building_ground(
    building: Building, looks: Sequence[FloorLook], colors: Mapping[str, Color], floor: float
) -> Ground:
    """Return the ground of a building.

    `looks` has one entry per level without landings. `colors` contains the colour of each run by its name. `floor` is
    the height of an infinite floor [m].
    """
    surfaces: list[Surface] = []
    solid: list[NDArray[np.float64]] = []
    for number, level in enumerate(building.levels):
        slab = building.slab(number)
        tops, look = floor_tops(slab, level.height), _look(building, number, level, looks, colors)
        solid.append(tops)
        surfaces.append(top_surface(tops, look.color, look.material))
        surfaces.append(painted([slab_edges(slab, level.height, level.thickness)], look.color))
    for run in building.runs:
        parts: list[Quads] = []
        for tops_of, others in flights_of(run.flights):
            solid.append(tops_of.corners[:, [0, 1, 2]])
            solid.append(tops_of.corners[:, [0, 2, 3]])
            parts += [tops_of, others]
        surfaces.append(painted(parts, colors[run.name]))
    if rails := railings(building):
        surfaces.append(painted(rails, RAILING_COLOR))
    return triangle_mesh(np.concatenate(solid), floor=floor, surfaces=tuple(surfaces))


def _look(
    building: Building, number: int, level: Level, looks: Sequence[FloorLook], colors: Mapping[str, Color]
) -> FloorLook:
    """Return the appearance of a level. A landing has the colour of its run."""
    if not level.is_landing:
        return looks[number]
    owner = next(run for run in building.runs if level in run.landings)
    return FloorLook(colors[owner.name], "plain")
