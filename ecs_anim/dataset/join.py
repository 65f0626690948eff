"""The files that describe all pictures of a data set.

The files combine the records of all tasks in the order of the tasks.
"""

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import chain
from typing import Any

from ecs_anim.dataset.contact_sheet import ContactSheet
from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.output import (
    ANNOTATIONS,
    LABELS,
    MANIFEST,
    SCHEMA,
    SHEET,
    DigestedFile,
    digested_file,
    write_data,
    write_file,
)
from ecs_anim.dataset.plan import Moment, Plan, Task
from ecs_anim.labels.coco import CocoFile, Label
from ecs_anim.labels.mot import mot_lines
from ecs_anim.labels.schema import json_schema
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.view.label_passes import CLASSES

INSTANCES, KEYPOINTS, TRACKS = (f"{ANNOTATIONS}/{name}" for name in ("instances", "keypoints", "mot"))


def join(folder: Folder) -> None:
    """Write labels, annotations, the contact sheet, and finally the manifest.

    The manifest marks the data set as complete.

    Raises InputError for a missing record and for disk errors.
    """
    plan, sheet = folder.plan, ContactSheet(folder.plan)
    with ExitStack() as stack:
        made = _AllPictures(folder, stack)
        digests: dict[str, str] = {}
        for task in plan.tasks():
            tracks: dict[str, list[str]] = {camera: [] for camera in plan.cameras}
            for frame, moment in enumerate(task.moments, 1):
                record = _record(folder, moment)
                digests |= record["files"]
                for label in record["labels"]:
                    made.add(label)
                    sheet.add(label)
                    tracks[label["camera"]] += mot_lines(label, frame)
            if "mot" in plan.formats:
                digests |= _write_tracks(folder, task, tracks)
        digests |= made.finish()
    if not made.annotations:
        warnings.warn(
            InputWarning(f"{folder.path}: no picture shows an actor. Move the camera, or choose later frames"),
            stacklevel=2,
        )
    if LABELS in digests:
        schema = json.dumps(json_schema(), indent=1) + "\n"
        digests[SCHEMA] = write_file(folder.path / SCHEMA, schema.encode())
    if "rgb" in plan.passes:
        digests[SHEET] = write_file(folder.path / SHEET, sheet.png(folder.path))
    told = {"classes": CLASSES, "pictures": made.pictures, "annotations": made.annotations}
    manifest = plan.header() | told | {"files": dict(sorted(digests.items()))}
    write_data(folder.path / MANIFEST, manifest)


class _AllPictures:
    """The files that describe all pictures. The method `add` adds the data of one picture."""

    def __init__(self, folder: Folder, stack: ExitStack) -> None:
        plan = folder.plan
        self.pictures = self.annotations = 0
        self._folder, self._stack = folder, stack
        self._files = dict[str, DigestedFile]()
        self._lines = self._begin(LABELS) if "jsonl" in plan.formats else None
        splits: tuple[str | None, ...] = (*plan.splits,) or (None,)
        self._coco = {split: [*self._coco_files(split)] for split in splits if "coco" in plan.formats}

    def _begin(self, name: str) -> DigestedFile:
        self._files[name] = self._stack.enter_context(digested_file(self._folder.path / name))
        return self._files[name]

    def _coco_files(self, split: str | None) -> Iterator[CocoFile]:
        """Yield the writers of the COCO files for the pictures of a split. None = the data set has no splits."""
        plan = self._folder.plan
        info = {"description": f"{plan.scene}, made by ecs-anim", "version": plan.versions["ecs-anim"]}
        for name in (INSTANCES, KEYPOINTS):
            file = self._begin(f"{name}.json" if split is None else f"{name}_{split}.json")
            yield CocoFile(file.write, info, keypoints=name == KEYPOINTS)

    def add(self, label: Label) -> None:
        self.pictures += 1
        self.annotations += sum(actor["area"] > 0 for actor in label["actors"])
        if self._lines is not None:
            self._lines.write((json.dumps(label) + "\n").encode())
        for file in self._coco.get(label["split"], ()):
            file.add(label)

    def finish(self) -> dict[str, str]:
        """Complete the files. Return a dictionary from file path to digest."""
        for file in chain.from_iterable(self._coco.values()):
            file.finish()
        return {name: file.sha256 for name, file in self._files.items()}


def _record(folder: Folder, moment: Moment) -> dict[str, Any]:
    record = folder.record(moment)
    if record is None:
        raise InputError(
            f"{folder.path}: the record of picture {moment.number} (frame {moment.frame}) is missing. Start the data"
            " set again."
        )
    return record


def _write_tracks(folder: Folder, task: Task, tracks: Mapping[str, list[str]]) -> dict[str, str]:
    """Write the tracks of a task into one file for each camera. Return a dictionary from file path to digest."""
    paths = {camera: tracks_path(folder.plan, camera, task.seed) for camera in tracks}
    return {path: write_file(folder.path / path, "".join(tracks[camera]).encode()) for camera, path in paths.items()}


def tracks_path(plan: Plan, camera: str, seed: int) -> str:
    """Return the path of the file with the tracks for one camera and one seed.

    If the plan has several seeds, the path contains the seed.
    """
    return f"{TRACKS}/{camera}.txt" if len(plan.seeds) == 1 else f"{TRACKS}/{camera}_seed{seed}.txt"
