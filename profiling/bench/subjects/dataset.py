"""Time for each labelled picture of a data set, from the start of the program to the last label file: in one process,
and on a farm.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from ecs_anim.dataset.save import save_dataset
from ecs_anim.farm.save import run
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.measure import peak_memory_mb

ROUNDS = 3


@contextmanager
def case(
    *,
    scene: str = "plaza",
    seeds: int = 2,
    frames: int = 8,
    stride: int = 30,
    farm: bool = False,
    workers: int = 2,
    size: tuple[int, int] = (1280, 720),
) -> Iterator[Case]:
    """Yield the benchmark with the usual passes and formats. `stride` is the number of time steps between two pictures,
    and `workers` is the number of processes of the farm. Without `farm`, only one process is measured.
    """
    last = frames * stride
    ranges = {"frames": [0, last, stride], "seeds": [*range(seeds)]}
    job = {"scene": scene, "ranges": ranges, "make": {"dataset": {"size": [*size]}}}
    with TemporaryDirectory() as folder:
        alone, shared = Path(folder, "alone"), Path(folder, "farm")

        def written(path: Path) -> int:
            return len([*path.rglob("rgb/*.png")])

        def save() -> None:
            save_dataset(scene, alone, seeds=range(seeds), frames=range(0, last, stride), size=size)

        def check() -> None:
            require(written(alone) == count > 0, "the data set has no pictures")
            require(not farm or written(shared) == count, "the farm has written another number of pictures")

        save()  # compiles the kernels
        count = written(alone)
        works = {"alone": Work(save, lambda: rmtree(alone), count)}
        if farm:
            whole = Work(lambda: run(job, shared, workers=workers), lambda: rmtree(shared, ignore_errors=True), count)
            works[f"farm of {workers}"] = whole
        yield Case(works, check, each="picture", facts=lambda: {"pictures": count, "peak_memory_mb": peak_memory_mb()})
