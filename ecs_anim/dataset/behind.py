"""Background writing of the files of a data set. A moment is a frame of a simulation with one seed.

Background threads write the files of a moment while the calling thread draws the pictures of the next moment. The
module writes the record of a moment after all files of the moment.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from ecs_anim.dataset.output import write_file
from ecs_anim.dataset.pass_formats import pass_bytes
from ecs_anim.view.capture import Capture
from ecs_anim.view.label_passes import PassName

Digests = dict[str, str]  # from the path of a file in the folder to its digest
Files = Mapping[str, tuple[Capture, PassName, str | None]]  # from the path of a file to the pass and its format
Write = Callable[[Files, Callable[[Digests], object]], None]
WAITING = 1  # at most this number of drawn moments waits for the writers, because each moment takes memory
WRITERS = min(4, os.cpu_count() or 1)  # several threads are useful, because compression releases Python's global lock


@contextmanager
def written_behind(folder: Path) -> Iterator[Write]:
    """Yield the function `write(files, done)`, which writes files on other threads.

    When all files of a call of `write` are written, the function `done` receives the digests of these files. `done`
    runs on the calling thread, in the order of the calls of `write`. The end of the `with` block waits for all files.
    If a file cannot be written, the next call of `write` or the end of the `with` block raises the error.
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


def _write(path: Path, seen: Capture, name: PassName, form: str | None) -> str:
    return write_file(path, pass_bytes(seen.images[name], name, form))
