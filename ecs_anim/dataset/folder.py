"""The folder of a data set: paths of its files, and checks of existing files."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ecs_anim.dataset.output import LABELS, MADE, MANIFEST, holds, linked, names_in, read_data, write_file
from ecs_anim.dataset.pass_formats import ending_of
from ecs_anim.dataset.plan import Moment, Plan
from ecs_anim.support.arguments import brief
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, opened
from ecs_anim.support.folder_lock import LOCK, folder_locked
from ecs_anim.support.pictures import told
from ecs_anim.view.label_passes import PassName

# Name of a folder that exists only until the data set is complete, and name of the first file in this folder.
UNFINISHED, PLAN = ".unfinished", "plan.json"
RECORD = Kind("record of a data set", "json_bytes")
FAULT = "the file must belong to a data set. Name another folder, or remove this file"
PARTIAL = re.compile(r"\.(.+)\.\w{8}")  # name of a temporary file that a stopped writer left behind


class Folder:
    """The folder of a data set: the files that belong to the plan of the data set."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path, self.plan = path, plan

    def picture(self, camera: str, name: PassName, number: int) -> str:
        """Return the path of a picture relative to the folder."""
        return f"{camera}/{name}/{number:06d}.{ending_of(name, self.plan.format_of(name))}"

    def require_free(self) -> None:
        """Raise InputError if the folder contains files that do not belong to the data set."""
        others = names_in(self.path) - {UNFINISHED, LOCK}
        begun = self._begun()
        if begun is not None:
            self._require_same(begun)
        elif others:
            raise InputError(
                f"{self.path}: the folder must be empty or contain a data set (got other files). Name a new folder."
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder for one process. If the folder is empty at the end of the `with` block, remove the folder.

        Raises InputError if another process has the lock, and for disk errors.
        """
        with told(self.path):
            self.path.mkdir(exist_ok=True)
        try:
            with folder_locked(self.path):
                yield
        finally:
            with suppress(OSError):  # if the folder contains files, it stays
                self.path.rmdir()

    def is_whole(self) -> bool:
        """Return whether all files of the data set exist unchanged. The method reads all files."""
        digests = self._digests()
        return digests is not None and holds(self.path, digests)

    def has(self, moment: Moment) -> bool:
        """Return whether the pictures of a moment exist unchanged."""
        record = self.record(moment)
        return record is not None and holds(self.path, record["files"])

    def record(self, moment: Moment) -> dict[str, Any] | None:
        """Return the record of a moment: a label for each camera, and the digests of the moment's files.

        If the moment has no record, return None.
        """
        return _json(self._record(moment.number))

    def keep(self, moment: Moment, record: Mapping[str, Any]) -> None:
        """Write the record of a finished moment. Raises InputError for disk errors."""
        self._keep(moment.number, record)

    def begin(self) -> None:
        """Write the plan's header, which identifies the data set."""
        plan = self.path / UNFINISHED / PLAN
        if not plan.exists():
            write_file(plan, json.dumps(self.plan.header()).encode())

    def reopen(self) -> None:
        """Mark a complete data set as incomplete, so that the next run writes its missing and changed files again.

        The function restores the records of moments from the lines of labels.jsonl. Therefore, the next run does not
        draw unchanged pictures again. Raises the errors of `Folder.begin`.
        """
        if self.is_joined():
            self.begin()
            for number, record in self._told():
                self._keep(number, record)
            with told(self.path):
                (self.path / MANIFEST).unlink()

    def add_part(self, part: Path) -> None:
        """Add the pictures and records of a part of the data set, which another machine made.

        Raises InputError if the folder `part` is no part of this data set.
        """
        begun = _json(part / UNFINISHED / PLAN)
        if begun is None or part.resolve() == self.path.resolve():
            raise InputError(
                f"{part}: the folder must be another folder that a run with --shard wrote. Name that folder."
            )
        self._require_same(begun, part)
        self.begin()
        for moment in (moment for task in self.plan.tasks() for moment in task.moments):
            record = _json(part / UNFINISHED / self._record(moment.number).name)
            if record is not None:
                self._add_pictures(part, moment)
                self.keep(moment, record)

    def _add_pictures(self, part: Path, moment: Moment) -> None:
        """Add the pictures of a moment from a part. The next run draws missing pictures again."""
        for camera in self.plan.cameras:
            for name in self.plan.passes:
                path = self.picture(camera, name, moment.number)
                if (part / path).is_file():
                    linked(part / path, self.path / path)

    def is_joined(self) -> bool:
        """Return whether the manifest exists. The manifest is the last file that is written."""
        return (self.path / MANIFEST).is_file()

    def finish(self) -> None:
        """Remove files that are needed only until the manifest exists."""
        with told(self.path):
            if (self.path / UNFINISHED).is_dir():
                shutil.rmtree(self.path / UNFINISHED)
            for path in self.path.rglob(".*"):
                found = PARTIAL.fullmatch(path.name)
                if found and path.with_name(found[1]).is_file():
                    path.unlink()

    def _require_same(self, begun: Mapping[str, Any], path: Path | None = None) -> None:
        """Raise InputError if the plan `begun` of the existing files differs from this plan."""
        for key, current in self.plan.header().items():
            if (earlier := begun.get(key)) != current:
                raise InputError(
                    f"{path or self.path}: the data set in this folder was made with {key} = {brief(earlier)}, but this"
                    f" run has {key} = {brief(current)}. Name another folder, or remove this folder."
                )

    def _digests(self) -> dict[str, str] | None:
        """Return the digests of all files. If the folder contains no manifest, return None.

        Raises InputError for an invalid manifest.
        """
        manifest = _json(self.path / MANIFEST)
        if manifest is not None and not isinstance(manifest.get("files"), dict):
            raise InputError(f"{self.path / MANIFEST}: {FAULT}")
        return None if manifest is None else manifest["files"]

    def _told(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number and the record of each moment from the lines of labels.jsonl.

        If labels.jsonl was changed, yield nothing.
        """
        digests = self._digests() or {}
        if LABELS not in digests or not holds(self.path, {LABELS: digests[LABELS]}):
            return
        with opened(self.path / LABELS, MADE) as file:
            for number, lines in groupby(map(json.loads, file.stream), key=itemgetter("number")):
                labels = [*lines]
                paths = [path for label in labels for path in label["files"].values()]
                yield number, {"labels": labels, "files": {path: digests[path] for path in paths}}

    def _record(self, number: int) -> Path:
        return self.path / UNFINISHED / f"{number:06d}.json"

    def _keep(self, number: int, record: Mapping[str, Any]) -> None:
        write_file(self._record(number), json.dumps(record).encode())

    def _begun(self) -> dict[str, Any] | None:
        """Return the stored plan with which the existing files were made. If the folder contains no plan, return
        None.
        """
        return _json(self.path / MANIFEST) or _json(self.path / UNFINISHED / PLAN)


def _json(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file. If the file is missing, return None.

    Raises InputError if the file does not contain a JSON object.
    """
    return read_data(path, RECORD, FAULT)
