"""`ecs-anim inspect` shows the content of a model, a bake, a building or a trajectory file."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.commands.bake import show_bake
from ecs_anim.commands.inspect_building import show_building
from ecs_anim.commands.inspect_roles import describe_avatar, describe_motion, describe_roles
from ecs_anim.commands.plan import Plan, plot_output
from ecs_anim.commands.tables import print_facts
from ecs_anim.commands.trajectories import show_trajectories
from ecs_anim.maths.axes import Axis
from ecs_anim.profiling.validation.clip_plot import plot_clip
from ecs_anim.profiling.validation.skinning import measure_skinning
from ecs_anim.runtime.clip_table import ClipTables, build_tables
from ecs_anim.runtime.gait import ground_speed, ground_turn
from ecs_anim.scenes.rigs import MODEL_NAMES, clips_of, load_model, load_motion
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import MissingFile, WrongType, file_type
from ecs_anim.support.known_types import Family
from ecs_anim.support.terminal import print_note
from ecs_anim.trajectories.options import ReadOptions

# "json" can be a damaged glTF model
SHOWN: tuple[Family, ...] = ("model", "json", "motion", "bake", "trajectories", "plan", "drawing")


@dataclass(frozen=True)
class InspectRequest:
    """The options of `ecs-anim inspect`."""

    model: str
    clip_name: str | None
    as_json: bool
    plot: Path | None
    skinning: bool
    reading: dict[str, Any]  # arguments of `ReadOptions`; BVH files have a unit too
    roots: bool
    roles: bool
    up: Axis | None

    @property
    def of_trajectories(self) -> bool:
        """True if the user gave an option that applies only to trajectory files."""
        return self.roots or any(own is not None for name, own in self.reading.items() if name != "unit")

    @property
    def unit(self) -> str | None:
        """The length unit from the user's options."""
        return self.reading["unit"]


def inspect_file(request: InspectRequest) -> None:
    """Print the content of a bake, a building, a trajectory file, a motion or a model. Raises InputError for wrong
    input.
    """
    path, family = Path(request.model), _family(request.model)
    Plan((path,), plot_output(request.plot), tuple(_problems(request, family))).check()
    if family == "trajectories":
        show_trajectories(path, ReadOptions(**request.reading), request.as_json, request.roots, request.plot)
    elif family == "bake":
        show_bake(path, request.as_json)
    elif family in ("plan", "drawing"):
        show_building(path, request.as_json)
    else:
        inspect_model(request, is_a_motion=family == "motion")


def _problems(request: InspectRequest, family: Family) -> Iterator[str]:
    path = request.model
    of_a_model = request.clip_name is not None or request.skinning or request.roles or request.up is not None
    if family == "trajectories":
        if of_a_model:
            yield f"{path}: --clip, --skinning, --roles and --up need a model (got a file of trajectories)"
        return
    if request.of_trajectories or (request.unit is not None and family != "motion"):
        options = "--unit, --sample-rate, --columns, --axes, --origin, --level and --roots"
        yield f"{path}: {options} need a file of trajectories"
    if family in ("bake", "plan", "drawing") and (of_a_model or request.plot is not None):
        options = "--clip, --plot, --skinning, --roles and --up"
        yield f"{path}: {options} need a model (got a {family})"
    elif request.plot is not None and request.clip_name is None:
        yield "--plot needs one clip. Name the clip with --clip NAME"


def _family(model: str) -> Family:
    """Return the group of file types to which the file `model` belongs.

    Raises WrongType for a file that the command cannot show.
    """
    if model in MODEL_NAMES:
        return "model"
    try:
        found = file_type(Path(model))
    except MissingFile:
        return "model"  # the loader suggests a similar name
    if found.family not in SHOWN:
        raise WrongType(Path(model), found, "model, motion, bake, building or file of trajectories")
    return found.family


def inspect_model(request: InspectRequest, *, is_a_motion: bool) -> None:
    """Print the content of a model, its joint roles, its skinning errors, or the tracks of one clip.

    If `InspectRequest.plot` is set, the function also plots the clip. Raises InputError for wrong input.
    """
    model, clip_name, plot = request.model, request.clip_name, request.plot
    if is_a_motion:
        rig = load_motion(Path(model), unit=request.unit, up=request.up)
    else:
        rig = load_model(model, up=request.up)
    if clip_name is not None:
        clips_of(rig, model, [clip_name])
    if request.roles:
        facts = describe_roles(rig)
    elif request.skinning:
        facts = describe_skinning(rig, list(rig.clips) if clip_name is None else [clip_name])
    else:
        facts = describe_rig(rig) if clip_name is None else describe_clip(rig.clips[clip_name])
        facts = describe_motion(rig, _unit(request)) | facts if is_a_motion and clip_name is None else facts
    if plot is not None and clip_name is not None:
        plot_clip(rig.clips[clip_name], rig.name, plot)
        print_note(f"wrote {plot}")
    print_facts(facts, as_json=request.as_json)


def _unit(request: InspectRequest) -> str | None:
    """Return a text with the unit of length of a motion, or None if the unit is unknown."""
    if file_type(Path(request.model)).name != "bvh":
        return "m"
    return None if request.unit is None else f"{request.unit}, from --unit"


def describe_rig(rig: Rig) -> dict[str, Any]:
    """Return a dictionary with the joints, meshes and clips of a rig. Lengths are in model units. Raises InputError if
    the budget of the model is exceeded.
    """
    try:
        tables = build_tables(rig.skeleton, list(rig.clips.values()), rig.meshes)
    except InputError as error:
        raise InputError(f"{rig.name}: {error}") from None
    skin = set(rig.skeleton.skin_joints.tolist())
    joints = [
        {"index": i, "name": name, "parent": int(parent), "in_skin": i in skin}
        for i, (name, parent) in enumerate(zip(rig.skeleton.joint_names, rig.skeleton.parents, strict=True))
    ]
    meshes = [
        {
            "name": mesh.name,
            "level": mesh.level,
            "triangles": mesh.triangle_count,
            "vertices": mesh.vertex_count,
            "shading": "unlit" if mesh.material.unlit else "flat" if mesh.flat else "smooth",
            "material": mesh.material.name,
            "texture": mesh.material.texture is not None,
            "colors": mesh.colors is not None,
        }
        for mesh in rig.meshes
    ]
    bounds = rest_bounds(rig) if rig.meshes else None
    size = [round(float(b - a), 4) for a, b in zip(*bounds, strict=True)] if bounds else None
    summary = {
        "name": rig.name,
        "joints": rig.skeleton.joint_count,
        "palette_entries": rig.skeleton.palette_count,
        "unit": "model unit (glTF: metre)" if rig.meshes else "model unit",
        "rest_size": size,
        "animated_channels": tables.layout.row_width - 4 * _padding(tables),
        "table_kilobytes": round(tables.rows.nbytes / 1000, 1),
    }
    clips = [_clip_facts(tables, number) for number in range(len(tables.clips))]
    return {
        "model": summary,
        **({} if rig.avatar is None else {"avatar": describe_avatar(rig.avatar)}),
        "extensions": [{"name": name, "read": name not in rig.ignored_extensions} for name in rig.extensions],
        "joints": joints,
        "meshes": meshes,
        "morph_targets": _morph_facts(rig),
        "figures": [{"name": own.name, "size": own.size, "share": own.share} for own in rig.figures],
        "clips": clips,
    }


def describe_clip(clip: Clip) -> dict[str, Any]:
    """Return a dictionary with the tracks of one clip."""
    tracks = [
        {
            "joint": clip.skeleton.joint_names[track.joint_index],
            "path": track.path,
            "interpolation": track.interpolation,
            "keys": len(track.times),
            "first_s": round(float(track.times[0]), 4),
            "last_s": round(float(track.times[-1]), 4),
        }
        for track in clip.tracks
    ]
    weights = [
        {
            "targets": ", ".join(clip.morph_targets.names[column] for column in track.columns),
            "interpolation": track.curve.interpolation,
            "keys": len(track.curve.times),
            "first_s": round(float(track.curve.times[0]), 4),
            "last_s": round(float(track.curve.times[-1]), 4),
        }
        for track in clip.morph_tracks
    ]
    return {
        "clip": {"name": clip.name, "duration_s": round(clip.duration, 4), "extras": dict(clip.extras)},
        "tracks": tracks,
        "weight_tracks": weights,
    }


def describe_skinning(rig: Rig, clips: Sequence[str]) -> dict[str, Any]:
    """Return a dictionary of skinning errors.

    For each clip in `clips` and each skinning method, the dictionary contains the smallest volume and the smallest
    thickness of the skin. The volume and the thickness are fractions of their values in the rest pose.

    Raises InputError if the rig has no mesh or no clip.
    """
    if not (rig.meshes and clips):
        raise InputError(f"{rig.name}: --skinning needs a model with a mesh and at least one clip. Name another model.")
    measured = [(clip, figures) for clip in clips for figures in measure_skinning(rig, rig.clips[clip])]
    rows = [
        {
            "clip": clip,
            "method": figures.method.replace("_", " "),
            "volume_share": round(figures.volume, 3),
            "at_s": round(figures.volume_time, 2),
            "narrowest_share": round(figures.narrowest, 3),
            "narrowest_at_s": round(figures.narrowest_time, 2),
            "narrowest_joint": figures.narrowest_joint,
        }
        for clip, figures in measured
    ]
    return {"model": {"name": rig.name}, "skinning": rows}


def _morph_facts(rig: Rig) -> list[dict[str, Any]]:
    """Return a dictionary for each morph target: name, default weight, share of moved vertices, and displacement."""
    return [
        {
            "mesh": mesh.name,
            "level": mesh.level,
            "name": name,
            "default_weight": round(float(rig.morph_targets.defaults[mesh.morphs.first + k]), 4),
            "moved_vertices": int(np.count_nonzero(moves)),
            "farthest_move": round(float(moves.max(initial=0)), 4),
        }
        for mesh in rig.meshes
        if mesh.morphs is not None
        for k, name in enumerate(mesh.morphs.names)
        for moves in [np.linalg.norm(mesh.morphs.positions[k], axis=-1)]
    ]


def _clip_facts(tables: ClipTables, number: int) -> dict[str, Any]:
    clip, error = tables.clips[number], tables.error(number)
    curves = [*(track.curve for track in clip.tracks), *(track.curve for track in clip.morph_tracks)]
    return {
        "name": clip.name,
        "duration_s": round(clip.duration, 4),
        "tracks": len(curves),
        "keys": max((len(curve.times) for curve in curves), default=0),
        "interpolation": "+".join(sorted({curve.interpolation for curve in curves})),
        "ground_speed": round(ground_speed(clip), 3),
        "ground_turn": round(ground_turn(clip), 4),
        "table_hz": round(tables.rate(number), 2),
        "table_error_position": float(f"{error.position:.3g}"),
        "table_error_degrees": float(f"{math.degrees(error.rotation):.3g}"),
        "table_mixing_degrees": float(f"{math.degrees(error.mixing):.3g}"),
    }


def _padding(tables: ClipTables) -> int:
    return tables.layout.rotation_width - len(tables.layout.rotation_joints)
