"""`ecs-anim retarget` transfers the clips of a motion file to another model, and writes a glTF file."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ecs_anim.assets.clip import Clip
from ecs_anim.commands.plan import Plan, file_output, require_ending
from ecs_anim.commands.tables import print_facts
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.maths.axes import Axis
from ecs_anim.retargeting.retarget import Lending, RootMotionMode
from ecs_anim.scenes.rigs import MANNEQUIN, MODEL_NAMES, clips_of, load_model
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import file_type
from ecs_anim.support.pictures import complete_file
from ecs_anim.support.terminal import print_note


def retarget_file(
    motion: str,
    model: str,
    out: Path,
    clips: tuple[str, ...],
    root_motion: RootMotionMode,
    hands: bool,
    roles: Mapping[str, str],
    up: Axis | None,
    as_json: bool,
) -> None:
    """Write the model with the clips of the motion file, and print the clips. Raises InputError for wrong input.

    `clips` contains the names of the clips. If `clips` is empty, the command transfers all clips. `roles` is a
    dictionary from role to the joint of the model. `up` is the axis that points up in the motion file. If `hands` is
    true, the hands of the model reach the positions of the hands in the motion file.
    """
    is_glb = partial(require_ending, endings=(".glb",), problem="the output must be binary glTF. Name a .glb file")
    Plan((motion, model), file_output("--out", out, is_glb)).check()
    source, target = load_model(motion, up=up), load_model(model)
    path = _model_file(model)
    lending = Lending.between(source, target, target_roles=roles)
    try:
        lent = [lending.clip(clip, root_motion, hands) for clip in clips_of(source, motion, clips)]
    except InputError as error:
        raise InputError(f"{model}: {error}") from None
    content = with_clips(path, lent)
    with complete_file(out) as file:
        file.write(content)
    print_facts({"clips": list(map(_facts, lent))}, as_json=as_json)
    print_note(f"wrote {out}")


def _model_file(model: str) -> Path:
    if model == "mannequin":
        return MANNEQUIN
    if model in MODEL_NAMES:
        raise InputError(
            f"MODEL must be a model file or 'mannequin' (got {model!r}). Name a .gltf, .glb, .vrm or .fbx file."
        )
    if file_type(Path(model)).family == "motion":
        raise InputError(
            f"{model}: MODEL must be a character with a mesh (got a motion). Name a .gltf, .glb, .vrm or .fbx file, "
            "or 'mannequin'."
        )
    return Path(model)


def _facts(clip: Clip) -> dict[str, Any]:
    return {
        "name": clip.name,
        "duration_s": round(clip.duration, 4),
        "tracks": len(clip.tracks),
        "ground_speed": clip.extras.get("ground_speed"),
        "ground_turn": clip.extras.get("ground_turn", 0.0),
    }
