"""Submission of tasks to an executor, and repetition of failed tasks.

A task that starts from a saved state waits until another task has saved the state.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from ecs_anim.farm.folder import FarmFolder
from ecs_anim.farm.plan import Task
from ecs_anim.farm.work import do_task, is_done
from ecs_anim.support.errors import InputError

PULSE = 1.0  # [s], time between two checks whether the executor still works
TRIES = 3  # largest number of attempts for a task

Logs = dict[str, str]  # from the key of a task to the reason of its failure


class Runner:
    """Runner that submits tasks to an executor and repeats failed tasks."""

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
        # From the key of the task that saves a state to the tasks that start from the state.
        self._waiting: dict[str, list[Task]] = {}
        self._tries: Counter[str] = Counter()
        self._logs: Logs = {}
        self.refused: Logs = {}  # from the key of a failed task to one line about its wrong input

    def run(self, missing: Mapping[str, Task]) -> Logs:
        """Do the missing tasks.

        Return a dictionary from task key to log. The dictionary contains the failed tasks, and the tasks that waited
        for failed tasks. The runner tries a task up to `TRIES` times. After an error about wrong input, the runner does
        not repeat the task.
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
        """Process the end of a task. Raises InputError if the executor has cancelled the task."""
        if future.cancelled():
            raise InputError(
                f"{self._folder.path}: the executor has cancelled the task {task}. Start the workers, and run the"
                " job again. Finished tasks are kept."
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
        """Register the failure of a task with the reason `log`. Tasks that wait for this task also fail."""
        self._logs[task.key] = log
        for other in self._waiting.pop(task.key, []):
            self._logs[other.key] = f"the task needs states of task {task.key}, which failed\n"

    def _log_of(self, task: Task, future: Future[None]) -> str:
        """Return the reason why a task failed. For a finished task, return ""."""
        error = future.exception()
        if error is not None:
            return "".join(traceback.format_exception(error))
        if not is_done(task, self._folder):
            return (
                f"the worker finished, but {self._folder.of_task(task.key)} is empty. Use a folder on a shared disk\n"
            )
        return ""
