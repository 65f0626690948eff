"""From a validated scene to a world: rigs are loaded, actors placed, columns filled."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.camera import OrbitCamera
from ecs_anim.clip import Clip
from ecs_anim.clip_table import build_tables
from ecs_anim.color import hex_to_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.errors import InputError
from ecs_anim.gait import ground_speed
from ecs_anim.gl.style import GroundStyle, Lighting
from ecs_anim.scenes.layouts import place
from ecs_anim.scenes.loader import SceneFile, nearest, read_scene
from ecs_anim.scenes.rigs import LoadedRig, load_rigs
from ecs_anim.scenes.schema import ClipModel, CrowdModel, GroundModel, LightModel
from ecs_anim.systems.schedule import CHUNK_SIZE, ChunkedSchedule
from ecs_anim.world import World


def load_scene(
    source: str | Path | SceneFile,
    *,
    actors: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    chunk_size: int = CHUNK_SIZE,
) -> World:
    """A world from a scene file, the name of a scene that ships, or a scene already read; posed at time zero.

    `actors` replaces the scene's number of actors, shared out among its crowds as the file does; `seed` the
    file's seed; `threads` defaults to one a processor. Raises InputError, before anything is allocated.
    """
    scene = source if isinstance(source, SceneFile) else read_scene(source)
    rigs = load_rigs(scene)
    counts = share_out([crowd.count for crowd in scene.model.crowds], actors)
    seeds = np.random.SeedSequence(scene.model.seed if seed is None else seed).spawn(len(counts))
    plans = [
        _crowd_components(scene, index, rigs, count, np.random.default_rng(crowd_seed))
        for index, (count, crowd_seed) in enumerate(zip(counts, seeds, strict=True))
        if count > 0
    ]
    world = World(ChunkedSchedule(threads, chunk_size))
    world.create(_stage(scene))
    for components in plans:
        world.create(*components)
    world.step(0.0)
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


def _stage(scene: SceneFile) -> Stage:
    model = scene.model
    camera = OrbitCamera(
        target=np.array(model.camera.target, np.float32),
        distance=model.camera.distance,
        azimuth=math.radians(model.camera.azimuth_degrees),
        elevation=math.radians(model.camera.elevation_degrees),
        vertical_fov=math.radians(model.camera.vertical_fov_degrees),
    )
    ground = _ground(model.ground) if model.ground else None
    return Stage(model.title or scene.label, model.frame_rate, camera, _lighting(model.light), ground)


def _lighting(light: LightModel) -> Lighting:
    azimuth, elevation = math.radians(light.sun_azimuth_degrees), math.radians(light.sun_elevation_degrees)
    flat = math.cos(elevation)
    neutral = Lighting()
    return Lighting(
        sun_direction=(flat * math.sin(azimuth), math.sin(elevation), flat * math.cos(azimuth)),
        sun_color=_scaled(hex_to_linear(light.sun_color), light.sun_strength),
        sky_color=_scaled(neutral.sky_color, light.sky_strength),
        bounce_color=_scaled(neutral.bounce_color, light.sky_strength),
        zenith_color=hex_to_linear(light.zenith_color),
        horizon_color=hex_to_linear(light.horizon_color),
    )


def _ground(ground: GroundModel) -> GroundStyle:
    color = hex_to_linear(ground.color)
    return GroundStyle(color=color, line_color=hex_to_linear(ground.line_color) if ground.grid else color)


def _scaled(color: tuple[float, float, float], factor: float) -> tuple[float, float, float]:
    return color[0] * factor, color[1] * factor, color[2] * factor


def _crowd_components(
    scene: SceneFile, index: int, rigs: Mapping[str, LoadedRig], count: int, rng: np.random.Generator
) -> tuple[object, ...]:
    """All components of one crowd."""
    crowd = scene.model.crowds[index]
    place_name = f"{scene.label}: crowds[{index}]"
    loaded = rigs[crowd.rig]
    clips = [_find_clip(loaded, entry, f"{place_name}.clips[{i}].name") for i, entry in enumerate(crowd.clips)]
    if crowd.level >= loaded.rig.level_count:
        raise InputError(f"{place_name}.level: rig {crowd.rig!r} has {loaded.rig.level_count} levels of detail, from 0")
    character = Character(loaded.rig, build_tables(loaded.rig.skeleton, clips), crowd.level)
    playback = _playback(crowd, clips, character, count, rng, place_name)
    transforms = _transforms(crowd, loaded, count, rng, place_name)
    components: list[object] = [
        Crowd(crowd.name or crowd.rig, count),
        character,
        playback,
        transforms,
        Palette(np.zeros((count, loaded.rig.skeleton.palette_count, 3, 4), np.float32)),
        _appearance(crowd, loaded, count, rng),
    ]
    if crowd.locomotion:
        components.append(_locomotion(crowd, loaded, clips, count))
    return tuple(components)


def _find_clip(loaded: LoadedRig, entry: ClipModel, place_name: str) -> Clip:
    clips = loaded.rig.clips
    if entry.name not in clips:
        known = list(clips)
        listing = f"its clips are: {', '.join(known)}" if known else "it has no clips"
        raise InputError(
            f"{place_name}: rig {loaded.label} has no clip {entry.name!r};{nearest(entry.name, known)} {listing}"
        )
    return clips[entry.name]


def _playback(
    crowd: CrowdModel, clips: list[Clip], character: Character, count: int, rng: np.random.Generator, place_name: str
) -> Playback:
    weights = np.array([entry.weight for entry in crowd.clips])
    if weights.sum() <= 0:
        raise InputError(f"{place_name}.clips: at least one weight must be more than 0")
    if crowd.clip_choice == "in_turn":
        clip_index = (np.arange(count) % len(clips)).astype(np.int32)
    else:
        clip_index = rng.choice(len(clips), count, p=weights / weights.sum()).astype(np.int32)
    ranges = np.array([entry.speed if isinstance(entry.speed, tuple) else (entry.speed,) * 2 for entry in crowd.clips])
    low, high = ranges[clip_index].T
    fixed = np.array([np.nan if entry.phase == "random" else entry.phase for entry in crowd.clips])[clip_index]
    drawn_speed, drawn_phase = rng.random((2, count))
    phase = np.where(np.isnan(fixed), drawn_phase, fixed)
    loops = [
        bool(c.extras.get("loop", True)) if e.loop is None else e.loop for e, c in zip(crowd.clips, clips, strict=True)
    ]
    return Playback(
        clip_index=clip_index,
        clip_time=(phase * character.tables.duration[clip_index]).astype(np.float32),
        speed=(low + (high - low) * drawn_speed).astype(np.float32),
        clip_loops=np.array(loops, np.bool_),
    )


def _transforms(
    crowd: CrowdModel, loaded: LoadedRig, count: int, rng: np.random.Generator, place_name: str
) -> Transforms:
    try:
        places = place(crowd.layout, count, rng, crowd.count)
    except ValueError as error:
        raise InputError(f"{place_name}.layout: {error}") from None
    scale = loaded.scale * (1 + crowd.size_variation * rng.uniform(-1, 1, count))
    half = (_headings(crowd, places, rng) - loaded.facing) / 2
    zero = np.zeros(count)
    return Transforms(
        translation=np.stack([places[:, 0], np.full(count, loaded.ground_offset), places[:, 1]], axis=-1).astype(
            np.float32
        ),
        rotation=np.stack([zero, np.sin(half), zero, np.cos(half)], axis=-1).astype(np.float32),
        scale=scale.astype(np.float32),
    )


def _headings(crowd: CrowdModel, places: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Angles [actor_count] in radians about +Y from +Z."""
    if crowd.heading_degrees == "random":
        return rng.uniform(0, math.tau, len(places))
    if crowd.heading_degrees == "center":
        inward = places.mean(axis=0) - places
        return np.arctan2(inward[:, 0], inward[:, 1])
    return np.full(len(places), math.radians(crowd.heading_degrees))


def _appearance(crowd: CrowdModel, loaded: LoadedRig, count: int, rng: np.random.Generator) -> Appearance:
    palette = np.array([(*hex_to_linear(color), 1.0) for color in crowd.tints], np.float32)
    return Appearance(palette[rng.integers(len(palette), size=count)], loaded.shadow_radius)


def _locomotion(crowd: CrowdModel, loaded: LoadedRig, clips: list[Clip], count: int) -> Locomotion:
    settings = crowd.locomotion
    assert settings is not None
    speeds = [_clip_speed(entry, clip, loaded) for entry, clip in zip(crowd.clips, clips, strict=True)]
    radius = settings.area_radius or math.inf
    if crowd.count != count and settings.area_radius:
        radius *= math.sqrt(count / crowd.count)
    return Locomotion(
        clip_ground_speed=np.array(speeds, np.float32),
        turn_rate=np.full(count, math.radians(settings.turn_rate_degrees), np.float32),
        facing=loaded.facing,
        area_center=settings.area_center,
        area_radius=radius,
    )


def _clip_speed(entry: ClipModel, clip: Clip, loaded: LoadedRig) -> float:
    """Ground speed of a clip in the rig's own units: the scene's word, else the file's, else the feet's."""
    if entry.ground_speed is not None:
        return entry.ground_speed / loaded.scale
    return ground_speed(clip, loaded.facing)
