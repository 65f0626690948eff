"""Pre-movement times of actors: reading of files with times, and random times."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.schema_premovement import MOST_SECONDS, PremovementModel
from ecs_anim.support.errors import Faults, InputError
from ecs_anim.support.files import Kind, read_text

TIMES = Kind("file of pre-movement times", "scene_bytes")


def with_premovement_times(scene: SceneFile) -> SceneFile:
    """Return the scene with the pre-movement times from all files that `premovement_seconds` names. Raises InputError
    if a file is invalid.
    """
    with Faults() as faults:
        crowds = [*scene.model.crowds]
        for index, crowd in enumerate(crowds):
            with faults.kept():
                crowds[index] = _written_out(crowd, scene.folder)
    if all(map(lambda new, old: new is old, crowds, scene.model.crowds)):
        return scene
    return replace(scene, model=scene.model.model_copy(update={"crowds": crowds}))


def _written_out(crowd: CrowdModel, folder: Path) -> CrowdModel:
    """Return the crowd with the pre-movement times of its file in the scene keys, in place of the name of the file."""
    said = crowd.steering
    if said is None or not isinstance(said.premovement_seconds, PremovementModel):
        return crowd
    if said.premovement_seconds.file is None:
        return crowd
    read = PremovementModel(sample=read_times(folder / said.premovement_seconds.file))
    return crowd.model_copy(update={"steering": said.model_copy(update={"premovement_seconds": read})})


def read_times(path: Path) -> list[float]:
    """Return the times [s] in a text file with one time per line.

    The function ignores empty lines, lines that begin with "#", and a heading in the first line. Raises InputError for
    any other line that is not a time.
    """
    times = [*_times(path, read_text(path, TIMES).splitlines())]
    if not times:
        raise InputError(f"{path}: the file must have at least one time. Write one time in seconds per line.")
    return times


def _times(path: Path, lines: list[str]) -> Iterator[float]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            value = float(text)
        except ValueError:
            if number == 1:
                continue
            value = math.nan
        if not 0 <= value <= MOST_SECONDS:
            raise InputError(
                f"{path}: line {number}: a time must be a number from 0 to {MOST_SECONDS:g} s (got {text[:40]!r})."
                " Correct the line."
            )
        yield value
