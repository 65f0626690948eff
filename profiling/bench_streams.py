"""`python -m ecs_anim.profiling.bench_streams`: palettes written past the caches, or through them.

One crowd after the other, of growing numbers; its frames take turns between the two. Nanoseconds an actor of the stage
that writes palettes: medians and the fastest frame. `read` is what going through all palettes afterwards takes, as an
upload does. It shows from what size on to stream: `components.palette.CACHE`.
"""

import json
from statistics import median
from time import perf_counter_ns

import click
import numpy as np

from ecs_anim.components import palette
from ecs_anim.profiling.bench_pose import MIXED, WARMUP, Bench
from ecs_anim.support.progress import frames_with_progress

STAGE = "skin_palettes"
WAYS = {"through the caches": 1 << 62, "past them": 0}  # bytes from which palettes are streamed


@click.command()
@click.option("--model", default="mannequin", show_default=True, help="A glTF file, or a rig that is built in.")
@click.option("--clips", default="walk,run", show_default=True, metavar="A,B")
@click.option("--actors", default="1000,2000,4000,8000,16000,50000", show_default=True)
@click.option("--threads", default=1, show_default=True)
@click.option("--frames", default=60, show_default=True)
def main(model: str, clips: str, actors: str, threads: int, frames: int) -> None:
    """Print JSON, a row for each number of actors."""
    rows = [measure(model, clips.split(","), int(count), threads, frames) for count in actors.split(",")]
    click.echo(json.dumps(rows, indent=2))


def measure(model: str, clips: list[str], actors: int, threads: int, frames: int) -> dict[str, object]:
    """Both ways for one crowd. Raises RuntimeError if they do not write the same."""
    bench = Bench(model, MIXED.format(*clips), actors, threads)
    usual = palette.CACHE
    spent: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    try:
        for _ in frames_with_progress(WARMUP + frames, f"{actors} actors"):
            for way, palette.CACHE in WAYS.items():
                spent[way].append(_frame(bench, actors))
    finally:
        palette.CACHE = usual
    told: dict[str, object] = {"actors": actors, "megabytes": round(bench.palettes.nbytes / 1e6, 1)}
    for way, figures in spent.items():
        wrote, read = zip(*figures[WARMUP:], strict=True)
        told[way] = {"ns": round(median(wrote), 1), "least_ns": round(min(wrote), 1), "read_ns": round(median(read), 1)}
    return told


def _frame(bench: Bench, actors: int) -> tuple[float, float]:
    """Nanoseconds an actor of writing and of reading all palettes."""
    wrote = bench.frame().wall_ns[STAGE]
    begin = perf_counter_ns()
    np.add.reduce(bench.palettes.reshape(-1)[::16])  # a number of each cache line
    return wrote / actors, (perf_counter_ns() - begin) / actors


if __name__ == "__main__":
    main()
