"""Worker threads: they process chunks together with the thread of the caller."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from ecs_anim.ecs.world import World

PARTS = 4  # number of parts of rows for each thread; each part takes the time of a call
Given = ParamSpec("Given")
Made = TypeVar("Made")
Job = TypeVar("Job")


class Helpers:
    """A pool of `count` worker threads, which start at the first use.

    A forked process does not have the threads of its parent process. Therefore, each process starts its own threads.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._process = 0  # id of the process that owns the threads
        self._threads: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[Given, Made], *given: Given.args, **named: Given.kwargs) -> Future[Made]:
        """Submit a call of `work` to a worker thread."""
        if self._threads is None or self._process != os.getpid():
            self._threads, self._process = ThreadPoolExecutor(self._count), os.getpid()
        return self._threads.submit(work, *given, **named)

    def share(
        self, work: Callable[[int, Iterator[Job]], Made], jobs: Sequence[Job], most: int | None = None
    ) -> list[Made]:
        """Run `work` on the thread of the caller and on worker threads.

        The number of threads is at most the number of jobs, and at most `most`.

        The arguments of `work` are the number of the thread (0 = the thread of the caller) and an iterator of jobs.
        Each thread takes its next job from the iterator. Returns the result of `work` on each thread.
        """
        left, useful = iter(jobs), len(jobs) if most is None else min(len(jobs), most)
        helpers = [self.submit(work, number + 1, left) for number in range(min(self._count, useful - 1))]
        own = work(0, left)
        return [own, *(helper.result() for helper in helpers)]

    def close(self) -> None:
        """Stop the worker threads of this process."""
        if self._threads is not None and self._process == os.getpid():
            self._threads.shutdown()


def share_rows(world: World, count: int, least: int, work: Callable[[int, slice], object]) -> None:
    """Call `work` with a thread number and a slice for all slices of `count` rows, on all threads of a world.

    All slices except the last one have an equal length of at least `least` rows.
    """

    def run(thread: int, parts: Iterator[slice]) -> None:
        for part in parts:
            work(thread, part)

    if count <= least:  # small worlds do not pay for threads
        work(0, slice(0, count))
        return
    size = max(least, -(-count // (PARTS * world.threads)))
    world.share(run, [slice(begin, min(begin + size, count)) for begin in range(0, count, size)])
