"""The execution of one task. A worker writes the files of the task into a temporary folder.

When all files are complete, the folder gets its final name.
"""

import platform
import threading
from collections.abc import Container, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from ecs_anim.dataset.output import write_data
from ecs_anim.dataset.plan import named_files
from ecs_anim.farm.folder import RECORD, FarmFolder
from ecs_anim.farm.plan import Task
from ecs_anim.farm.products import Made, Way, dataset_folder, make
from ecs_anim.farm.record import digest_of
from ecs_anim.gl.device.context import shared_context
from ecs_anim.profiling.report import machine
from ecs_anim.scenes.kernels import import_kernels
from ecs_anim.support.errors import InputError
from ecs_anim.support.reuse import Reuse, shared_reuse

_results = Reuse()  # the worlds of a worker's tasks have most inputs in common
_alone = threading.Lock()  # a worker with several threads does only one task at a time


def do_task(task: Task, out: str, threads: int | None, allow_code: bool) -> None:
    """Do a task, and write its record beside its files. If the task is already finished, do nothing.

    `out` is the folder of the farm. Raises InputError if the files of the scene on this machine differ from the files
    in the plan. Raises the errors of `products.make`.
    """
    folder = FarmFolder(Path(out))
    folder.require_begun()
    with _alone:
        if is_done(task, folder):
            return
        require_same_files(task)
        import_kernels(task.scene.model)
        begin = perf_counter()
        with shared_reuse(_results).shared(), folder.making(task.key) as place:
            made = Made(place)
            make(task, made, Way(folder, threads, allow_code))
            record = _record(task, made) | {"seconds": round(perf_counter() - begin, 3)}
            write_data(place / RECORD, record)


def _record(task: Task, made: Made) -> dict[str, Any]:
    """Return the record of a finished task, with the machine that did the task."""
    drawn = task.kind in ("pictures", "dataset")
    return {
        "key": task.key,
        "kind": task.kind,
        "seed": task.seed,
        "frames": [task.frames.start, task.frames.stop, task.frames.step],
        "files": made.files,
        "varying": made.varying,
        "digest": digest_of(made.files),
        "figures": made.figures,
        "machine": machine() | {"name": platform.node()},
        "renderer": shared_context().capabilities.renderer if drawn else None,
    }


def is_done(task: Task, folder: FarmFolder) -> bool:
    """Return whether all files of a task exist. The function does not detect changed files."""
    if folder.record(task.key) is None:
        return False
    return task.dataset is None or dataset_folder(task, folder).is_joined() or _has_pictures(task, folder)


def missing_tasks(tasks: Iterable[Task], folder: FarmFolder) -> dict[str, Task]:
    """Return the tasks with missing or changed files.

    The function omits a task that saves states if no returned task starts from one of the states. The function reads
    all existing files once.
    """
    own = {task.key: task for task in tasks}
    whole = _whole_datasets(own.values(), folder)
    missing = {key: task for key, task in own.items() if not _is_whole(task, folder, whole)}
    wanted = {task.states for task in missing.values()}
    return {key: task for key, task in missing.items() if task.kind != "states" or key in wanted}


def forget(tasks: Iterable[Task], folder: FarmFolder) -> None:
    """Remove the files of tasks that must be repeated."""
    for task in tasks:
        folder.drop(task.key)
        if task.dataset is not None:
            dataset_folder(task, folder).reopen()


def _whole_datasets(tasks: Iterable[Task], folder: FarmFolder) -> set[str]:
    one_each = {task.options["dataset"]: task for task in tasks if task.dataset}
    return {key for key, task in one_each.items() if dataset_folder(task, folder).is_whole()}


def _is_whole(task: Task, folder: FarmFolder, whole: Container[str]) -> bool:
    if not folder.is_whole(task.key):
        return False
    return task.dataset is None or task.options["dataset"] in whole or _has_pictures(task, folder)


def _has_pictures(task: Task, folder: FarmFolder) -> bool:
    """Return whether an incomplete data set has all pictures of a seed."""
    assert task.dataset is not None
    return all(map(dataset_folder(task, folder).has, task.dataset.task_of(task.seed).moments))


def require_same_files(task: Task) -> None:
    """Raise InputError if a file to which the scene refers differs from the file in the plan of the job."""
    there = dict(named_files(task.scene))
    for name, digest in task.inputs.items():
        if there.get(name) != digest:
            raise InputError(
                f"{task.scene.folder / name}: this machine lacks the file, or the file has changed since the job"
                " started. Put the scene's folder on a shared disk, or start the job again."
            )
