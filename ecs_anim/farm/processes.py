"""Processes of this machine, one a worker: the end of one process ends no other task."""

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
    """An executor whose every worker is a pool of one process, made anew where that has ended.

    A pool of several processes breaks as a whole, and does not tell which task it was. Processes begin empty (they are
    spawned): OpenGL's contexts and numba's threads do not survive a fork. `drawing_threads` are those of Mesa's
    software renderer, a process.
    """

    def __init__(self, workers: int, drawing_threads: int | None = None) -> None:
        self._threads = ThreadPoolExecutor(workers, "farm")  # each waits for a process of its own
        self._drawing_threads = drawing_threads
        self._own = threading.local()
        self._pids: dict[ProcessPoolExecutor, int] = {}  # of those that are not broken
        self._ended = False

    def submit(self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Result]:
        """Have a worker call a function that it can import; `BrokenProcessPool` tells that its process has ended."""
        return self._threads.submit(self._call, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, once they have done what they were given unless it is cancelled."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        for pool in [*self._pids]:
            pool.shutdown(wait)

    def end(self) -> None:
        """End the processes, whatever they are at."""
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
        """This thread's."""
        pool: ProcessPoolExecutor | None = getattr(self._own, "pool", None)
        if pool is None:
            pool = ProcessPoolExecutor(
                1, get_context("spawn"), initializer=begin_worker, initargs=(self._drawing_threads,)
            )
            self._pids[pool] = pool.submit(os.getpid).result()
            self._own.pool = pool
        return pool


def begin_worker(drawing_threads: int | None) -> None:
    """Before its first task: it says nothing, leaves Ctrl-C to the process that it works for, and ends with it."""
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
