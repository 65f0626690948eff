"""`ecs-anim dataset`: pictures of a scene's seeds, frames and cameras, with labels, in a folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ecs_anim.dataset.plan import Format
from ecs_anim.dataset.save import save_dataset
from ecs_anim.scenes.loader import read_scene
from ecs_anim.support.terminal import print_note
from ecs_anim.view.label_passes import PassName


@dataclass(frozen=True)
class DatasetOptions:
    """The command's options."""

    scene: str
    out: Path
    seeds: range | None  # None = the scene's own
    frames: range
    cameras: Sequence[str] | None  # None = all
    passes: Sequence[PassName]
    formats: Sequence[Format]
    size: tuple[int, int] | None  # [pixels]; None = as large as each camera says
    actors: int | None
    threads: int | None
    allow_code: bool


def write_dataset(options: DatasetOptions) -> None:
    """Run the command. Raises InputError."""
    save_dataset(
        read_scene(options.scene),
        options.out,
        seeds=options.seeds,
        frames=options.frames,
        cameras=options.cameras,
        passes=options.passes,
        formats=options.formats,
        size=options.size,
        actors=options.actors,
        threads=options.threads,
        allow_code=options.allow_code,
    )
    print_note(f"wrote {options.out}")
