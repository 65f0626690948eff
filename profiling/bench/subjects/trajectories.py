"""Time to build the index of a trajectory file, and time to read the samples of one second, relative to reading the
whole file with numpy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.measure import peak_memory_mb
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file
from ecs_anim.trajectories import ReadOptions, Recording, recording

PEOPLE = 1000
FRAMES = 25  # number of frames per write call
RATE = 25.0  # [Hz]
WINDOWS = 10  # number of parts to read; each part lasts one second
ROUNDS = 3


@contextmanager
def case(*, megabytes: float = 50.0, order: str = "time") -> Iterator[Case]:
    """Yield the benchmark with a text table of `megabytes` MB, sorted by time or by person (`order`)."""
    if order not in ("time", "person"):
        raise InputError(f"--order must be time or person (got {order!r})")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        write(path, megabytes, order)
        before = peak_memory_mb() or 0.0
        own = recording(path, ReadOptions(rate=RATE))
        require(read_seconds(own), "no samples were read")
        more = (peak_memory_mb() or 0.0) - before
        yield Case(
            {
                "numpy": Work(lambda: np.loadtxt(path, delimiter=",", skiprows=1)),
                "index": Work(lambda: recording(path, ReadOptions(rate=RATE))),
                f"{WINDOWS} seconds": Work(lambda: read_seconds(own)),
            },
            unit="s",
            facts=lambda: {"memory_before_mb": before, "memory_more_mb": more},
        )


def write(path: Path, megabytes: float, order: str) -> None:
    """Write a text table of about `megabytes` MB.

    The people in the table walk straight ahead, and the rows are sorted by `order`.
    """
    rng = np.random.default_rng(0)
    first, pace = rng.uniform(0, 100, (PEOPLE, 2)), rng.normal(0, 0.03, (PEOPLE, 2))
    with complete_file(path) as file:
        file.write(b"id,frame,x_m,y_m\n")
        start = 0
        while file.tell() < megabytes * 1e6:
            if order == "person":  # each part of the file contains other people
                people, frames = np.divmod(np.arange(PEOPLE * FRAMES), FRAMES)
                people = people + start // FRAMES * PEOPLE
            else:
                frames, people = np.divmod(np.arange(PEOPLE * FRAMES), PEOPLE)
                frames = frames + start
            xy = first[people % PEOPLE] + frames[:, None] * pace[people % PEOPLE]
            rows = zip(people.tolist(), frames.tolist(), *xy.T.tolist(), strict=True)
            file.write("".join(f"{person},{frame},{x:.4f},{y:.4f}\n" for person, frame, x, y in rows).encode())
            start += FRAMES


def read_seconds(own: Recording) -> int:
    """Read the first `WINDOWS` seconds of a recording, one second at a time. Return the number of samples."""
    start = own.span[0]
    return sum(own.between(start + k, start + k + 1).sample_count for k in range(WINDOWS))
