"""The folder of a farm. The folder never contains incomplete results of a task."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from ecs_anim.dataset.output import holds, names_in, write_file
from ecs_anim.farm.record import digests_of, read_record
from ecs_anim.support.errors import InputError
from ecs_anim.support.folder_lock import LOCK, folder_locked
from ecs_anim.support.pictures import told

TASKS, DATASETS, VIDEOS, FAILED = "tasks", "datasets", "videos", "failed"
MANIFEST, TABLE, PLOT, RECORD = "manifest.json", "results.parquet", "report.png", "task.json"
EGRESS = "egress.csv"  # egress times of one task, and of all runs
EGRESS_PARQUET, EGRESS_PLOT = "egress.parquet", "egress.svg"  # egress times of all runs
OWN = {TASKS, DATASETS, VIDEOS, FAILED, MANIFEST, TABLE, EGRESS, EGRESS_PARQUET, EGRESS_PLOT, PLOT, LOCK}


class FarmFolder:
    """The folder of a farm and its files. Several processes can write into the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def require_free(self) -> None:
        """Raise InputError if the folder contains files that no farm has written."""
        if names_in(self.path) - OWN:
            raise InputError(
                f"{self.path}: the folder must be empty or the folder of a farm (got other files). Name a new folder."
            )

    def begin(self) -> None:
        """Create the folder. Raises InputError for disk errors."""
        with told(self.path):
            self._tasks.mkdir(parents=True, exist_ok=True)

    def locked(self) -> AbstractContextManager[None]:
        """Lock the folder for one farm. Raises InputError if another farm has the lock."""
        return folder_locked(self.path)

    def require_begun(self) -> None:
        """Raise InputError if this machine cannot see the folder of the farm."""
        if not self._tasks.is_dir():
            raise InputError(
                f"{self.path}: this machine has no access to the farm's folder. Name a folder on a shared disk."
            )

    def of_task(self, key: str) -> Path:
        """Return the folder for the files of the task with the key `key`."""
        return self._tasks / key

    def dataset(self, key: str) -> Path:
        """Return the folder of the data set with the key `key`."""
        return self.path / DATASETS / key

    def record(self, key: str) -> dict[str, Any] | None:
        """Return the record of a task if all files of the task exist. Otherwise, return None.

        Raises the errors of `read_record`.
        """
        path = self.of_task(key) / RECORD
        found = read_record(path, key)
        if found is None or not all((path.parent / name).is_file() for name in found.files):
            return None
        return found.model_dump(mode="json")

    def is_whole(self, key: str) -> bool:
        """Return whether all files of a task exist unchanged. The method reads all files.

        Raises the errors of `FarmFolder.record`.
        """
        found = self.record(key)
        return found is not None and holds(self.of_task(key), {**digests_of(found["files"]), **found["varying"]})

    def drop(self, key: str) -> None:
        """Remove all files of a task."""
        shutil.rmtree(self.of_task(key), ignore_errors=True)

    @contextmanager
    def making(self, key: str) -> Iterator[Path]:
        """Yield a temporary folder for the files of a task.

        If the `with` block succeeds, the folder gets its final name.
        """
        self.require_begun()
        with told(self._tasks):
            partial = self._tasks / f".{key}.{uuid4().hex}"
            partial.mkdir()
        try:
            yield partial
            with told(self._tasks):
                self._put(partial, key)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def sweep(self, keys: Mapping[str, Any]) -> None:
        """Remove temporary folders that stopped workers left behind for the tasks with the keys `keys`."""
        for path in self._tasks.glob(".*.*"):
            if path.name.split(".")[1] in keys:
                shutil.rmtree(path, ignore_errors=True)

    def keep_log(self, key: str, text: str) -> Path:
        """Write the log of a failed task. Raises InputError for disk errors."""
        path = self.path / FAILED / f"{key}.txt"
        write_file(path, text.encode())
        return path

    def forget_log(self, key: str) -> None:
        """Remove the log of a task that has succeeded after a failure."""
        (self.path / FAILED / f"{key}.txt").unlink(missing_ok=True)

    @property
    def _tasks(self) -> Path:
        return self.path / TASKS

    def _put(self, partial: Path, key: str) -> None:
        """Rename the folder of a task to its final name.

        If another worker has already created the final folder, keep the files of that worker, because they are equal.
        """
        if self.record(key) is None:
            self.drop(key)
        try:
            os.rename(partial, self.of_task(key))
        except OSError:
            if self.record(key) is None:
                raise
