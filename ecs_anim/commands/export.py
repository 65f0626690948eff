"""`ecs-anim export` writes the crowds of a scene to a file for other programs."""

from pathlib import Path
from typing import Any

from ecs_anim.commands.duration import Duration
from ecs_anim.commands.plan import Output, Plan, read_planned
from ecs_anim.exporting.export import FRAMES, export, require_export_file
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.arguments import unknown
from ecs_anim.support.terminal import print_note


def export_scene(
    scene: str,
    out: Path,
    frames: int | None,
    seconds: float | None,
    crowds: tuple[str, ...],
    from_frame: int | None,
    **loading: Any,
) -> None:
    """Execute `ecs-anim export`.

    If `crowds` is empty, the command exports all crowds. `loading` contains arguments of `load_scene`. Raises
    InputError for wrong input.
    """
    duration = Duration(frames, seconds)
    output = Output("--out", out, (require_export_file,))
    read = read_planned(Plan(outputs=(output,), problems=duration.problems), scene)
    steps = duration.steps(read.model.frame_rate) or FRAMES
    known = [crowd.called for crowd in read.model.crowds]
    for name in crowds:
        if name not in known:
            raise unknown("crowd", name, known)
    with open_world(read, Start(from_frame), **loading) as world:
        first = export(world, out, frames=steps, crowds=crowds or None)
    print_note(f"wrote {first}{'' if first == out else ' and a file for each other actor'}: {steps} frames")
