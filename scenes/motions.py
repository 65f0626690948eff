"""Construction of the motions of a crowd: clips and blend spaces."""

from collections.abc import Iterable
from typing import assert_never

from ecs_anim.assets.clip import Clip
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.gait import ground_turn, ground_velocity
from ecs_anim.runtime.motion import Member, Motion, MotionSet, build_motion_set
from ecs_anim.runtime.phase_sync import synchronise
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loaded_rig import LoadedRig, find_clip
from ecs_anim.scenes.parts.playback import BlendSpaceModel, ClipModel, MemberModel
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.support.errors import InputError


def build_motions(
    crowd: CrowdModel, loaded: LoadedRig, parameter_names: tuple[str, ...], key: SceneKey, more: Iterable[Motion]
) -> MotionSet:
    """Return the motions of a crowd, and the tables of all clips in use.

    The set of motions begins with the clips. The blend spaces follow. The set ends with the motions in `more`. Clips
    and blend spaces are in the order of the scene file. Crowds with equal motion keys share one `MotionSet`.
    """
    said = repr((crowd.said_of_motions, parameter_names))
    if said not in loaded.motion_sets:
        loaded.motion_sets[said] = _make_motions(crowd, loaded, parameter_names, key, more)
    return loaded.motion_sets[said]


def _make_motions(
    crowd: CrowdModel, loaded: LoadedRig, parameter_names: tuple[str, ...], key: SceneKey, more: Iterable[Motion]
) -> MotionSet:
    motions = [_clip_motion(entry, loaded, key / f".clips[{i}].name") for i, entry in enumerate(crowd.clips)]
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
    clip = find_clip(loaded, entry.name, key)
    velocity = ground_velocity(clip, loaded.facing)
    if entry.ground_speed_m_s is not None:
        velocity = (0.0, entry.ground_speed_m_s / loaded.scale)
    turn = 0.0 if entry.ground_speed_m_s == 0 else ground_turn(clip)
    loops = bool(clip.extras.get("loop", True)) if entry.loop is None else entry.loop
    return Motion(entry.name, (Member(clip, velocity, turn=turn),), loops)


def _in_step(clips: list[Clip], key: SceneKey) -> list[Clip]:
    """Return `clips` with a new timing: in all clips, feet touch the ground at equal phases. Raises InputError."""
    try:
        return synchronise(clips)
    except ValueError as error:
        raise key.fault(f'{error} Alternatively, write sync = "phase".') from None
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
            clips = _in_step(clips, key / ".sync")
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

    The scene can set the position. By default, the position is the ground velocity of the clip [m/s].
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
