"""`ecs-anim export`: a scene's crowds as a file of other programs."""

from dataclasses import dataclass
from pathlib import Path

from ecs_anim.commands.outputs import files_of, require_apart
from ecs_anim.exporting.export import export, require_export_file
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.arguments import unknown
from ecs_anim.support.terminal import print_note


@dataclass(frozen=True)
class ExportOptions:
    """The command's options."""

    scene: str
    out: Path
    frames: int
    crowds: tuple[str, ...]  # names; none = all
    actors: int | None
    seed: int | None
    from_frame: int | None
    threads: int | None
    allow_code: bool


def export_scene(options: ExportOptions) -> None:
    """Run the command. Raises InputError."""
    require_export_file(options.out)
    scene = read_scene(options.scene)
    require_apart({"--out": options.out}, files_of(scene, options.scene))
    known = [crowd.called for crowd in scene.model.crowds]
    for name in options.crowds:
        if name not in known:
            raise unknown("crowd", name, known)
    with open_world(
        scene,
        Start(options.from_frame),
        actors=options.actors,
        seed=options.seed,
        threads=options.threads,
        allow_code=options.allow_code,
    ) as world:
        export(world, options.out, frames=options.frames, crowds=options.crowds or None)
    print_note(f"wrote {options.out}: {options.frames} frames")
