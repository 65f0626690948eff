"""Background writing: a moment's files are written while the next moment is drawn.

A moment's record follows its files.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from ecs_anim.dataset.output import pass_bytes, write_file
from ecs_anim.view.capture import Capture
from ecs_anim.view.label_passes import PassName

Digests = dict[str, str]  # digests of files, by their paths in the folder
Files = Mapping[str, tuple[Capture, PassName]]  # passes to write, by the same paths
Write = Callable[[Files, Callable[[Digests], object]], None]
WAITING = 1  # number of drawn moments that wait to be written; each needs the memory of a whole moment
WRITERS = min(4, os.cpu_count() or 1)  # packing releases Python's lock, so other threads can run


@contextmanager
def written_behind(folder: Path) -> Iterator[Write]:
    """Yield a function that writes files and then calls its second argument, `done`, with the files' digests.

    `done` runs on the calling thread, in the order of the calls. Other threads write the files. The end of the `with`
    block waits for all files. The next call, or the end of the block, raises the first error.
    """
    waiting: deque[tuple[dict[str, Future[str]], Callable[[Digests], object]]] = deque()

    def finish() -> None:
        files, done = waiting.popleft()
        done({path: written.result() for path, written in files.items()})

    with ThreadPoolExecutor(WRITERS) as writers:

        def write(files: Files, done: Callable[[Digests], object]) -> None:
            own = {path: writers.submit(_write, folder / path, *given) for path, given in files.items()}
            waiting.append((own, done))
            while len(waiting) > WAITING:
                finish()

        try:
            yield write
            while waiting:
                finish()
        finally:
            writers.shutdown(cancel_futures=True)


def _write(path: Path, seen: Capture, name: PassName) -> str:
    return write_file(path, pass_bytes(seen, name))
