"""Progress of long work, on standard error and only where a person looks."""

import sys
from collections.abc import Iterator


def frames_with_progress(count: int, what: str) -> Iterator[int]:
    """Count 0 to count - 1 with a progress bar on a terminal, silently elsewhere."""
    if not sys.stderr.isatty():
        yield from range(count)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn("frames"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(range(count))
