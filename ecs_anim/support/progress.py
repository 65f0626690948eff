"""Progress of long work, on standard error and only where a person looks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ecs_anim.support.terminal import print_note


def frames_with_progress(count: int, what: str) -> Iterator[int]:
    """Count 0 to count - 1 with a progress bar on a terminal, silently elsewhere."""
    with progress_told(count, what) as advance:
        for frame in range(count):
            yield frame
            advance(1)


@contextmanager
def progress_told(count: int, what: str, unit: str = "frames") -> Iterator[Callable[[int], object]]:
    """A function to call with how many more of a unit are done; it moves a progress bar on a terminal."""
    if not sys.stderr.isatty():
        yield lambda frames: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=count)
        yield lambda frames: progress.advance(task, frames)


class Tally:
    """Things done out of many: a bar on a terminal, a line for each elsewhere."""

    def __init__(self, count: int, what: str) -> None:
        self._count, self._what, self._done = count, what, 0

    def advance(self, name: str) -> None:
        """One more is done."""
        self._done += 1
        text = f"{self._what}: {self._done} of {self._count} ({name})"
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            print_note(text)

    def __enter__(self) -> "Tally":
        return self

    def __exit__(self, *_: object) -> None:
        if self._done and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
