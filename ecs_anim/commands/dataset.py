"""`ecs-anim dataset` writes labelled pictures of a scene for many seeds, frames and cameras, and verifies labels."""

import sys
from pathlib import Path
from typing import Any

from ecs_anim.commands.plan import Plan, folder_output, read_planned
from ecs_anim.dataset.save import save_dataset
from ecs_anim.support.errors import InputError
from ecs_anim.support.progress import progress_told
from ecs_anim.support.terminal import print_line, print_note
from ecs_anim.verifying.verify import read_manifest, verify_dataset


def write_dataset(scene: str | None, out: Path | None, cameras: tuple[str, ...], **options: Any) -> None:
    """Execute `ecs-anim dataset`.

    `options` contains arguments of `save_dataset`. If `cameras` is empty, the command uses all cameras. Raises
    InputError for wrong input.
    """
    if scene is None or out is None:
        raise InputError(
            "a data set needs SCENE and --out DIR (got only one of them or none). Add the missing one, or verify a data"
            " set with --verify DIR."
        )
    read = read_planned(Plan(outputs=folder_output(out)), scene)
    save_dataset(read, out, cameras=cameras or None, **options)
    print_note(f"wrote {out}")


def verify_labels(folder: Path, scene: str | None, out: Path | None) -> None:
    """Execute `ecs-anim dataset --verify`: print one line for each kind of deviation, and a summary.

    The exit code is 1 if there are deviations. Raises InputError for a folder without a data set.
    """
    if scene is not None or out is not None:
        raise InputError(
            "--verify DIR reads a data set and writes none (got SCENE or --out). Leave out SCENE and --out."
        )
    with progress_told(read_manifest(folder)["pictures"], "verifying", "pictures") as advance:
        done = verify_dataset(folder, advance)
    found = done.findings.deviations
    for deviation in found:
        print_line(str(deviation))
    checks = done.findings.checks
    missing = f"; not compared, because the data set has no pass {', '.join(done.missing)}" if done.missing else ""
    print_line(
        f"{folder}: {len(found) or 'no'} {'kind' if len(found) == 1 else 'kinds'} of deviation in {done.pictures:,}"
        f" pictures, {checks.total():,} comparisons of {len(checks)} kinds{missing}"
    )
    if found:
        sys.exit(1)
