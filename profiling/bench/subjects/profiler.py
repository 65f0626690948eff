"""The cost of the profiler: one world is stepped with and without clocks. Processor time of all threads.

The schedules read no clock, read clocks that no report needs, keep the times of all systems (as `profile` does), and
keep each run of each system (as `profile --trace` does).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import process_time_ns
from typing import Any

from ecs_anim.ecs.world import World
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.timings import NO_TIMINGS, Timings
from ecs_anim.systems.chunk import Chunk, Workspace, WorldSystem
from ecs_anim.systems.schedule import ChunkedSchedule

DT = 1 / 60  # [s]
ROUNDS = 400


class UnclockedSchedule(ChunkedSchedule):
    """The same work without a clock."""

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


@contextmanager
def case(*, scene: str = "throng", actors: int = 10_000, threads: int = 1) -> Iterator[Case]:
    """A scene without systems of its own."""
    with load_scene(scene, actors=actors, threads=threads) as world:
        unclocked, real = UnclockedSchedule(threads), ChunkedSchedule(threads)
        before = poses_hash(world)

        def step(schedule: ChunkedSchedule, timings: Callable[[], Timings]) -> Callable[[], None]:
            def run() -> None:
                kept = timings()
                schedule.run(world, DT, kept)
                kept.settle()

            return run

        yield Case(
            {
                "no clock": Work(step(unclocked, lambda: NO_TIMINGS)),
                "no report": Work(step(real, lambda: NO_TIMINGS)),
                "times": Work(step(real, Timings)),
                "times and runs": Work(step(real, lambda: Timings(keeps_spans=True))),
            },
            lambda: require(poses_hash(world) != before, "no pose changed"),
            clock=process_time_ns,
        )
        unclocked.close()
        real.close()
