"""Helpers: the threads beside the caller's that chunks are shared with."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")
Job = TypeVar("Job")


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

    def share(self, work: Callable[[int, Iterator[Job]], Made], jobs: Sequence[Job]) -> list[Made]:
        """Share jobs out: the caller and as many threads as are of use do `work`; whoever is free takes the next job.

        `work` gets the number of its thread, 0 for the caller's, and the jobs that are left. Returns what each made.
        """
        left = iter(jobs)
        helpers = [self.submit(work, number + 1, left) for number in range(min(self._count, len(jobs) - 1))]
        own = work(0, left)
        return [own, *(helper.result() for helper in helpers)]

    def close(self) -> None:
        """End the threads of this process."""
        if self._threads is not None and self._process == os.getpid():
            self._threads.shutdown()
