"""`python -m ecs_anim.profiling.bench_profiler`: what the profiler itself costs.

One world is stepped in turn by a schedule that reads no clock and by the real one: not asked for times; asked for them,
as `profile` does; and asked for every run of every system, as `profile --trace` does. The order changes from round to
round; times are the processor's, and ratios taken within rounds, so that others who use the machine count little.
"""

from collections.abc import Callable, Iterator, Sequence
from time import process_time_ns
from typing import Any

import click
import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.timings import NO_TIMINGS, Timings
from ecs_anim.systems.chunk import Chunk, Workspace, WorldSystem
from ecs_anim.systems.queries import actor_count
from ecs_anim.systems.schedule import ChunkedSchedule

STEP = 1 / 60  # [s]
SETTLE = 10  # rounds that do not count

Way = tuple[ChunkedSchedule, Callable[[], Timings]]


class UnclockedSchedule(ChunkedSchedule):
    """The same work, and nobody looks at a clock."""

    def _run_whole(self, systems: Sequence[WorldSystem], world: World, dt: float, timings: Timings) -> None:
        for system in systems:
            system.run(world, dt)

    def _work(self, tasks: Iterator[Any], dt: float, workspace: Workspace, clocked: bool) -> list[Any]:
        for task in tasks:
            workspace.fit(self.chunk_size, task.tables)
            chunk = Chunk(task.rows, task.actor_count, dt, workspace, task.palette_rows)
            for system, components in task.systems:
                system.run(chunk, *components)
                chunk.publish()
        return []


@click.command()
@click.option("--scene", default="throng", show_default=True, help="One without systems of its own.")
@click.option("--actors", default=10_000, show_default=True)
@click.option("--rounds", default=400, show_default=True)
@click.option("--threads", default=1, show_default=True)
def main(scene: str, actors: int, rounds: int, threads: int) -> None:
    """Time steps without and with the profiler, alternated."""
    with load_scene(scene, actors=actors, threads=threads) as world:
        unclocked, real = UnclockedSchedule(threads), ChunkedSchedule(threads)
        ways: dict[str, Way] = {
            "no clock": (unclocked, lambda: NO_TIMINGS),
            "not asked": (real, lambda: NO_TIMINGS),
            "times": (real, Timings),
            "times and runs": (real, lambda: Timings(keeps_spans=True)),
        }
        before = poses_hash(world)
        spent = _alternate(world, list(ways.values()), rounds)
        if poses_hash(world) == before:
            raise SystemExit("no pose changed")
        click.echo(f"{scene}, {actor_count(world):,} actors, {threads} threads, {rounds} alternated rounds")
        unclocked.close()
        real.close()
    click.echo(f"{'':16}{' cpu ms':>10}{'ratio':>8}{'  middle half':>16}")
    ratios = np.percentile(spent / spent[:, :1], (25, 50, 75), axis=0)
    for name, median, (low, middle, high) in zip(ways, np.median(spent, axis=0), ratios.T, strict=True):
        click.echo(f"{name:16}{median:10.3f}{middle:8.4f}{low:9.3f} to {high:.3f}")


def _alternate(world: World, ways: Sequence[Way], rounds: int) -> np.ndarray:
    """Milliseconds of all threads' processor time [round, way]."""
    spent = np.empty((SETTLE + rounds, len(ways)))
    for number, row in enumerate(spent):
        for k in np.roll(range(len(ways)), number):
            schedule, make_timings = ways[k]
            timings = make_timings()
            begin = process_time_ns()
            schedule.run(world, STEP, timings)
            row[k] = (process_time_ns() - begin) / 1e6
            timings.settle()
    return spent[SETTLE:]


if __name__ == "__main__":
    main()
