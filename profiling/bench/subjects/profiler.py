"""Cost of the profiler: the CPU time of all threads for time steps of one world, with and without the profiler.

The variants record different data in a time step. The first variant records no times. The second variant records the
times of all systems, as `ecs-anim profile` does. The third variant also records each run of each system, as `--trace`
does.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import process_time_ns

from ecs_anim.profiling.bench.harness import DT, Case, Work, require
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.timings import NO_TIMINGS, Timings

ROUNDS = 400
WAYS: dict[str, Callable[[], Timings]] = {
    "no times": lambda: NO_TIMINGS,
    "times": Timings,
    "times and runs": lambda: Timings(keeps_spans=True),
}


@contextmanager
def case(*, scene: str = "throng", actors: int = 10_000, threads: int = 1) -> Iterator[Case]:
    """Yield the benchmark with time steps of `scene`, for each type of recorded data."""
    with load_scene(scene, actors=actors, threads=threads) as world:
        before = poses_hash(world)

        def step(timings: Callable[[], Timings]) -> None:
            kept = timings()
            world.step(DT, kept)
            kept.settle()

        yield Case(
            {name: Work(partial(step, way)) for name, way in WAYS.items()},
            lambda: require(poses_hash(world) != before, "no pose changed"),
            clock=process_time_ns,
        )
