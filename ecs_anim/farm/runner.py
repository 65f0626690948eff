"""Tasks given to an executor, and given again after a failure. A task waits for the states that it starts from."""

import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from ecs_anim.farm.folder import FarmFolder
from ecs_anim.farm.plan import Task
from ecs_anim.farm.work import do_task, is_done
from ecs_anim.support.errors import InputError

PULSE = 1.0  # [s] between two looks whether the executor is alive
TRIES = 3  # of a task, before the others go on without it

Logs = dict[str, str]  # why tasks failed, by their keys


class Runner:
    """Has an executor do tasks."""

    def __init__(
        self,
        folder: FarmFolder,
        executor: Executor,
        *,
        threads: int | None,
        allow_code: bool,
        tell: Callable[[Task], object],
    ) -> None:
        self._folder, self._executor = folder, executor
        self._threads, self._allow_code = threads, allow_code
        self._tell = tell
        self._require_alive: Callable[[], object] = getattr(executor, "require_alive", lambda: None)
        self._running: dict[Future[None], Task] = {}
        self._waiting: dict[str, list[Task]] = {}  # by the key of the states that they begin from
        self._tries: Counter[str] = Counter()
        self._logs: Logs = {}
        self.refused: Logs = {}  # of those, what was wrong with the input of some, in a line

    def run(self, missing: Mapping[str, Task]) -> Logs:
        """Do what is missing; returns the logs of what failed, and of what waited for that.

        A failed task is tried `TRIES` times, except after wrong input, which does not change.
        """
        for task in missing.values():
            if task.states in missing:
                self._waiting.setdefault(str(task.states), []).append(task)
            else:
                self._give(task)
        while self._running:
            done, _ = wait(self._running, PULSE, return_when=FIRST_COMPLETED)
            self._require_alive()
            for future in done:
                self._settle(self._running.pop(future), future)
        return self._logs

    def _give(self, task: Task) -> None:
        self._tries[task.key] += 1
        path = str(self._folder.path.resolve())
        self._running[self._executor.submit(do_task, task, path, self._threads, self._allow_code)] = task

    def _settle(self, task: Task, future: Future[None]) -> None:
        """Go on after a task has ended. Raises InputError where the executor has cancelled it."""
        if future.cancelled():
            raise InputError(
                f"{self._folder.path}: the executor has cancelled the task {task}. Start the workers, and run the job"
                " again. Finished tasks are kept."
            )
        log = self._log_of(task, future)
        if not log:
            self._tell(task)
            for other in self._waiting.pop(task.key, []):
                self._give(other)
        elif isinstance(error := future.exception(), InputError):
            self.refused[task.key] = str(error)
            self._fail(task, f"{error}\n")
        elif self._tries[task.key] < TRIES:
            self._give(task)
        else:
            self._fail(task, log)

    def _fail(self, task: Task, log: str) -> None:
        """Go on without a task."""
        self._logs[task.key] = log
        for other in self._waiting.pop(task.key, []):
            self._logs[other.key] = f"the task needs states of task {task.key}, which failed\n"

    def _log_of(self, task: Task, future: Future[None]) -> str:
        """Why a task is not done; empty = it is."""
        error = future.exception()
        if error is not None:
            return "".join(traceback.format_exception(error))
        if not is_done(task, self._folder):
            return (
                f"the worker finished, but {self._folder.of_task(task.key)} is empty. Use a folder on a shared disk\n"
            )
        return ""
