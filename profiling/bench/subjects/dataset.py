"""Time for each labelled picture of a data set, from the start of the program to the last label file: in one process,
and on a farm.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from ecs_anim.dataset.save import save_dataset
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.measure import peak_memory_mb

ROUNDS = 3
MAIN = "from ecs_anim.cli import main; main()"


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
    ranges = f"frames = [0, {last}, {stride}]\nseeds = {[*range(seeds)]}"
    job = f"scene = {json.dumps(scene)}\n[ranges]\n{ranges}\n[make]\ndataset = {{ size = {[*size]} }}\n"
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
            Path(folder, "job.toml").write_text(job, "utf-8")
            command = [sys.executable, "-c", MAIN, "farm", f"{folder}/job.toml", "--out", f"{shared}"]
            command += ["--workers", f"{workers}"]
            run = partial(subprocess.run, command, check=True, capture_output=True)
            whole = Work(run, lambda: rmtree(shared, ignore_errors=True), count)
            works[f"farm of {workers}"] = whole
        yield Case(works, check, each="picture", facts=lambda: {"pictures": count, "peak_memory_mb": peak_memory_mb()})
