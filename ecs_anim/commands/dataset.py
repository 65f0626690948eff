"""`ecs-anim dataset` writes labelled pictures of a scene for many seeds, frames and cameras."""

from pathlib import Path
from typing import Any

from ecs_anim.commands.plan import Plan, folder_output, read_planned
from ecs_anim.dataset.save import save_dataset
from ecs_anim.support.terminal import print_note


def write_dataset(scene: str, out: Path, cameras: tuple[str, ...], **options: Any) -> None:
    """Execute `ecs-anim dataset`.

    `options` contains arguments of `save_dataset`. If `cameras` is empty, the command uses all cameras. Raises
    InputError for wrong input.
    """
    read = read_planned(Plan(outputs=folder_output(out)), scene)
    save_dataset(read, out, cameras=cameras or None, **options)
    print_note(f"wrote {out}")
