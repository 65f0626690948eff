"""Times of time steps by chunk size and number of threads. The largest chunk contains the whole crowd."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ecs_anim.profiling.bench.harness import Case, require, steps_of
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene

CHUNK_SIZES = (128, 512, 1024, 2048, 4096)


@contextmanager
def case(*, scene: str = "throng", actors: int = 10_000, threads: str = "1,2") -> Iterator[Case]:
    """Yield the benchmark with each chunk size and each number of threads in `threads`.

    The benchmark measures time steps of the scene `scene`.
    """
    counts = [int(count) for count in threads.split(",")]
    settings = {f"{n} threads, chunks of {size}": (n, size) for n in counts for size in (*CHUNK_SIZES, actors)}
    with ExitStack() as stack:
        worlds = {
            name: stack.enter_context(load_scene(scene, actors=actors, threads=n, chunk_size=size))
            for name, (n, size) in settings.items()
        }
        yield Case(
            {name: steps_of(world, actors) for name, world in worlds.items()},
            lambda: require(len(set(map(poses_hash, worlds.values()))) == 1, "the settings gave different poses"),
            unit="us",
            each="actor",
        )
