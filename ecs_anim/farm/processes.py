"""Processes on this machine. Each worker is a process. If a process ends, tasks in other processes continue."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context, parent_process
from typing import Any, ParamSpec, TypeVar

from ecs_anim.support.terminal import drop_output

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Processes(Executor):
    """An executor with one process per worker. If a process ends, a new process replaces it.

    Each process has a separate pool. If a process in a pool with several processes ends, the whole pool fails, and the
    pool does not report which task failed. Processes are spawned, because OpenGL contexts and numba's threads do not
    survive a fork. `drawing_threads` is the number of threads of Mesa's software renderer in each process.
    """

    def __init__(self, workers: int, drawing_threads: int | None = None) -> None:
        self._threads = ThreadPoolExecutor(workers, "farm")  # each thread controls one process
        self._drawing_threads = drawing_threads
        self._own = threading.local()
        self._pids: dict[ProcessPoolExecutor, int] = {}  # process ids of working pools
        self._ended = False

    def submit(self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Result]:
        """Let a worker call an importable function.

        If the worker process ends, the future has the error `BrokenProcessPool`.
        """
        return self._threads.submit(self._call, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after their tasks. If `cancel_futures` is true, cancel the tasks that have not started."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        for pool in [*self._pids]:
            pool.shutdown(wait)

    def end(self) -> None:
        """End all processes immediately. The tasks that the processes are doing stay unfinished."""
        self._ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for pid in [*self._pids.values()]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        self.shutdown()

    def _call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        pool = self._pool()
        if self._ended:
            raise BrokenProcessPool("the workers were ended")
        try:
            return pool.submit(fn, *args, **kwargs).result()
        except BrokenProcessPool:
            self._own.pool = None
            del self._pids[pool]
            raise

    def _pool(self) -> ProcessPoolExecutor:
        """Return the process pool of the current thread. If the thread has no pool, create a pool."""
        pool: ProcessPoolExecutor | None = getattr(self._own, "pool", None)
        if pool is None:
            pool = ProcessPoolExecutor(
                1, get_context("spawn"), initializer=begin_worker, initargs=(self._drawing_threads,)
            )
            self._pids[pool] = pool.submit(os.getpid).result()
            self._own.pool = pool
        return pool


def begin_worker(drawing_threads: int | None) -> None:
    """Prepare a worker process. The process prints nothing, ignores Ctrl-C, and ends when its parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if drawing_threads is not None:
        os.environ.setdefault("LP_NUM_THREADS", str(drawing_threads))
    for stream in (sys.stdout, sys.stderr):
        drop_output(stream)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
