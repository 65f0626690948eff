"""Scenes with recorded crowds. The recording of a crowd determines the number of its actors, and can contain walls for
the scene.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_walls import WallsModel
from ecs_anim.support.reuse import reusable

if TYPE_CHECKING:  # these modules read trajectory files, which few scenes need
    from ecs_anim.scenes.recordings import Recorded


@reusable
def with_recordings(scene: SceneFile) -> "tuple[SceneFile, list[Recorded | None]]":
    """Return the scene with the numbers of actors from its recordings. Also return the recording of each crowd.

    Raises InputError.
    """
    if all(crowd.trajectories is None for crowd in scene.model.crowds):
        return scene, [None] * len(scene.model.crowds)
    found = [_read(scene, index, crowd) for index, crowd in enumerate(scene.model.crowds)]
    crowds = [
        crowd if own is None else crowd.model_copy(update={"count": own.count})
        for crowd, own in zip(scene.model.crowds, found, strict=True)
    ]
    walls = scene.model.walls or _walls(found)
    return replace(scene, model=scene.model.model_copy(update={"crowds": crowds, "walls": walls})), found


def require_people(scene: SceneFile, recorded: "Sequence[Recorded | None]", counts: Sequence[int]) -> None:
    """Raise InputError if a crowd has more actors than its recording has people."""
    for index, (found, count) in enumerate(zip(recorded, counts, strict=True)):
        if found is not None and count > found.count:
            text = (
                f"the file has {found.count} people, but --actors requests {count} actors for this crowd. Lower "
                "--actors"
            )
            raise SceneKey(scene.label, f"crowds[{index}].trajectories").fault(text)


def _read(scene: SceneFile, index: int, crowd: CrowdModel) -> "Recorded | None":
    if crowd.trajectories is None:
        return None
    from ecs_anim.scenes.recordings import read_recorded

    key = SceneKey(scene.label, f"crowds[{index}]")
    found = read_recorded(crowd.trajectories, scene.folder, key / ".trajectories")
    if "count" not in crowd.model_fields_set:
        return found
    if crowd.count > found.count:
        raise (key / ".count").fault(
            f"the number of actors must be at most {found.count}, the number of people in {crowd.trajectories.file}"
            f" (got {crowd.count}). To use all people, leave out this key."
        )
    return found.first(crowd.count)


def _walls(found: "Sequence[Recorded | None]") -> WallsModel | None:
    """Return the walls of the first recording that has walls. If no recording has walls, return None."""
    first = next((own.walls[0] for own in found if own is not None and own.walls), None)
    return None if first is None else WallsModel(wkt=first.wkt)
