"""`ecs-anim export`: a scene's crowds as a file of other programs."""

from pathlib import Path
from typing import Any

from ecs_anim.commands.outputs import files_of, require_apart
from ecs_anim.exporting.export import export, require_export_file
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.arguments import unknown
from ecs_anim.support.terminal import print_note


def export_scene(
    scene: str, out: Path, frames: int, crowds: tuple[str, ...], from_frame: int | None, **loading: Any
) -> None:
    """Run the command: export these crowds, or all; `loading` is as `load_scene` takes it. Raises InputError."""
    require_export_file(out)
    read = read_scene(scene)
    require_apart({"--out": out}, files_of(read, scene))
    known = [crowd.called for crowd in read.model.crowds]
    for name in crowds:
        if name not in known:
            raise unknown("crowd", name, known)
    with open_world(read, Start(from_frame), **loading) as world:
        export(world, out, frames=frames, crowds=crowds or None)
    print_note(f"wrote {out}: {frames} frames")
