"""The function `run`, which runs a farm. The function plans the tasks, runs the tasks, and collects the results.

If a farm was stopped, a second call of `run` continues the farm.
"""

import os
from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ecs_anim.farm.collect import collect
from ecs_anim.farm.engines import LOCAL, open_engine, processors
from ecs_anim.farm.folder import VIDEOS, FarmFolder
from ecs_anim.farm.job import Source, job_of
from ecs_anim.farm.plan import FarmPlan, Task, plan_of
from ecs_anim.farm.runner import Logs, Runner
from ecs_anim.farm.table import write_table
from ecs_anim.farm.trial import require_worlds
from ecs_anim.farm.work import forget, missing_tasks
from ecs_anim.support.budgets import require
from ecs_anim.support.checked import checked
from ecs_anim.support.pictures import encoder_for
from ecs_anim.support.progress import Tally
from ecs_anim.support.reuse import Reuse


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job."""

    folder: Path
    tasks: int  # number of all tasks
    failed: Mapping[str, Path]  # from the key of a failed task to its log file
    refused: Mapping[str, str]  # from the key of a failed task to one line about its wrong input


@checked
def run(
    job: Source,
    path: str | os.PathLike[str],
    *,
    workers: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    allow_code: bool = False,
) -> Outcome:
    """Do the tasks of a job, and write the results into a folder.

        ea.farm.run({"scene": "festival", "ranges": {"seeds": [1, 2]}, "make": {"measures": ["feet"]}}, "out")

    `job` is the path of a job file, the text of a job file, or a dictionary with the content of a job file.
    docs/farms.md describes jobs. By default, the tasks run in one process per processor. `workers` sets the number of
    processes. `dask` is the address of a scheduler, or "local" for a Dask cluster on this machine. `executor` is an
    executor that is compatible with `concurrent.futures`. `executor` replaces `workers` and `dask`. `threads` is the
    number of threads of each worker.

    Finished tasks are not repeated. If a job stopped, call the function again with the same folder. After the second
    call, the folder contains the same files as after an uninterrupted job. If a task fails three times or has wrong
    input, all other tasks continue, and the outcome contains the log of the failed task. For an invalid job, the
    function raises InputError before a task starts.
    """
    for name, count in (("workers", workers), ("threads", threads)):
        if count is not None and count < 1:
            raise ValueError(f"{name} must be at least 1 (got {count}). Set {name} to 1 or more.")
        require("threads", count or 1, name, "lower it")
    plan, folder = plan_of(job_of(job), allow_code=allow_code), FarmFolder(Path(path))
    require_possible(plan, folder)
    missing = missing_tasks(plan.tasks.values(), folder)
    with Reuse().shared():
        require_worlds(plan, missing, allow_code=allow_code)
        return do_plan(plan, folder, missing, Engine(workers, dask, executor, threads, allow_code))


@dataclass(frozen=True)
class Engine:
    """The workers of a job."""

    workers: int | None
    dask: str | None
    executor: Executor | None
    own_threads: int | None
    allow_code: bool

    @property
    def begins_processes(self) -> bool:
        """Whether this job starts its own workers: processes or a local Dask cluster."""
        return self.executor is None and self.dask in (None, LOCAL)

    @property
    def worker_count(self) -> int:
        """The number of workers. If the user gives no number, a remote scheduler counts as one worker, because its
        number is unknown.
        """
        if self.workers is not None:
            return self.workers
        return processors() if self.begins_processes else 1

    @property
    def threads(self) -> int:
        """The number of threads of each worker. By default, the local processes share all processors."""
        if self.own_threads is not None:
            return self.own_threads
        return 1 if self.dask or self.executor else max(1, processors() // self.worker_count)


def require_possible(plan: FarmPlan, folder: FarmFolder) -> None:
    """Raise InputError if the folder contains other files, or if the job makes MP4 films without an installed
    encoder.
    """
    folder.require_free()
    video = plan.job.model.make.video
    if video and video.ending == "mp4":
        encoder_for(folder.path / VIDEOS)


def do_plan(plan: FarmPlan, folder: FarmFolder, missing: Mapping[str, Task], engine: Engine) -> Outcome:
    """Do the missing tasks of a plan and combine the results of all tasks. Raises InputError for disk errors."""
    with ExitStack() as lock:
        with ExitStack() as work:
            executor = engine.executor
            if executor is None and missing:
                executor = work.enter_context(open_engine(engine.workers, engine.dask, engine.threads))
            folder.begin()
            lock.enter_context(folder.locked())
            forget(missing.values(), folder)
            logs, refused = ({}, {}) if executor is None else _do(missing, folder, executor, engine)
        return _put_together(plan, folder, logs, refused)


def _do(missing: Mapping[str, Task], folder: FarmFolder, executor: Executor, engine: Engine) -> tuple[Logs, Logs]:
    """Do tasks on an executor.

    Return two dictionaries: from task key to the log of the failed task, and from task key to a line about wrong input.
    """
    with Tally(len(missing), "tasks") as tally:
        runner = Runner(
            folder,
            executor,
            threads=engine.threads,
            allow_code=engine.allow_code,
            tell=lambda task: tally.advance(str(task)),
        )
        return runner.run(missing), runner.refused


def _put_together(plan: FarmPlan, folder: FarmFolder, logs: Logs, refused: Logs) -> Outcome:
    """Write the files that need the results of several tasks. Raises InputError for disk errors."""
    folder.sweep(plan.tasks)
    for key in plan.tasks:
        if key not in logs:
            folder.forget_log(key)
    failed = {key: folder.keep_log(key, log) for key, log in logs.items()}
    collect(plan, folder, logs)
    write_table(plan, folder)
    return Outcome(folder.path, len(plan.tasks), failed, refused)
