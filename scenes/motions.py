"""Construction of the motions of a crowd: clips and blend spaces."""

from collections.abc import Iterable
from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.body.footfalls import with_measured_contacts
from ecs_anim.ik.legs import find_legs
from ecs_anim.maths import elementary
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.gait import ground_turn, ground_velocity
from ecs_anim.runtime.motion import Member, Motion, MotionSet, build_motion_set
from ecs_anim.runtime.phase_sync import synchronise
from ecs_anim.runtime.root_path import RootPath, path_of, still_path, without_path
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loaded_rig import LoadedRig, find_clip
from ecs_anim.scenes.parts.clip_marks import curve_values, within
from ecs_anim.scenes.parts.playback import BlendSpaceModel, ClipModel, CurveModel, MemberModel
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.support.errors import InputError

Distances = NDArray[np.floating] | float


def build_motions(
    crowd: CrowdModel, loaded: LoadedRig, parameter_names: tuple[str, ...], key: SceneKey, more: Iterable[Motion]
) -> MotionSet:
    """Return the motions of a crowd, and the tables of all clips in use.

    The set of motions contains first the clips, then the blend spaces, and last the motions in `more`. Clips and blend
    spaces are in the order of the scene file. Crowds with equal motion keys share one `MotionSet`.
    """
    said = repr((crowd.said_of_motions, parameter_names))
    if said not in loaded.motion_sets:
        loaded.motion_sets[said] = _make_motions(crowd, loaded, parameter_names, key, more)
    return loaded.motion_sets[said]


def _make_motions(
    crowd: CrowdModel, loaded: LoadedRig, parameter_names: tuple[str, ...], key: SceneKey, more: Iterable[Motion]
) -> MotionSet:
    motions = [_clip_motion(entry, loaded, key / f".clips[{i}]") for i, entry in enumerate(crowd.clips)]
    for i, space in enumerate(crowd.blend_spaces):
        motions.append(_space_motion(space, loaded, parameter_names, key / f".blend_spaces[{i}]"))
    motions += more
    names = [motion.name for motion in motions]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise key.fault(f"the names of motions must be different (got {twice!r} twice). Rename one motion.")
    clips = [member.clip for motion in motions for member in motion.members]
    clips += [find_clip(loaded, layer.clip, key / f".layers[{i}].clip") for i, layer in enumerate(crowd.layers)]
    try:
        tables = build_tables(loaded.rig.skeleton, list(dict.fromkeys(clips)), loaded.rig.meshes)
    except InputError as error:
        raise key.fault(f"rig {loaded.label}: {error}") from None
    return build_motion_set(motions, tables, parameter_names, loaded.rig, loaded.facing)


def _clip_motion(entry: ClipModel, loaded: LoadedRig, key: SceneKey) -> Motion:
    clip = find_clip(loaded, entry.name, key / ".name")
    velocity = ground_velocity(clip, loaded.facing)
    if entry.ground_speed_m_s is not None:
        velocity = (0.0, entry.ground_speed_m_s / loaded.scale)
    turn = 0.0 if entry.ground_speed_m_s == 0 else ground_turn(clip)
    loops = bool(clip.extras.get("loop", True)) if entry.loop is None else entry.loop
    if entry.moves_actor is False:
        return Motion(entry.name, (Member(clip, velocity, turn=turn),), loops)
    return Motion(entry.name, (_moving_member(entry, entry.moves_actor, clip, loaded, key),), loops)


def _moving_member(
    entry: ClipModel, moves: Literal[True] | CurveModel, clip: Clip, loaded: LoadedRig, key: SceneKey
) -> Member:
    """Return the clip as an in-place clip (the body stays above one point), and the path along which the clip moves its
    actor.

    The path is a curve in the scene, or the movement of the body in the clip. If the clip states its ground speed, the
    movement includes this speed. Raises InputError if the clip cannot move its actor.
    """
    if isinstance(moves, CurveModel):
        path = still_path(clip)
        within(clip, moves.seconds[-1], key / ".moves_actor.seconds")
        far = curve_values(moves, np.linspace(0, clip.duration, len(path))) / loaded.scale
        return Member(clip, (0.0, 0.0), path=_with_steps(path, loaded.facing, ahead=far - far[0]))
    if ground_turn(clip) != 0:
        raise (key / ".moves_actor").fault(
            "the extras of the clip state a turn rate. A clip with a turn rate cannot have moves_actor. Remove"
            " moves_actor."
        )
    path = path_of(clip, turns=entry.turns_actor)
    in_place = without_path(clip, path)
    if {"ground_speed", "ground_velocity"} & clip.extras.keys():
        side, ahead = ground_velocity(clip, loaded.facing)
        time = np.linspace(0, clip.duration, len(path))
        path = _with_steps(path, loaded.facing, side * time, ahead * time)
    if not path.any():
        raise (key / ".moves_actor").fault(
            f"the body stays in place in clip {clip.name!r}. Write a curve of the distance ahead [m], such as"
            " moves_actor = { seconds = [0.2, 0.5], values = [0.0, 0.7] }."
        )
    return Member(in_place, (0.0, 0.0), path=path)


def _with_steps(path: RootPath, facing: float, side: Distances = 0.0, ahead: Distances = 0.0) -> RootPath:
    """Return a path with distances [point] to the left and ahead [rig units] added."""
    sine, cosine = float(elementary.sin(facing)), float(elementary.cos(facing))
    moved = path.astype(np.float64)
    moved[:, 0] += ahead * sine + side * cosine
    moved[:, 1] += ahead * cosine - side * sine
    return moved.astype(np.float32)


def _with_contacts(clips: list[Clip], velocities: list[tuple[float, float]], loaded: LoadedRig) -> list[Clip]:
    """Return `clips` with foot contacts in their extras.

    If the extras of a clip contain no contacts, the function measures the contacts of all clips, so that all clips have
    the same kind of contacts. Clips of rigs without legs do not change.
    """
    legs = find_legs(loaded.rig)
    if all(clip.extras.get("contacts") for clip in clips) or not legs:
        return clips
    return [
        with_measured_contacts(clip, legs, velocity, loaded.facing)
        for clip, velocity in zip(clips, velocities, strict=True)
    ]


def _in_step(clips: list[Clip], key: SceneKey) -> list[Clip]:
    """Return `clips` with a new timing: in all clips, feet touch the ground at equal phases. Raises InputError."""
    try:
        return synchronise(clips)
    except ValueError as error:
        raise key.fault(
            f'{error} If feet need not touch the ground at equal phases of the clips, write sync = "phase".'
        ) from None
    except InputError as error:
        raise key.fault(str(error)) from None


def _space_motion(space: BlendSpaceModel, loaded: LoadedRig, parameter_names: tuple[str, ...], key: SceneKey) -> Motion:
    for i, name in enumerate(space.parameters):
        (key / f".parameters[{i}]").require_among(name, parameter_names, "the crowd has no parameter")
    clips = [find_clip(loaded, entry.clip, key / f".members[{i}].clip") for i, entry in enumerate(space.members)]
    velocities = [ground_velocity(clip, loaded.facing) for clip in clips]
    positions = [
        _member_position(entry, velocity, len(space.parameters), loaded.scale, key / f".members[{i}].at")
        for i, (entry, velocity) in enumerate(zip(space.members, velocities, strict=True))
    ]
    match space.sync:
        case "contacts":
            clips = _in_step(_with_contacts(clips, velocities, loaded), key / ".sync")
        case "phase":
            pass  # keep the clips unchanged
        case _:
            assert_never(space.sync)
    members = [
        Member(clip, velocity, at, ground_turn(clip))
        for clip, velocity, at in zip(clips, velocities, positions, strict=True)
    ]
    members.sort(key=lambda member: member.at)
    motion = Motion(space.name, tuple(members), True, tuple(space.parameters), space.keeps_pace)
    if len({member.at for member in members}) < len(members):
        raise (key / ".members").fault(
            "all members of a blend space must have different positions. Write a different `at` for each member."
        )
    return motion


def _member_position(
    entry: MemberModel, velocity: tuple[float, float], dimensions: int, scale: float, key: SceneKey
) -> tuple[float, float]:
    """Return the position of a clip on the parameter axes of a blend space.

    The scene can set this position. Without a position in the scene, the function returns the ground velocity of the
    clip [m/s].
    """
    if entry.at is None:
        side, ahead = (part * scale for part in velocity)
        return (ahead, 0.0) if dimensions == 1 else (side, ahead)
    if isinstance(entry.at, tuple) != (dimensions == 2):
        raise key.fault(
            "the position must have one number for each parameter of the blend space. Write one number for one"
            " parameter, or two numbers for two parameters."
        )
    return entry.at if isinstance(entry.at, tuple) else (entry.at, 0.0)
