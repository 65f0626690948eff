"""`ecs-anim retarget`: a motion's clips on another model, written as glTF."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.commands.outputs import require_apart
from ecs_anim.commands.tables import print_tables
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.maths.axes import Axis
from ecs_anim.retargeting.retarget import Lending, WhatOfRoot
from ecs_anim.scenes.rigs import BUILT_IN, MANNEQUIN, load_model
from ecs_anim.support.errors import InputError, nearest
from ecs_anim.support.files import file_type
from ecs_anim.support.pictures import complete_file, require_writable
from ecs_anim.support.terminal import print_json, print_note


@dataclass(frozen=True)
class RetargetRequest:
    """What the command line asks for."""

    motion: str
    model: str
    out: Path
    clips: tuple[str, ...]  # names; none: all
    root_motion: WhatOfRoot
    hands: bool  # whether they are where the motion's are
    roles: Mapping[str, str]  # joints of the model by role
    up: Axis | None  # of the motion
    as_json: bool


def retarget_file(request: RetargetRequest) -> None:
    """Write the model with the motion's clips, and print what they are. Raises InputError."""
    if request.out.suffix.lower() != ".glb":
        raise InputError(f"{request.out}: a binary glTF file is written; give a name that ends in .glb")
    require_writable(request.out)
    require_apart({"--out": request.out}, (request.motion, request.model))
    source, target = load_model(request.motion, up=request.up), load_model(request.model)
    path = _model_file(request.model)
    lending = Lending.between(source, target, target_roles=request.roles)
    try:
        clips = [lending.clip(clip, request.root_motion, request.hands) for clip in _chosen(source, request)]
    except InputError as error:
        raise InputError(f"{request.model}: {error}") from None
    content = with_clips(path, clips)
    with complete_file(request.out) as file:
        file.write(content)
    _print(clips, request)


def _model_file(model: str) -> Path:
    """The glTF file that a model is in."""
    if model == "mannequin":
        return MANNEQUIN
    if model in BUILT_IN:
        raise InputError(f"{model!r} is made by code, and has no file; name a .gltf, .glb or .vrm file, or 'mannequin'")
    if file_type(Path(model)).family == "motion":
        raise InputError(
            f"{model}: this is a BVH motion, and it has no body. Name a .gltf, .glb or .vrm file, or 'mannequin'."
        )
    return Path(model)


def _chosen(source: Rig, request: RetargetRequest) -> list[Clip]:
    if not source.clips:
        raise InputError(f"{request.motion}: it has no clips")
    for name in request.clips:
        if name not in source.clips:
            known = ", ".join(source.clips)
            raise InputError(f"{request.motion}: no clip {name!r};{nearest(name, source.clips)} its clips are: {known}")
    return [source.clips[name] for name in request.clips or source.clips]


def _print(clips: list[Clip], request: RetargetRequest) -> None:
    rows: list[dict[str, Any]] = [
        {
            "name": clip.name,
            "duration_s": round(clip.duration, 4),
            "tracks": len(clip.tracks),
            "ground_speed": clip.extras.get("ground_speed"),
            "ground_turn": clip.extras.get("ground_turn", 0.0),
        }
        for clip in clips
    ]
    facts = {"clips": rows}
    if request.as_json:
        print_json(facts)
    else:
        print_tables(facts)
    print_note(f"wrote {request.out}")
