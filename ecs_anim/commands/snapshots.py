"""The scenes of snapshots, for commands that take a snapshot in place of a scene."""

from pathlib import Path

from ecs_anim.ecs.snapshot_file import open_snapshot
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.support.errors import InputError


def scene_of_snapshot(path: Path) -> str:
    """Return the name or the path of the scene of a snapshot. Raises InputError if the scene does not exist."""
    with open_snapshot(path) as snapshot:
        label = str(snapshot.header.origin.get("scene", ""))
    if Path(label).is_file():
        return label
    if Path(label).stem in shipped_scenes():
        return Path(label).stem
    raise InputError(
        f"{path}: the scene {label} of this snapshot is not in the current folder. Name the path of the scene:"
        f" ecs-anim run SCENE --from-snapshot {path}"
    )
