"""Collection of the results of all tasks.

The module combines pictures into films, and the pictures of several seeds into data sets. The module also writes the
manifest.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.join import join
from ecs_anim.dataset.output import file_digest, read_data, write_data
from ecs_anim.dataset.plan import versions
from ecs_anim.farm.egress import write_egress_files
from ecs_anim.farm.folder import DATASETS, MANIFEST, VIDEOS, FarmFolder
from ecs_anim.farm.job import VideoModel
from ecs_anim.farm.plan import FarmPlan, Run, Task, dataset_key, key_of
from ecs_anim.farm.products import picture_name
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.images import decode_image
from ecs_anim.support.pictures import frame_rate_for, open_sink, told

PICTURE = Kind("picture", "picture_bytes")
MANIFEST_KIND = Kind("manifest of a farm", "json_bytes")
# entries of a record that the manifest leaves out: `key` is stored elsewhere, and `varying` differs between runs
VARIES = ("key", "varying")


def collect(plan: FarmPlan, folder: FarmFolder, failed: Mapping[str, str]) -> None:
    """Write the files that need the results of several tasks. Then write the manifest.

    Raises InputError for disk errors.
    """
    whole = [run for run in plan.runs if not any(task.key in failed for task in run.tasks)]
    known = _known_films(folder)
    films = {run.number: dict(_films(plan, run, folder, known)) for run in whole}
    datasets = [*_datasets(plan, folder, failed)]
    write_egress_files(plan, folder, failed)
    manifest = {
        "job": plan.job.model.model_dump(mode="json", exclude_unset=True),
        "versions": versions(),
        "runs": [_run(run, [*films.get(run.number, [])]) for run in plan.runs],
        "tasks": {key: _told(folder.record(key) or {}) for key in plan.tasks if key not in failed},
        "videos": {name: digest for own in films.values() for name, digest in own.items()},
        "datasets": datasets,
        "failed": {key: log.strip().splitlines()[-1] for key, log in failed.items()},
    }
    write_data(folder.path / MANIFEST, manifest)


def _run(run: Run, films: list[str]) -> dict[str, Any]:
    own = {"number": run.number, "seed": run.seed, "values": dict(run.values)}
    return own | {"tasks": [task.key for task in run.tasks], "videos": films}


def _told(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a task for the manifest, without values that differ between runs."""
    return {name: value for name, value in record.items() if name not in VARIES}


def _known_films(folder: FarmFolder) -> dict[str, str]:
    """Return a dictionary from film path to SHA-256 digest, read from the existing manifest.

    If the folder contains no valid manifest, return an empty dictionary.
    """
    try:
        known = (read_data(folder.path / MANIFEST, MANIFEST_KIND, "no manifest") or {}).get("videos")
    except InputError:
        return {}
    return known if isinstance(known, dict) else {}


def _films(plan: FarmPlan, run: Run, folder: FarmFolder, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write the films of a run, one for each camera. Yield the path of each film in the folder, and its SHA-256 digest.

    If the digest of an existing film differs from the digest in `known`, the function writes the film again.
    """
    make = plan.job.model.make.video
    if make is None:
        return
    drawn = [task for task in run.tasks if task.kind == "pictures" and task.options["size"] == make.size]
    for camera in drawn[0].options["cameras"]:
        key = key_of([[task.key for task in drawn], camera, make.model_dump()])
        name = f"{VIDEOS}/{run.number:04d}_{camera}_{key}.{make.ending}"
        path = folder.path / name
        digest = file_digest(path) if path.is_file() else None
        if digest is None or digest != known.get(name, digest):
            with told(folder.path):
                path.parent.mkdir(exist_ok=True)
            _film(folder, drawn, camera, path, *_pace(plan, make, path))
            digest = file_digest(path)
        yield name, digest


def _pace(plan: FarmPlan, make: VideoModel, path: Path) -> tuple[Fraction, int]:
    """Return the frame rate [1/s] of a film, and the distance [frames] between two shown frames.

    If the file format cannot show all frames in real time, the distance between two shown frames is larger than 1.
    """
    if make.fps:
        return Fraction(make.fps), 1
    passing = Fraction(plan.job.scene.model.frame_rate, range(*plan.job.model.ranges.frames).step)
    shown = frame_rate_for(path, passing)
    return shown, int(passing / shown)


def _film(folder: FarmFolder, drawn: list[Task], camera: str, path: Path, rate: Fraction, step: int) -> None:
    """Write a film. The film shows the last of every `step` consecutive pictures, as in `ecs-anim run`."""
    pictures = [folder.of_task(task.key) / picture_name(camera, frame) for task in drawn for frame in task.frames]
    pictures = pictures[step - 1 :: step] or pictures[-1:]
    height, width = _picture(pictures[0]).shape[:2]
    with open_sink(path, rate, width, height, len(pictures)) as sink:
        for picture in pictures:
            sink.write(_picture(picture))


def _picture(path: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return decode_image(read_bytes(path, PICTURE))[..., :3]


def _datasets(plan: FarmPlan, folder: FarmFolder, failed: Mapping[str, str]) -> Iterator[str]:
    """Join each data set that has the pictures of all seeds. Yield the path of each joined data set in the folder."""
    unfinished = {dataset_key(task.dataset) for key, task in plan.tasks.items() if task.dataset and key in failed}
    for dataset in plan.datasets:
        key = dataset_key(dataset)
        if key in unfinished:
            continue
        own = Folder(folder.dataset(key), dataset)
        if not own.is_joined():
            join(own)
        own.finish()
        yield f"{DATASETS}/{key}"
