"""Time that the export of a scene takes, the size of the file, and the additional memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ecs_anim.exporting.export import export as export_world
from ecs_anim.profiling.bench.harness import Case, Work
from ecs_anim.profiling.measure import peak_memory_mb
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.queries import actor_count

ROUNDS = 1


@contextmanager
def case(
    *, scene: str = "throng", actors: int | None = None, frames: int = 240, ending: str = "usdc"
) -> Iterator[Case]:
    """Yield the benchmark with the export of `frames` frames. `ending` is the file extension: usdc, usda or glb."""
    with load_scene(scene, actors=actors) as world, TemporaryDirectory() as folder:
        world.step(0.0)  # compiles the kernels
        count, before, path = actor_count(world), peak_memory_mb() or 0.0, Path(folder, f"x.{ending}")
        yield Case(
            {"export": Work(lambda: export_world(world, path, frames=frames), lambda: path.unlink(missing_ok=True))},
            unit="s",
            facts=lambda: {
                "actors": count,
                "file_mb": path.stat().st_size / 1e6,
                "kb_per_actor": path.stat().st_size / count / 1e3,
                "memory_before_mb": before,
                "memory_more_mb": (peak_memory_mb() or 0.0) - before,
            },
        )
