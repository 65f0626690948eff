"""Helpers: the threads beside the caller's that chunks are shared with."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")


class Helpers:
    """`count` threads, started when they are first needed.

    A forked process has none of its parent's threads, and would wait for them for ever; so it starts its own.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._process = 0  # id of the process that has the threads
        self._threads: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[Given, Made], *given: Given.args, **named: Given.kwargs) -> Future[Made]:
        """Have a thread do it."""
        if self._threads is None or self._process != os.getpid():
            self._threads, self._process = ThreadPoolExecutor(self._count), os.getpid()
        return self._threads.submit(work, *given, **named)

    def close(self) -> None:
        """End the threads of this process."""
        if self._threads is not None and self._process == os.getpid():
            self._threads.shutdown()
