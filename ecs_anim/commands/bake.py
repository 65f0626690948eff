"""`ecs-anim bake` writes the clips of a model to a bake file. This module also prints the content of a bake file."""

import math
from pathlib import Path
from typing import Any

from ecs_anim.bake.bake import Bake, BakedClip
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.file import load_bake, save_bake
from ecs_anim.bake.options import DEGREES_BY_MM, ERROR_MM, BakeOptions, FormatName, SpaceName
from ecs_anim.commands.plan import Plan, file_output
from ecs_anim.commands.tables import print_facts
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.terminal import print_note


def bake_model(
    model: str,
    out: Path,
    clips: tuple[str, ...],
    space: SpaceName,
    number_format: FormatName,
    bake_rate: float | None,
    error_mm: float | None,
    rotation_only: bool,
    as_json: bool,
) -> None:
    """Bake the clips of a model, write the bake file, and print its content. Raises InputError for wrong input.

    `clips` contains the names of the clips. If `clips` is empty, the command bakes all clips. The unit of `bake_rate`
    is Hz.
    """
    both = bake_rate is not None and error_mm is not None
    problems = ("--bake-rate and --error must not be given together. Leave out one of these options",) if both else ()
    Plan((model,), file_output("--out", out), problems).check()
    options = BakeOptions(space, number_format, bake_rate, ERROR_MM if error_mm is None else error_mm, rotation_only)
    rig = load_model(model)
    bake = bake_rig(rig, options, clips or None)
    save_bake(bake, out)
    print_facts(describe_bake(bake), as_json=as_json)
    print_note(f"wrote {out}")
    for line in remarks(bake):
        print_note(line)
    if any(rig.clips[clip.name].morph_tracks for clip in bake.clips):
        print_note("these clips move morph targets, but the bake contains only the motion of joints")


def show_bake(path: Path, as_json: bool) -> None:
    """Print the content of a bake file. Raises InputError if the file is invalid."""
    bake = load_bake(path)
    print_facts(describe_bake(bake), as_json=as_json)
    for line in remarks(bake):
        print_note(line)


def describe_bake(bake: Bake) -> dict[str, Any]:
    """Return a dictionary with the options and sizes of a bake, and with the sample rate and the error of each clip."""
    options = bake.options
    summary = {
        "name": bake.name,
        "space": options.space,
        "format": options.number_format,
        "rotation_only": options.rotation_only,
        "joints": bake.skeleton.joint_count,
        "palette_entries": bake.skeleton.palette_count,
        "rows": len(bake.rows),
        "numbers_a_row": bake.space.row_width,
        "kilobytes": round(bake.nbytes / 1000, 1),
    }
    return {"bake": summary, "clips": [_clip_facts(bake, clip) for clip in bake.clips]}


def remarks(bake: Bake) -> list[str]:
    """If the error of at least one clip exceeds the requested error, return a list with one line of text.

    Otherwise, return an empty list.

    The line states why the error is too large: the number format rounds too much, the motion of a clip is too fast, or
    the motion jumps.
    """
    if bake.options.rate is not None:
        return []
    worst = max(bake.clips, key=lambda clip: _excess(bake, clip))
    if _excess(bake, worst) <= 1:
        return []
    off = f"{worst.error.millimetres(bake.size):.2g} mm and {worst.error.degrees:.2g} degrees"
    asked = f"{bake.options.error_mm:g} mm and {bake.options.error_mm * DEGREES_BY_MM:g} degrees"
    fix = {"u8": "Use --format f16", "f16": "Use --format f32", "f32": "The clip jumps or moves too fast"}
    why = "Leave out --rotation-only" if bake.options.rotation_only else fix[bake.options.number_format]
    return [f"clip {worst.name!r} has an error of {off}, but the requested limit is {asked}. {why}"]


def _excess(bake: Bake, clip: BakedClip) -> float:
    """Return the error of a clip divided by the requested error."""
    asked = bake.options.error_mm
    turned = clip.error.angle / math.radians(asked * DEGREES_BY_MM)
    return max(clip.error.millimetres(bake.size) / asked, turned)


def _clip_facts(bake: Bake, clip: BakedClip) -> dict[str, Any]:
    seam = ("closed" if bake.closes(clip.name) else "jumps") if clip.loops else "stays"
    return {
        "name": clip.name,
        "duration_s": round(clip.span.duration, 4),
        "hz": round(clip.span.rate, 2),
        "rows": clip.span.interval_count + 1,
        "seam": seam,
        "error_mm": round(clip.error.millimetres(bake.size), 4),
        "error_degrees": round(clip.error.degrees, 4),
    }
