"""Display of progress on standard error: a bar on a terminal, and lines at intervals elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from ecs_anim.support.terminal import print_note

QUIET = 30.0  # [s], time between two lines without a terminal


def frames_with_progress(count: int, what: str) -> Iterator[int]:
    """Yield the numbers from 0 to count - 1, and show the progress on standard error."""
    with progress_told(count, what) as advance:
        for frame in range(count):
            yield frame
            advance(1)


@contextmanager
def progress_told(count: int, what: str, unit: str = "frames") -> Iterator[Callable[[int], object]]:
    """Yield a function that shows the progress. The argument of the function is the number of units that are complete
    since the last call.

    On a terminal, the function moves a progress bar. Elsewhere, the function prints a line with the remaining time at
    intervals of 30 s.
    """
    if not sys.stderr.isatty():
        yield _Lines(count, what, unit).advance
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=count)
        yield lambda frames: progress.advance(task, frames)


class _Lines:
    """Display of progress as lines, for logs."""

    def __init__(self, count: int, what: str, unit: str) -> None:
        self._count, self._what, self._unit, self._done = count, what, unit, 0
        self._begin = self._told = monotonic()

    def advance(self, more: int) -> None:
        self._done += more
        now = monotonic()
        if now - self._told >= QUIET and 0 < self._done < self._count:
            left = (now - self._begin) / self._done * (self._count - self._done)
            print_note(f"{self._what}: {self._done} of {self._count} {self._unit}, about {left:.0f} s left")
            self._told = now


class Tally:
    """A display of the number of completed items. A terminal shows one changing line. A log gets one line for each
    item.
    """

    def __init__(self, count: int, what: str) -> None:
        self._count, self._what, self._done = count, what, 0
        self._line = ChangingLine()

    def advance(self, name: str) -> None:
        """Add one completed item."""
        self._done += 1
        text = f"{self._what}: {self._done} of {self._count} ({name})"
        if self._line.is_visible:
            self._line.show(text)
        else:
            print_note(text)

    def __enter__(self) -> "Tally":
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()


class ChangingLine:
    """A line on standard error. Each new text replaces the text in the line. Only terminals and notebooks can show such
    a line.
    """

    def __init__(self) -> None:
        self.is_visible = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._width = 0  # number of characters in the line

    def show(self, text: str) -> None:
        """Replace the text in the line by `text`. If standard error cannot show such a line, do nothing."""
        if self.is_visible:
            print(f"\r{text.ljust(self._width)}", end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def clear(self) -> None:
        """Erase the text in the line, so that the next output begins at the start of an empty line."""
        if self._width:
            print(f"\r{' ' * self._width}\r", end="", file=sys.stderr, flush=True)
            self._width = 0
