"""How long a file of trajectories takes to index and to read by seconds, against numpy's reading it whole; and memory.

python -m ecs_anim.profiling.bench_trajectories [--megabytes N] [--order time|person] [--rounds N]
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np

from ecs_anim.support.pictures import complete_file
from ecs_anim.trajectories import ReadOptions, Recording, recording

PEOPLE = 1000
FRAMES = 250  # written at once
RATE = 25.0  # [Hz]
WINDOWS = 10  # seconds that are read


def write(path: Path, megabytes: float, order: str) -> None:
    """A table of so many people who walk on, by time or by person."""
    rng = np.random.default_rng(0)
    first, pace = rng.uniform(0, 100, (PEOPLE, 2)), rng.normal(0, 0.03, (PEOPLE, 2))
    with complete_file(path) as file:
        file.write(b"id,frame,x_m,y_m\n")
        start = 0
        while file.tell() < megabytes * 1e6:
            if order == "person":  # others in each part
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
    """Samples in some seconds of the first ones."""
    start = own.span[0]
    return sum(own.between(start + k, start + k + 1).sample_count for k in range(WINDOWS))


def peak_megabytes() -> float:
    """The most memory that this process had so far."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main() -> None:
    """Print medians of all rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=50.0)
    parser.add_argument("--order", choices=["time", "person"], default="time")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        writer = get_context("spawn").Process(target=write, args=(path, options.megabytes, options.order))
        writer.start()  # apart, so that its memory is not counted
        writer.join()
        before = peak_megabytes()
        own = recording(path, ReadOptions(rate=RATE))
        samples = read_seconds(own)
        if not samples:
            raise SystemExit("no samples were read")
        print(f"memory: {peak_megabytes() - before:.0f} MB more than {before:.0f} MB before")
        works: dict[str, Callable[[], object]] = {
            "index": lambda: recording(path, ReadOptions(rate=RATE)),
            f"{WINDOWS} seconds": lambda: read_seconds(own),
            "numpy": lambda: np.loadtxt(path, delimiter=",", skiprows=1),
        }
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(options.rounds):
            for name, work in works.items():
                start = perf_counter()
                work()
                times[name].append(perf_counter() - start)
        for name, found in times.items():
            print(f"{name:10} {statistics.median(found):8.3f} s")


if __name__ == "__main__":
    main()
