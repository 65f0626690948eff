"""The ground of a building: slabs, treads and slopes on which actors stand, and their drawn surfaces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.floor_material import SurfaceMaterial
from ecs_anim.ground.ground import Ground, triangle_mesh
from ecs_anim.ground.surface import Color, Surface
from ecs_anim.storeys.building import Building
from ecs_anim.storeys.escalators import escalator_body
from ecs_anim.storeys.lift_surfaces import lift_frames
from ecs_anim.storeys.parts import Level
from ecs_anim.storeys.railings import railings
from ecs_anim.storeys.surfaces import flight_sides, flight_tops, floor_tops, painted, slab_edges, top_surface

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

    `looks` has one entry for each level that is not a landing. `colors` contains the colour of each stairs or ramp by
    its name. `floor` is the height of an infinite floor [m].
    """
    surfaces: list[Surface] = []
    solid: list[NDArray[np.float64]] = []
    for number, level in enumerate(building.levels):
        slab = building.slab(number)
        tops, look = floor_tops(slab, level.height), _look(building, number, level, looks, colors)
        solid.append(tops)
        edges = slab_edges(slab, level.height, level.thickness)
        drawn = top_surface(tops, look.color, look.material), painted([edges], look.color)
        surfaces += [replace(own, storey=building.storey(level.height)) for own in drawn]
    for run in building.runs:
        for flight in run.flights:
            tops_of, others = flight_tops(flight), flight_sides(flight)
            solid += [tops_of.corners[:, [0, 1, 2]], tops_of.corners[:, [0, 2, 3]]]
            storey = building.storey(flight.base)
            if flight.kind == "escalator":
                surfaces += escalator_body(flight, colors[run.name], storey)
            else:
                surfaces.append(replace(painted([tops_of, others], colors[run.name]), storey=storey))
    surfaces += lift_frames(building)
    for storey, rails in railings(building).items():
        surfaces.append(replace(painted(rails, RAILING_COLOR), storey=storey))
    return triangle_mesh(np.concatenate(solid), floor=floor, surfaces=tuple(surfaces))


def _look(
    building: Building, number: int, level: Level, looks: Sequence[FloorLook], colors: Mapping[str, Color]
) -> FloorLook:
    """Return the appearance of a level. A landing has the colour of its run."""
    if not level.is_landing:
        return looks[number]
    owner = next(run for run in building.runs if level in run.landings)
    return FloorLook(colors[owner.name], "plain")
