"""Engines that run tasks: processes on this machine, or the workers of an existing or local Dask cluster."""

import logging
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from ecs_anim.farm.processes import Processes
from ecs_anim.support.errors import InputError

Given = ParamSpec("Given")
Result = TypeVar("Result")

LOCAL = "local"  # value of --dask for a Dask cluster on this machine
ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://[\w.\-\[\]:]+:\d{1,5}")
SECONDS = 10  # [s], time limit for the answer of the scheduler
SILENT = logging.CRITICAL + 1
LOGGERS = ("distributed", "tornado", "asyncio")  # loggers to which Dask reports connections


def processors() -> int:
    """Return the number of processors that this process can use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_engine(workers: int | None, dask: str | None, threads: int | None) -> Iterator[Executor]:
    """Yield an executor with `workers` workers. By default, each processor has one worker.

    Raises InputError if Dask is not available.
    """
    count = processors() if workers is None else workers
    if dask is not None:
        with _dask(count, dask, threads) as executor:
            yield executor
        return
    executor = Processes(count, drawing_threads=threads)
    try:
        yield executor
    except BaseException:
        executor.end()
        raise
    executor.shutdown()


@contextmanager
def _dask(workers: int, address: str, threads: int | None) -> Iterator[Executor]:
    """Yield an executor of Dask workers. Each worker does one task at a time.

    Raises InputError if Dask is not installed, or if no scheduler answers at `address`.
    """
    if address != LOCAL and not ADDRESS.fullmatch(address):
        raise InputError(
            f"--dask {address}: the address must have the form tcp://HOST:PORT. Correct the address, or leave"
            " the address empty for a cluster on this machine."
        )
    try:
        import distributed
    except ImportError:
        raise InputError("--dask: Dask needs the farm extra. Install it: pip install 'ecs-anim[farm]'") from None
    with _cluster(distributed, workers, address, threads) as where:
        try:
            client = distributed.Client(where, timeout=SECONDS, set_as_default=False)
        except OSError:
            raise InputError(
                f"--dask {address}: no Dask scheduler answers at this address. Start a scheduler: dask scheduler"
            ) from None
        with _lost_scheduler_told(client, address), client, client.get_executor(pure=False) as executor:
            yield _Watched(client, executor)


class _Watched(Executor):
    """Dask's executor, with checks whether the scheduler still answers.

    If the client loses the scheduler, the results of tasks (futures) can stay unfinished forever.
    """

    def __init__(self, client: Any, executor: Executor) -> None:
        self._client, self._executor = client, executor

    def submit(self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Result]:
        return self._executor.submit(fn, *args, **kwargs)

    def require_alive(self) -> None:
        """Raise ConnectionError if the client has lost its scheduler."""
        if self._client.status in ("closing", "closed"):
            raise ConnectionError


@contextmanager
def _lost_scheduler_told(client: Any, address: str) -> Iterator[None]:
    """Convert an error after the loss of the scheduler to an InputError. The messages of Dask are not printed."""
    with _silent_logs():
        try:
            yield
        except Exception:
            if client.status == "running":
                raise
            raise InputError(
                f"--dask {address}: the Dask scheduler no longer answers. Start a scheduler, and run the job"
                " again. Finished tasks are kept."
            ) from None


@contextmanager
def _silent_logs() -> Iterator[None]:
    """Silence the loggers of Dask, which would write to standard error."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in LOGGERS]
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in levels:
        logger.setLevel(SILENT)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


@contextmanager
def _cluster(distributed: Any, workers: int, address: str, threads: int | None) -> Iterator[Any]:
    """Yield the address of a scheduler or a new local cluster. A client connects to the yielded object."""
    if address != LOCAL:
        yield address
        return
    environment = {} if threads is None else {"LP_NUM_THREADS": str(threads)}
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, env=environment, silence_logs=50
    ) as cluster:
        yield cluster
