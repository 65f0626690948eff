"""Construction of a world from a validated scene.

The module loads rigs, places actors and fills the actors' columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ecs_anim.assets.rig import Rig
from ecs_anim.components.character import Character
from ecs_anim.components.connections import Connections
from ecs_anim.components.doors import Doors
from ecs_anim.components.lifts import Lifts
from ecs_anim.components.stage import Stage
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.timeline import Timeline
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.filling import filled_anew
from ecs_anim.ecs.world import World
from ecs_anim.ground.ground import Ground
from ecs_anim.kernels.compiling import imported_meanwhile
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.rigs.props import Props
from ecs_anim.scenes.agents import agent_parts, people_and_agents, with_agents
from ecs_anim.scenes.alarms import set_alarms
from ecs_anim.scenes.buildings import with_building
from ecs_anim.scenes.cameras import build_cameras
from ecs_anim.scenes.crowd_making import Setting, make_crowd
from ecs_anim.scenes.demands import require_memory, require_options
from ecs_anim.scenes.furniture import Site, with_furniture
from ecs_anim.scenes.grounds import build_ground
from ecs_anim.scenes.kernels import needed_kernels
from ecs_anim.scenes.laid_pictures import ground_picture
from ecs_anim.scenes.levels import (
    build_building,
    build_connections,
    build_lifts,
    levels_ground,
    levels_walls,
    moving_surfaces,
    unfolded_plan,
    with_props,
)
from ecs_anim.scenes.lidar import lidar_of
from ecs_anim.scenes.lighting import scene_lighting
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.loader import SceneFile, Source, scene_of
from ecs_anim.scenes.occupied import is_crowded, occupied_points
from ecs_anim.scenes.opening_view import opening_camera
from ecs_anim.scenes.origin import scene_origin
from ecs_anim.scenes.own_motions import with_own_motions
from ecs_anim.scenes.parts.part import Asked, Part
from ecs_anim.scenes.premovement import with_premovement_times
from ecs_anim.scenes.props import build_props
from ecs_anim.scenes.recorded_crowds import require_people, with_recordings
from ecs_anim.scenes.rigs import load_rigs
from ecs_anim.scenes.routing import find_routes
from ecs_anim.scenes.schema import LightModel
from ecs_anim.scenes.schema_ground import FlatGround, GroundModel
from ecs_anim.scenes.starts import part_starts, warn_of_starts
from ecs_anim.scenes.surfaces import with_surfaces
from ecs_anim.scenes.timeline import build_timeline
from ecs_anim.scenes.user_code import Code, require_leave
from ecs_anim.scenes.user_models import with_models
from ecs_anim.scenes.user_parts import OwnPart, asked_of, own_kernels, own_part_systems, own_parts
from ecs_anim.scenes.user_systems import own_systems, set_up
from ecs_anim.scenes.vary import varied
from ecs_anim.steering.models import MODELS
from ecs_anim.steering.own import Model
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import Faults
from ecs_anim.support.garbage import end_start
from ecs_anim.support.images import counted_together
from ecs_anim.support.reuse import Reuse, reusable, shared_reuse
from ecs_anim.systems.actor_ids import number_actors
from ecs_anim.systems.chunk import Side
from ecs_anim.systems.connections import switch_treads
from ecs_anim.systems.placement import Placed, System, place_systems
from ecs_anim.systems.portrait import WorldPortrait
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.schedule import CHUNK_SIZE, ChunkedSchedule
from ecs_anim.systems.turnover import empty_crowds
from ecs_anim.view.camera import CameraChange, OrbitCamera, changed_camera
from ecs_anim.view.style import GroundStyle
from ecs_anim.walls.arrays import no_walls
from ecs_anim.walls.walls import Walls

if TYPE_CHECKING:  # this module reads trajectory files, which few scenes need
    from ecs_anim.scenes.recordings import Recorded
    from ecs_anim.storeys.unfolded import Unfolded  # this module imports shapely
    from ecs_anim.walls.shapes import Named


@checked
@counted_together()
def load_scene(
    source: Source | SceneFile,
    *,
    actors: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    chunk_size: int = CHUNK_SIZE,
    allow_code: bool = False,
    systems: Sequence[tuple[System, Side, str]] = (),
    parts: Sequence[type[Part[Any]]] = (),
    models: Mapping[str, Rig] | None = None,
) -> World:
    """Return the world that a scene describes, with all poses at time 0.

    `source` is a path, the name of a shipped scene, TOML text (a string with a line break or a '='), or a dict with the
    content of a scene file. Relative paths in TOML text and in dicts are relative to the working directory.

    `actors` replaces the total number of actors in the scene. The ratios between the sizes of the crowds do not change.
    If `actors` is larger than the total in the scene, crowds with fixed positions keep their sizes. A layout of kind
    "points" or a recording gives a crowd fixed positions. `seed` replaces the seed in the scene. The default of
    `threads` is the number of processors. If `allow_code` is true, the program runs the Python modules that the scene
    names. `systems` contains your own systems, such as (Wind(), "after", "locomotion"). `parts` contains your own
    classes of crowd features. `models` contains rigs by name. In the scene, `rigs.NAME.model` can be a name in `models`
    instead of a file. Raises InputError for an invalid scene, before the world allocates memory.
    """
    _require_least(1, actors=actors, threads=threads, chunk_size=chunk_size)
    _require_least(0, seed=seed)
    scene = source if isinstance(source, SceneFile) else scene_of(source, is_open=bool(parts))
    scene = replace(scene, models={**scene.models, **(models or {})})
    seed = scene.model.seed if seed is None else seed
    reuse = shared_reuse()
    with reuse.building():
        first = _drawn(scene, seed)
        require_options(actors, threads, chunk_size)
        code = require_leave(first, allow_code)
        own = own_parts(first, code, parts)
        placed = (*own_part_systems(own), *own_systems(first, code, systems))
        recipe = _Recipe(scene, actors, allow_code, code, own, placed, reuse)
        schedule = ChunkedSchedule(threads, chunk_size, *place_systems(placed))
        made = recipe.made(seed)
        world = World(schedule, {}, WorldPortrait(not placed), recipe.restart)
        try:
            recipe.fill(world, made)
        except BaseException:
            world.close()
            raise
    end_start()
    return world


class _Recipe(NamedTuple):
    """The data from which `load_scene` builds a world, and from which `World.reset` builds the world again."""

    scene: SceneFile  # without the variation by the seed
    actors: int | None  # total number of actors
    allow_code: bool
    code: Code
    parts: tuple[OwnPart, ...]  # user parts
    placed: tuple[Placed, ...]  # user systems
    reuse: Reuse

    def restart(self, world: World, seed: int | None) -> None:
        """Fill a world of this recipe again, with another seed. Raises InputError, and then the world is unchanged."""
        with self.reuse.building():
            self.fill(world, self.made(world.origin["seed"] if seed is None else seed))

    def made(self, seed: int) -> "_Made":
        """Build the inputs of a world. Raises InputError if the scene is invalid."""
        scene = _drawn(self.scene, seed)
        self.code.files.update(require_leave(scene, self.allow_code).files)
        scene, models = _with_models(scene, self.code)
        crowds = range(len(scene.model.crowds))
        asked = [[*asked_of(self.parts, scene, index), *agent_parts(scene, index)] for index in crowds]
        return _made(scene, models, asked, self.actors, seed)

    def fill(self, world: World, made: "_Made") -> None:
        """Replace all entities of a world, and compute the first poses."""
        with filled_anew(world, made.origin):
            _people(world, made)
            _steer(world, made)
            _settle(world, self.placed)


@reusable
def _with_models(scene: SceneFile, code: Code) -> tuple[SceneFile, tuple[Model, ...]]:
    return with_models(with_premovement_times(scene), code)


@reusable
def _drawn(scene: SceneFile, seed: int) -> SceneFile:
    """Return the scene with the values that the seed draws, and with its agents and the levels of its building."""
    return with_agents(with_building(varied(scene, seed)))


class _Made(NamedTuple):
    """All data that a new world needs."""

    scene: SceneFile  # the scene, with recorded people
    seed: int
    models: tuple[Model, ...]  # steering models of the user
    rigs: Mapping[str, LoadedRig]
    terrain: Ground
    props: tuple[Props, ...]
    walls: Walls | None
    doors: Doors | None
    counts: list[int]  # number of actors of each crowd of the scene
    crowds: list[tuple[object, ...]]  # components of each crowd that has actors
    timeline: Timeline
    origin: dict[str, Any]
    unfolded: "Unfolded | None" = None  # the unfolded plan of the levels
    recorded: "Sequence[Recorded | None]" = ()  # the recording of each crowd
    connections: Connections | None = None
    lifts: Lifts | None = None


def _made(
    scene: SceneFile, models: tuple[Model, ...], asked: list[list[Asked]], actors: int | None, seed: int
) -> _Made:
    """Build the inputs of a world, twice if the scene has furniture: furniture stands where no actor and no wall is.

    Raises InputError if the scene is invalid.
    """
    made = _made_once(scene, models, asked, actors, seed)
    if not scene.model.furniture.density:
        return made
    site = Site(scene, made.terrain, made.walls, made.unfolded, made.props, made.crowds)
    return _made_once(with_furniture(site, seed), models, asked, actors, seed)


def _made_once(
    scene: SceneFile, models: tuple[Model, ...], asked: list[list[Asked]], actors: int | None, seed: int
) -> _Made:
    """Build the inputs of a world, while other processes compile the kernels."""
    with imported_meanwhile([*needed_kernels(scene.model), *own_kernels(asked)]):
        scene, recorded = with_recordings(scene)
        with Faults() as faults:
            with faults.kept():
                rigs = load_rigs(scene)
            with faults.kept():
                building = build_building(scene)
                terrain = levels_ground(scene, building) if building else _terrain(scene, recorded)
                placed = build_props(scene, terrain, seed, building)
                building = with_props(scene, building, placed.obstacles) if building else None
                unfolded = unfolded_plan(scene, building) if building else None
                walls, doors = levels_walls(scene, unfolded) if unfolded else _walls(scene, terrain, placed.obstacles)
        scene = with_own_motions(scene, rigs)
        counts = people_and_agents(scene, actors)
        require_people(scene, recorded, counts)
        require_memory(scene.label, scene.model, rigs, counts)
        crowds = _crowds(Setting(scene, rigs, terrain, walls, seed, unfolded), asked, counts, recorded)
    connections = build_connections(unfolded) if unfolded else None
    return _Made(
        scene,
        seed,
        models,
        rigs,
        terrain,
        placed.props,
        walls,
        doors and doors.as_built(),
        counts,
        crowds,
        build_timeline(scene.model, scene.label, seed, crowds),
        scene_origin(scene, actors, seed, [component for components in crowds for component in components]),
        unfolded,
        recorded,
        connections,
        build_lifts(connections),
    )


@reusable
def _terrain(scene: SceneFile, recorded: "Sequence[Recorded | None]") -> Ground:
    """Return the ground of a scene. Without a ground in the scene file, recordings with heights set the ground."""
    if "ground" not in scene.model.model_fields_set and any(own is not None and own.has_heights for own in recorded):
        from ecs_anim.scenes.recorded_ground import ground_of_recordings

        return ground_of_recordings(recorded) or build_ground(scene)
    return build_ground(scene)


def _crowds(
    setting: Setting,
    asked: Sequence[Sequence[Asked]],
    counts: Sequence[int],
    recorded: "Sequence[Recorded | None]",
) -> list[tuple[object, ...]]:
    """Return a tuple of components for each crowd with actors. The function uses a separate random generator for each
    crowd.

    Raises one InputError with the problems of all crowds.
    """
    chance = map(np.random.default_rng, np.random.SeedSequence(setting.seed).spawn(len(counts)))
    made: list[tuple[object, ...]] = []
    needs_room = is_crowded(setting.scene.model.crowds, counts)
    with Faults() as faults:
        for index, (own, count, rng, people) in enumerate(zip(asked, counts, chance, recorded, strict=True)):
            if count > 0:
                with faults.kept():
                    occupied = occupied_points(setting.scene.model.crowds, made) if needs_room else None
                    made.append(make_crowd(setting, index, own, count, rng, people, occupied))
    return made


def _people(world: World, made: _Made) -> None:
    """Create the crowds of a world. If a crowd gets all its actors from sources, the crowd has no actors at the
    start.
    """
    more = [own for own in (made.doors, made.connections, made.lifts) if own is not None]
    world.create(_stage(made), *more)
    world.create(made.timeline)
    for components in made.crowds:
        world.create(*components)
    number_actors(world)
    _frame(world, made.scene)
    stage_of(world).cameras = build_cameras(made.scene, made.rigs, world, made.seed)
    empty_crowds(world)


def _frame(world: World, scene: SceneFile) -> None:
    """If the scene has no camera, set the default camera, which shows all actors."""
    stage = stage_of(world)
    if "camera" not in scene.model.model_fields_set:
        stage.camera = opening_camera(stage.camera, (row for _, row in world.query(Character, Transforms)))


def _steer(world: World, made: _Made) -> None:
    """Add the steering data and the routes to the world.

    The function also separates overlapping actors, and warns about actors that start in walls.
    """
    walls, label = made.walls, made.scene.label
    if any(world.query(Steering)):
        around = Surroundings(made.seed, walls.arrays if walls else no_walls(), (*MODELS.values(), *made.models))
        around.spaces = made.unfolded.spaces if made.unfolded else None
        world.create(around)
        part_starts(label, world)
        indices = [index for index, count in enumerate(made.counts) if count > 0]
        find_routes(made.scene, indices, world, made.unfolded)
        switch_treads(world)
        set_alarms(made.scene, indices, world)
    if walls is not None:
        warn_of_starts(walls, label, world)


def _settle(world: World, placed: Sequence[Placed]) -> None:
    """Call the `setup` methods of the user's systems, and then compute the first poses."""
    set_up(placed, world)
    number_actors(world)  # users' systems can add crowds
    world.step(0.0)


def _require_least(least: int, **numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < least:
            raise ValueError(f"{name} must be at least {least} (got {number}). Raise the number.")


@reusable
def _walls(
    scene: SceneFile, terrain: Ground, obstacles: "Mapping[int, list[Named]]"
) -> tuple[Walls | None, Doors | None]:
    if not scene.model.has_walls:
        return None, None
    from ecs_anim.scenes import walls as making  # this module imports shapely, which only scenes with walls need

    if scene.model.walls is None:
        return making.walls_of_props(scene.label, terrain, obstacles[0]), None
    return making.build_walls(scene.model.walls, scene.label, scene.folder, terrain, obstacles.get(0, ()))


def _stage(made: _Made) -> Stage:
    scene, model = made.scene, made.scene.model
    camera = changed_camera(OrbitCamera(), cast(CameraChange, model.camera.model_dump()))
    ground = _ground(scene, model.ground, model.light, made.terrain) if model.ground else None
    title = model.title or scene.label
    standing = (made.terrain, made.walls, made.props)
    stage = Stage(title, model.frame_rate, camera, scene_lighting(scene, made.seed), ground, *standing)
    stage.lidar = lidar_of(model.lidar)
    if made.unfolded:
        building = made.unfolded.building
        stage.building, stage.storeys, stage.storey_names = building, building.storeys, building.storey_names
        stage.moving = moving_surfaces(made.scene, building, made.connections, made.lifts)
    elif any(own is not None and own.floors for own in made.recorded):
        from ecs_anim.scenes.recorded_ground import recorded_storeys

        stage.storeys, stage.storey_names = recorded_storeys(made.recorded)
    return stage


def _ground(scene: SceneFile, ground: GroundModel, light: LightModel, terrain: Ground) -> GroundStyle:
    color = hex_to_linear(ground.color)
    line_color = hex_to_linear(ground.line_color)
    start, end = light.fog
    plane = terrain.floor is not None
    picture = ground_picture(scene, ground.picture) if isinstance(ground, FlatGround) and ground.picture else None
    style = GroundStyle(terrain.floor or 0.0, color, line_color, start, end, plane, ground.material, picture)
    return with_surfaces(scene, style)
