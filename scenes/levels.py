"""Construction of the storeys of a scene: the building, and the ground on which its actors stand."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.connections import Connected, ConnectedWith, Connections, new_connections
from ecs_anim.components.doors import Doors
from ecs_anim.components.lifts import Lifts, new_lifts
from ecs_anim.ground.ground import Ground
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.routing.areas import SpeedArea
from ecs_anim.routing.grid import Grid, speed_factors
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_ground import FlatGround
from ecs_anim.scenes.schema_levels import EscalatorModel, LevelModel, RampModel, RiseModel, StairsModel
from ecs_anim.scenes.schema_routing import DoorModel
from ecs_anim.storeys.connections import Use
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_text
from ecs_anim.support.names import repeated
from ecs_anim.support.reuse import reusable
from ecs_anim.walls.walls import Walls

if TYPE_CHECKING:  # these modules import shapely, which only scenes with walls or levels need
    from ecs_anim.scenes.moves import BuildingMoves
    from ecs_anim.storeys.building import Building
    from ecs_anim.storeys.lifts import Lift
    from ecs_anim.storeys.parts import FlightKind, Level
    from ecs_anim.storeys.runs import Run
    from ecs_anim.storeys.unfolded import Unfolded
    from ecs_anim.storeys.walls import BuildingDoor
    from ecs_anim.walls.shapes import Named

PLAN = Kind("plan", "plan_bytes", ("plan",))
OUTSIDE = 0.15  # [m], depth of the ground outside a building below its lowest level
APART = 0.02  # [m], least distance of the ground outside from a level, because two faces in one plane flicker
MOST_KEPT = 8  # number of cached wall sets; each combination of open doors has one set
MOST_STEPS = 20_000  # largest number of risers of a scene
STEP = 0.4  # [m], length of a step of an escalator (EN 115-1: at least 0.38 m)
RAILS: Mapping[bool | str, tuple[int, ...]] = {True: (-1, 1), False: (), "left": (1,), "right": (-1,)}  # sides by key


@reusable
def build_building(scene: SceneFile) -> "Building | None":
    """Return the building of a scene, or None without levels. Raises InputError with the scene key."""
    model = scene.model
    if not model.levels:
        for where, _ in _rises(model):
            raise scene.key(where).fault(
                "stairs, ramps and escalators connect levels, but the scene has no levels. Add [[levels]]."
            )
        return None
    from ecs_anim.storeys.building import Building

    _require_fitting(scene)
    levels = [_level(scene, number, own) for number, own in enumerate(model.levels)]
    runs = list["Run"]()
    landings = list["Level"]()
    for where, said in _rises(model):
        runs.append(_run(scene.key(where), said, where, levels, len(levels) + len(landings)))
        landings += runs[-1].landings
    lifts = tuple(_lift(scene, number, levels) for number in range(len(model.lifts)))
    building = Building((*levels, *landings), tuple(runs), len(levels), lifts)
    _require_sound(scene, building)
    return building


@reusable
def with_props(scene: SceneFile, building: "Building", obstacles: "Mapping[int, Sequence[Named]]") -> "Building":
    """Return a building with the footprints of props as obstacles, by number of the level.

    Raises InputError if a prop blocks a connection, such as stairs.
    """
    from ecs_anim.walls.shapes import checked_shapes

    if not obstacles:
        return building
    with SceneKey(scene.label, "props").blamed():
        building = building.with_props({number: checked_shapes(own).polygons for number, own in obstacles.items()})
    _require_sound(scene, building)
    return building


def _require_sound(scene: SceneFile, building: "Building") -> None:
    """Raise an InputError with the scene key if a building is impossible, for example if stairs overlap."""
    from ecs_anim.storeys.building import require_sound

    keys = [where for where, _ in _rises(scene.model)]

    def blame(kind: str, number: int, text: str) -> InputError:
        return scene.key(keys[number] if kind == "runs" else f"{kind}[{number}]").fault(f"{text}.")

    require_sound(building, blame)


def _rises(model: SceneModel) -> Iterable[tuple[str, RiseModel]]:
    """Yield the scene key and the table of each connection."""
    tables: tuple[tuple[str, Sequence[RiseModel]], ...] = (
        ("stairs", model.stairs),
        ("ramps", model.ramps),
        ("escalators", model.escalators),
    )
    for name, said in tables:
        for number, own in enumerate(said):
            yield f"{name}[{number}]", own


def _require_fitting(scene: SceneFile) -> None:
    """Raise InputError if two levels, connections or doors have the same name, and for tables that a scene with levels
    cannot have.
    """
    model = scene.model
    if twice := repeated([level.name for level in model.levels]):
        raise scene.key("levels").fault(f"two levels have the name {twice!r}. Rename one level.")
    lifts = [own.name or f"lifts[{number}]" for number, own in enumerate(model.lifts)]
    if twice := repeated([*(own.name or key for key, own in _rises(model)), *lifts]):
        raise scene.key("stairs").fault(
            f"two connections (stairs, ramps, escalators or lifts) have the name {twice!r}. Rename one of the two."
        )
    doors = [door.name for level in model.levels for door in level.doors]
    if twice := repeated(doors):
        raise scene.key("levels").fault(f"two doors have the name {twice!r}. Rename one door.")
    if model.walls is not None:
        text = "a scene with levels has its walls on the levels. Move the walls to the key walls of a level"
        raise scene.key("walls").fault(f"{text}.")
    if not isinstance(model.ground, FlatGround | None):
        text = "the ground of a scene with levels must be flat, because the levels are the ground. Leave out kind"
        raise scene.key("ground").fault(f"{text}.")


def _level(scene: SceneFile, number: int, said: LevelModel) -> "Level":
    """Return the level with the number `number`. Raises InputError if its area is invalid."""
    from ecs_anim.storeys.parts import Level
    from ecs_anim.storeys.reading import columns_at, read_floor, read_floor_file, read_walls

    key = scene.key(f"levels[{number}]")
    with (key / ".walls").blamed():
        obstacles = read_walls(said.walls, said.wall_thickness)
    if said.area is not None:
        with (key / ".area").blamed():
            area = read_floor(said.area)
    else:
        assert said.file is not None  # the schema requires area or file
        with (key / f".file: {said.file}").blamed((InputError, ValueError)):
            text = read_text(scene.folder / said.file, PLAN)
            plan_level = None if said.plan_level is None else f"{said.plan_level}"
            area, more = read_floor_file(text, plan_level, said.wall_thickness)
        obstacles = more if obstacles is None else obstacles if more is None else obstacles.union(more)
    columns = columns_at(said.columns, said.column_size) if said.columns else None
    return Level(said.name, said.height, area, said.slab_thickness, obstacles, columns=columns)


def _run(key: SceneKey, said: RiseModel, name: str, levels: "list[Level]", first: int) -> "Run":
    """Return the flights of a connection. Raises InputError for unknown levels and for impossible stairs."""
    from ecs_anim.storeys.runs import Rise, run_between

    numbers = {level.name: number for number, level in enumerate(levels)}
    (key / ".foot.level").require_among(said.foot.level, numbers, "the scene has no level", "the levels are")
    (key / ".to").require_among(said.to, numbers, "the scene has no level", "the levels are")
    low, high = numbers[said.foot.level], numbers[said.to]
    kind = _kind(said)
    own, at = said.name or name, said.foot.at
    rise = Rise(own, kind, at, said.heading_degrees, said.width, direction=said.direction, rails=RAILS[said.railings])
    rise = replace(rise, speed_factors=said.speed_factors)
    height = levels[high].height - levels[low].height
    if height <= 0:
        raise (key / ".to").fault(
            f"{own!r} must lead from {said.foot.level!r} up to a higher level, but {said.to!r} is not higher."
            " Exchange the two levels."
        )
    if isinstance(said, StairsModel | EscalatorModel) and height / said.riser > MOST_STEPS:
        raise (key / ".riser").fault(
            f"the connection must have at most {MOST_STEPS} risers. Raise `riser`, the height of a step."
        )
    if isinstance(said, StairsModel):
        depth = said.landing_length or 0.0
        rise = replace(rise, riser=said.riser, going=said.going, landings=said.landings, turn=said.turn)
        rise = replace(rise, gap=said.gap, landing_length=depth, time_gap_factor=said.time_gap_factor)
    elif isinstance(said, RampModel):
        rise = replace(rise, riser=0.0, length=said.length)
    elif isinstance(said, EscalatorModel):
        rise = replace(rise, riser=said.riser, going=STEP, walking_share=said.walking_share)
        rise = replace(rise, belt_speed=said.speed_m_s)
    with key.blamed():
        return run_between(rise, low, high, levels[low].height, levels[high].height, first)


def _kind(said: RiseModel) -> "FlightKind":
    if isinstance(said, EscalatorModel):
        return "escalator"
    return "stairs" if isinstance(said, StairsModel) else "ramp"


def _lift(scene: SceneFile, number: int, levels: "list[Level]") -> "Lift":
    """Return a lift. Raises InputError for unknown or equal stops, and for fewer than two stops."""
    from ecs_anim.storeys.lifts import Lift
    from ecs_anim.storeys.runs import clean

    said, key = scene.model.lifts[number], scene.key(f"lifts[{number}]")
    numbers = {level.name: own for own, level in enumerate(levels)}
    for name in said.stops:
        (key / ".stops").require_among(name, numbers, "the scene has no level", "the levels are")
    own_name = said.name or f"lifts[{number}]"
    if len(said.stops) < 2:
        text = f"the lift {own_name!r} needs at least two stops (got {said.stops}). Add the names of levels."
        raise (key / ".stops").fault(text)
    stops = sorted((numbers[name] for name in said.stops), key=lambda own: levels[own].height)
    heights = tuple(levels[own].height for own in stops)
    if len(set(heights)) < len(heights):
        raise (key / ".stops").fault("all stops of a lift must have different heights. Leave out a stop.")
    heading = math.radians(said.heading_degrees)
    outward = clean(float(cos(heading))), clean(float(sin(heading)))
    width, depth = said.size
    return Lift(
        own_name,
        tuple(stops),
        heights,
        said.at,
        outward,
        width,
        depth,
        said.door_width,
        said.capacity,
        said.speed_m_s,
        said.dwell_seconds,
    )


def build_lifts(connections: Connections | None) -> Lifts | None:
    """Return the component with the cars of all lifts, or None without lifts."""
    found = [(number, own.car) for number, own in enumerate(connections.parts if connections else ()) if own.car]
    return new_lifts(tuple(number for number, _ in found), tuple(car for _, car in found)) if found else None


@reusable
def levels_ground(scene: SceneFile, building: "Building") -> Ground:
    """Return the ground of a scene with levels."""
    from ecs_anim.storeys.ground import FloorLook, building_ground

    model = scene.model
    looks = [FloorLook(hex_to_linear(level.color), level.material) for level in model.levels]
    colors = {own.name or key: hex_to_linear(own.color) for key, own in _rises(model)}
    return building_ground(building, looks, colors, _outside(model))


def moving_surfaces(
    scene: SceneFile, building: "Building", connections: Connections | None, lifts: Lifts | None
) -> "BuildingMoves | None":
    """Return the moving steps and cars of a building. Without escalators and lifts, the result is None."""
    from ecs_anim.scenes.moves import BuildingMoves

    colors = {own.name or key: hex_to_linear(own.color) for key, own in _rises(scene.model)}
    cars = [hex_to_linear(said.color) for said in scene.model.lifts]
    found = BuildingMoves(building, connections, lifts, colors, cars) if connections is not None else None
    return found if found and found.shapes() else None


def _outside(model: SceneModel) -> float:
    """Return the height of the infinite ground outside a building [m]."""
    heights = [level.height for level in model.levels]
    said = model.ground.height if isinstance(model.ground, FlatGround) else None
    if said is None or "height" not in model.ground.model_fields_set:  # type: ignore[union-attr]
        return min(heights) - OUTSIDE
    return said - APART if any(abs(said - height) < APART for height in heights) else said


@reusable
def unfolded_plan(scene: SceneFile, building: "Building") -> "Unfolded":
    """Return the unfolded plan of a building: one plan with all levels and flights side by side."""
    from ecs_anim.storeys.unfolded import Unfolded

    return Unfolded(building, scene.model.routing.cell_size)


@reusable
def levels_walls(scene: SceneFile, unfolded: "Unfolded") -> tuple[Walls, Doors | None]:
    """Return the walls and the doors of the levels. Without doors, the second result is None. Raises InputError if the
    walls are invalid.
    """
    from ecs_anim.storeys.reading import read_door
    from ecs_anim.storeys.walls import BuildingDoor, LevelWalls, building_walls

    levels, doors, said = scene.model.levels, list["BuildingDoor"](), list[DoorModel]()
    looks = [
        LevelWalls(own.wall_height, own.wall_thickness, hex_to_linear(own.wall_color), own.outer_walls)
        for own in levels
    ]
    for number, level in enumerate(levels):
        for index, door in enumerate(level.doors):
            with (scene.key(f"levels[{number}]") / f".doors[{index}].shape").blamed():
                doors.append(BuildingDoor(number, read_door(door.shape, level.wall_thickness)))
            said.append(door)

    @lru_cache(MOST_KEPT)
    def walls_with(is_open: tuple[bool, ...]) -> Walls:
        closed = [number for number, free in enumerate(is_open) if not free]
        return building_walls(unfolded, looks, doors, closed)

    with scene.key("levels").blamed():
        if not doors:
            return walls_with(()), None
        found = Doors(tuple(door.name for door in said), walls_with, np.array([door.open for door in said]))
        _ = found.locked
    return found.walls, found


@reusable
def stairs_cells(unfolded: "Unfolded", grid: Grid) -> NDArray[np.bool_] | None:
    """Return a mask [cell] of the grid cells that are on stairs. Without stairs, return None."""
    areas = [area for area, flight, _ in unfolded.flight_areas() if flight.risers]
    if not areas:
        return None
    middles = grid.middles
    found: NDArray[np.bool_] = np.any([area.contains(middles) for area in areas], axis=0)
    return found


@reusable
def space_cells(unfolded: "Unfolded", grid: Grid) -> NDArray[np.int16]:
    """Return the number of the space of each grid cell [cell] on the unfolded plan, or -1 between spaces."""
    found = np.full((grid.rows, grid.columns), -1, np.int16)
    origin = np.array([grid.origin_x, grid.origin_y])
    for number, bounds in enumerate(unfolded.bounds):
        (left, bottom), (right, top) = (np.floor((corner - origin) / grid.spacing).astype(int) for corner in bounds)
        found[max(bottom, 0) : top + 1, max(left, 0) : right + 1] = number
    return found.ravel()


@reusable
def connected_with(unfolded: "Unfolded", grid: Grid, areas: Sequence[SpeedArea]) -> ConnectedWith:
    """Return a function that computes the data for routes over all connections from the current uses of these
    connections.

    `areas` are the areas of the scene with another walking speed, on the unfolded plan.
    """
    from ecs_anim.storeys.links import SeamCells
    from ecs_anim.storeys.unfolded import factor_of

    cells, flights = SeamCells(unfolded, grid), list(unfolded.flight_areas())

    @lru_cache(MOST_KEPT)
    def connected(uses: tuple[Use, ...]) -> Connected:
        own = [SpeedArea(area, factor_of(flight, uses[run])) for area, flight, run in flights]
        belts = [area for area, _, run in flights if uses[run].moves]
        on_belts = np.any([np.zeros(grid.cell_count, bool), *(area.contains(grid.middles) for area in belts)], axis=0)
        return Connected(cells.links(uses), speed_factors(grid, [*areas, *own]), on_belts, unfolded.slope(uses))

    return connected


def build_connections(unfolded: "Unfolded") -> Connections | None:
    """Return the component with the connections of a building, or None without connections."""
    parts = unfolded.connections
    return new_connections(parts) if parts else None
