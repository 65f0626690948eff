"""From a validated scene to a world: rigs are loaded, actors placed, columns filled."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np

from ecs_anim.bake.measure import character_size
from ecs_anim.body.gait_plan import GAIT
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.stage import Stage
from ecs_anim.components.timeline import Timeline
from ecs_anim.components.turns import new_turns
from ecs_anim.ecs.world import World
from ecs_anim.ground.ground import Ground
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.scenes.bakes import build_baked, build_detail, build_nearness
from ecs_anim.scenes.body import build_body, build_movers, gait_motion, gait_parameters
from ecs_anim.scenes.demands import require_memory, require_options
from ecs_anim.scenes.drivers import (
    build_controller,
    build_curves,
    build_events,
    build_layers,
    build_parameters,
    build_state_machine,
    build_timeline,
    parameter_names,
)
from ecs_anim.scenes.grounding import build_contacts, build_footing, build_grounding
from ecs_anim.scenes.grounds import build_ground
from ecs_anim.scenes.ik import build_reach
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.scenes.look_at import build_look_at
from ecs_anim.scenes.morphs import build_morphs
from ecs_anim.scenes.motions import Place, build_motions, first_motions
from ecs_anim.scenes.origin import scene_origin
from ecs_anim.scenes.recipes import Beginning, build_recipe
from ecs_anim.scenes.rigs import LoadedRig, load_rigs
from ecs_anim.scenes.schema import CrowdModel, GroundModel, LightModel
from ecs_anim.scenes.standing import first_appearance, first_transforms
from ecs_anim.scenes.targets import build_targets
from ecs_anim.scenes.user_systems import own_systems, set_up
from ecs_anim.scenes.variants import with_variants
from ecs_anim.support.images import counted_together
from ecs_anim.systems.actor_ids import number_actors
from ecs_anim.systems.placement import Side, System, place_systems
from ecs_anim.systems.portrait import WorldPortrait
from ecs_anim.systems.schedule import CHUNK_SIZE, ChunkedSchedule
from ecs_anim.systems.skinning import new_palette
from ecs_anim.view.camera import CameraChange, OrbitCamera, changed_camera
from ecs_anim.view.style import GroundStyle, Lighting


@counted_together()
def load_scene(
    source: str | os.PathLike[str] | SceneFile,
    *,
    actors: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    chunk_size: int = CHUNK_SIZE,
    allow_code: bool = False,
    systems: Sequence[tuple[System, Side, str]] = (),
) -> World:
    """A world from a scene file, the name of a scene that ships, or a scene already read; posed at time zero.

    `actors` replaces the scene's number of actors, shared out among its crowds as the file does; `seed` the
    file's seed; `threads` defaults to one a processor. `allow_code` lets the scene run the modules that its
    systems name; `systems` are the caller's own, such as (Wind(), "after", "locomotion"). Raises InputError,
    before anything is allocated.
    """
    _require_positive(actors=actors, threads=threads, chunk_size=chunk_size)
    scene = source if isinstance(source, SceneFile) else read_scene(source)
    require_options(actors, threads)
    own = own_systems(scene, allow_code, systems)
    stages = place_systems(own)
    rigs, terrain = load_rigs(scene), build_ground(scene)
    counts = share_out([crowd.count for crowd in scene.model.crowds], actors)
    seed = scene.model.seed if seed is None else seed
    require_memory(scene.label, scene.model, rigs, counts)
    seeds = np.random.SeedSequence(seed).spawn(len(counts))
    crowds = [
        _crowd_components(scene, index, rigs, terrain, count, seed, np.random.default_rng(crowd_seed))
        for index, (count, crowd_seed) in enumerate(zip(counts, seeds, strict=True))
        if count > 0
    ]
    timeline = _timeline(scene, seed, crowds)
    origin = scene_origin(scene, actors, seed, [component for own in crowds for component in own])
    world = World(ChunkedSchedule(threads, chunk_size, *stages), origin, WorldPortrait())
    try:
        world.create(_stage(scene, terrain))
        world.create(timeline)
        for components in crowds:
            world.create(*components)
        number_actors(world)
        set_up(own, world)
        number_actors(world)  # of crowds that users' systems made
        world.step(0.0)
    except BaseException:
        world.close()
        raise
    return world


def share_out(counts: Sequence[int], total: int | None) -> list[int]:
    """`counts` scaled to sum to `total`, rounded by largest remainder."""
    if total is None:
        return list(counts)
    exact = np.array(counts, np.float64) * (total / sum(counts))
    shares = np.floor(exact).astype(int)
    by_remainder = np.argsort(shares - exact, kind="stable")
    shares[by_remainder[: total - shares.sum()]] += 1
    return [int(share) for share in shares]


def _require_positive(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise ValueError(f"{name} must be at least 1 (got {number})")


def _stage(scene: SceneFile, terrain: Ground) -> Stage:
    model = scene.model
    camera = changed_camera(OrbitCamera(), cast(CameraChange, model.camera.model_dump()))
    ground = _ground(model.ground, model.light, terrain) if model.ground else None
    return Stage(model.title or scene.label, model.frame_rate, camera, _lighting(model.light), ground, terrain)


def _lighting(light: LightModel) -> Lighting:
    azimuth, elevation = math.radians(light.sun_azimuth_degrees), math.radians(light.sun_elevation_degrees)
    flat = cos(elevation)
    neutral = Lighting()
    return Lighting(
        sun_direction=(flat * sin(azimuth), sin(elevation), flat * cos(azimuth)),
        sun_color=_scaled(hex_to_linear(light.sun_color), light.sun_strength),
        sky_color=_scaled(neutral.sky_color, light.sky_strength),
        bounce_color=_scaled(neutral.bounce_color, light.sky_strength),
        zenith_color=hex_to_linear(light.zenith_color),
        horizon_color=hex_to_linear(light.horizon_color),
        shadows=light.shadows,
    )


def _ground(ground: GroundModel, light: LightModel, terrain: Ground) -> GroundStyle:
    color = hex_to_linear(ground.color)
    line_color = hex_to_linear(ground.line_color) if ground.grid else color
    start, end = light.haze
    plane = terrain.floor is not None
    return GroundStyle(terrain.floor or 0.0, color, line_color, fog_start=start, fog_end=end, plane=plane)


def _scaled(color: tuple[float, float, float], factor: float) -> tuple[float, float, float]:
    return color[0] * factor, color[1] * factor, color[2] * factor


def _crowd_components(
    scene: SceneFile,
    index: int,
    rigs: Mapping[str, LoadedRig],
    terrain: Ground,
    count: int,
    seed: int,
    rng: np.random.Generator,
) -> tuple[object, ...]:
    """All components of one crowd; `seed` is the scene's."""
    crowd = scene.model.crowds[index]
    key = Place(scene.label, f"crowds[{index}]")
    loaded = with_variants(scene, crowd, rigs[crowd.rig], key)
    level = 0 if crowd.level == "auto" else crowd.level
    if level >= loaded.rig.level_count:
        text = f"rig {crowd.rig!r} has {loaded.rig.level_count} levels of detail, from 0"
        raise (key / ".level").fault(text)
    gait = [gait_motion(crowd, crowd.body, loaded, key / ".body")] if crowd.body else []
    names = parameter_names(crowd, key) + gait_parameters(gait)
    motions = build_motions(crowd, loaded, names, key, gait)
    machine = (
        build_state_machine(crowd.controller, crowd, motions.index, names, key / ".controller")
        if crowd.controller
        else None
    )
    first = first_motions(crowd, motions, _start(crowd), key)
    components: list[object] = [
        Crowd(crowd.name or crowd.rig, count),
        Character(loaded.rig, motions, level),
        first.playback(count, rng),
        first_transforms(crowd, loaded, terrain, count, rng, key),
        build_parameters(crowd, names, count, rng),
        first_appearance(crowd, loaded, count, rng),
    ]
    components += _posing(crowd, loaded, motions, count, key)
    if machine:
        components.append(build_controller(machine, count))
    layers = build_layers(crowd, loaded, motions, names, count, key) if crowd.layers else None
    if layers:
        components.append(layers)
    if any(clip.curves for clip in crowd.clips):
        components.append(build_curves(crowd, motions, names, key))
    if any(clip.events for clip in crowd.clips):
        components.append(build_events(crowd, motions, key))
    components += _walking(crowd, loaded, motions, terrain, names, count, key)
    components += _aiming(scene, crowd, loaded, rigs, names, count, rng, key)
    if crowd.path != "baked" and (len(loaded.rig.morph_targets) or crowd.morphs):
        components.append(build_morphs(crowd, loaded, motions, layers, names, count, rng, key))
    start_of = Beginning(crowd, loaded, first, names, terrain)
    return (*components, build_recipe(start_of, components, (seed, index)))


def _start(crowd: CrowdModel) -> str | None:
    """The motion that all actors begin with; None = as the clips' weights say."""
    if crowd.controller:
        return crowd.controller.states[crowd.controller.start]
    return GAIT if crowd.body and not crowd.locomotion else None


def _posing(crowd: CrowdModel, loaded: LoadedRig, motions: MotionSet, count: int, key: Place) -> Iterator[object]:
    """Palettes that the CPU makes, and what the GPU makes them from."""
    if crowd.path == "pose":
        yield new_palette(loaded.rig.skeleton, count, crowd.skinning, crowd.palette_bits)
        if crowd.detail is not None and crowd.takes_turns:
            yield new_turns(crowd.detail.pixel_error, character_size(loaded.rig), count)
        return
    yield build_baked(crowd, loaded, motions, key)
    if crowd.level == "auto":
        yield build_detail(crowd)
    if crowd.path == "auto":
        yield build_nearness(crowd, count)
        yield new_palette(loaded.rig.skeleton, None)


def _walking(
    crowd: CrowdModel,
    loaded: LoadedRig,
    motions: MotionSet,
    terrain: Ground,
    names: tuple[str, ...],
    count: int,
    key: Place,
) -> Iterator[object]:
    """What moves a crowd over the ground, and keeps its feet on it."""
    locomotion = _locomotion(crowd, loaded, count) if crowd.locomotion else None
    if crowd.body:
        body = build_body(crowd, crowd.body, loaded, motions, names, count, key / ".body")
        yield from (body, build_movers(crowd.body, loaded, body, locomotion, count))
    elif locomotion:
        yield locomotion
    if (crowd.locomotion or crowd.body) and terrain.surfaces:
        yield build_footing(loaded, terrain)
    if crowd.grounding:
        place = key / ".grounding"
        contacts = build_contacts(crowd.grounding, loaded, motions, names, count, place)
        yield contacts
        yield build_grounding(crowd.grounding, loaded, contacts, terrain, names, place)


def _aiming(
    scene: SceneFile,
    crowd: CrowdModel,
    loaded: LoadedRig,
    rigs: Mapping[str, LoadedRig],
    names: tuple[str, ...],
    count: int,
    rng: np.random.Generator,
    key: Place,
) -> Iterator[object]:
    """Targets, and what looks at them and reaches for them."""
    targets = build_targets(crowd, scene.model.crowds, rigs, names, count, rng, key) if crowd.targets else None
    if targets:
        yield targets
    if crowd.look_at:
        yield build_look_at(crowd, loaded, targets, names, count, key)
    if crowd.reach or crowd.limits:
        yield build_reach(crowd, loaded, targets, names, count, key)


def _timeline(scene: SceneFile, seed: int, crowds: Sequence[tuple[object, ...]]) -> Timeline:
    described = []
    for found in [{type(component): component for component in components} for components in crowds]:
        crowd, character, own = found[Crowd], found[Character], found[Parameters]
        assert isinstance(crowd, Crowd)
        assert isinstance(character, Character)
        assert isinstance(own, Parameters)
        described.append((crowd.name, tuple(character.motions.index), own))
    return build_timeline(scene.model, scene.label, seed, described)


def _locomotion(crowd: CrowdModel, loaded: LoadedRig, count: int) -> Locomotion:
    settings = crowd.locomotion
    assert settings is not None
    radius = settings.area_radius or math.inf
    return Locomotion(
        turn_rate=np.full(count, math.radians(settings.turn_rate_degrees), np.float32),
        facing=loaded.facing,
        area_center=settings.area_center,
        area_radius=radius * math.sqrt(count / crowd.count),
    )
