"""The folder of a data set: where its files lie, and what of them is there already."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ecs_anim.dataset.output import LABELS, MADE, MANIFEST, ending_of, holds, names_in, read_data, write_file
from ecs_anim.dataset.plan import Moment, Plan
from ecs_anim.support.arguments import brief
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, opened
from ecs_anim.support.folder_lock import LOCK, folder_locked
from ecs_anim.support.pictures import told
from ecs_anim.view.label_passes import PassName

UNFINISHED, PLAN = ".unfinished", "plan.json"  # a folder for as long as the data set is not whole, and its first file
RECORD = Kind("record of a data set", "json_bytes")
FAULT = "the file must belong to a data set. Name another folder, or remove this one"
PARTIAL = re.compile(r"\.(.+)\.\w{8}")  # what is left of a file whose writer was killed


class Folder:
    """Where a plan's files are."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path, self.plan = path, plan

    def picture(self, camera: str, name: PassName, number: int) -> str:
        """A picture's path in the folder."""
        return f"{camera}/{name}/{number:06d}.{ending_of(name)}"

    def require_free(self) -> None:
        """Raise InputError where something is in the way that is not this data set."""
        others = names_in(self.path) - {UNFINISHED, LOCK}
        begun = self._begun()
        if begun is not None:
            self._require_same(begun)
        elif others:
            raise InputError(
                f"{self.path}: the folder must be empty or a data set (it has other files). Name a new folder"
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one process. An empty folder is removed at the end.

        Raises InputError where another process holds it, and where the disk says no.
        """
        with told(self.path):
            self.path.mkdir(exist_ok=True)
        try:
            with folder_locked(self.path):
                yield
        finally:
            with suppress(OSError):  # it is not empty
                self.path.rmdir()

    def is_whole(self) -> bool:
        """Whether nothing is left to do: all files are there as they were made; they are read for that."""
        digests = self._digests()
        return digests is not None and holds(self.path, digests)

    def has(self, moment: Moment) -> bool:
        """Whether a moment's pictures are there as they were made."""
        record = self.record(moment)
        return record is not None and holds(self.path, record["files"])

    def record(self, moment: Moment) -> dict[str, Any] | None:
        """Return a moment's labels, one for each camera, and the digests of its files; None = not yet written."""
        return _json(self._record(moment.number))

    def keep(self, moment: Moment, record: Mapping[str, Any]) -> None:
        """Say that a moment is done: its pictures are there. Raises InputError where the disk says no."""
        self._keep(moment.number, record)

    def begin(self) -> None:
        """Say whose the files are that come now."""
        plan = self.path / UNFINISHED / PLAN
        if not plan.exists():
            write_file(plan, json.dumps(self.plan.header()).encode())

    def reopen(self) -> None:
        """Mark a complete data set as incomplete, to make changed files again. Raises InputError as `begin` does.

        The records of moments are restored from the label lines, so that unchanged pictures are not drawn again.
        """
        if self.is_joined():
            self.begin()
            for number, record in self._told():
                self._keep(number, record)
            with told(self.path):
                (self.path / MANIFEST).unlink()

    def is_joined(self) -> bool:
        """Whether the manifest is there, which is written last."""
        return (self.path / MANIFEST).is_file()

    def finish(self) -> None:
        """Remove what is of use only until the manifest is there."""
        with told(self.path):
            if (self.path / UNFINISHED).is_dir():
                shutil.rmtree(self.path / UNFINISHED)
            for path in self.path.rglob(".*"):
                found = PARTIAL.fullmatch(path.name)
                if found and path.with_name(found[1]).is_file():
                    path.unlink()

    def _require_same(self, begun: Mapping[str, Any]) -> None:
        """Raise InputError for another plan."""
        for key, mine in self.plan.header().items():
            if (its := begun.get(key)) != mine:
                raise InputError(
                    f"{self.path}: the data set in this folder must have {key} = {brief(mine)} (got {brief(its)})."
                    " Name another folder, or remove this one"
                )

    def _digests(self) -> dict[str, str] | None:
        """Return the digests of all files; None without a manifest. Raises InputError for an invalid manifest."""
        manifest = _json(self.path / MANIFEST)
        if manifest is not None and not isinstance(manifest.get("files"), dict):
            raise InputError(f"{self.path / MANIFEST}: {FAULT}")
        return None if manifest is None else manifest["files"]

    def _told(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Numbers of moments and their records, by the lines of labels, where these are there as they were made."""
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
        """The plan of what is there; None = nothing is."""
        return _json(self.path / MANIFEST) or _json(self.path / UNFINISHED / PLAN)


def _json(path: Path) -> dict[str, Any] | None:
    """Return the data of a file of this package; None = no file. Raises InputError for a file of another program."""
    return read_data(path, RECORD, FAULT)
