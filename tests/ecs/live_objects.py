"""Print as JSON which objects of closed worlds stay alive: `python -m tests.ecs.live_objects USE WARM COUNT`.

A process of its own runs this, because the tests' process shares rigs between worlds. Reference cycles count as
leaks: the garbage collector is off.
"""

import ctypes
import gc
import json
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ecs_anim as ea
from ecs_anim.gl.device.context import shared_context
from ecs_anim.profiling.soak import held, memory_bytes, objects

SIZE, DT = (48, 27), 1 / 60
SCENE: dict[str, Any] = {
    "rigs": {"people": {"model": "people"}},
    "walls": {
        "wkt": "POLYGON ((-9 -9, 9 -9, 9 9, -9 9, -9 -9))",
        "doors": [{"name": "d", "shape": "LINESTRING (2 0, 2 3)"}],
    },
    "crowds": [
        {
            "name": "walkers",
            "rig": "people",
            "count": 4,
            "layout": {"kind": "scatter", "radius": 4.0, "min_distance": 0.8},
            "body": {},
            "steering": {"goal": [0.0, 0.0]},
            "grounding": {},
            "clips": [{"name": "walk"}],
        },
        {"name": "far", "rig": "people", "count": 3, "path": "auto", "clips": [{"name": "walk"}]},
    ],
    "cameras": [{"name": "wide", "eye": [0.0, 5.0, 9.0], "look_at": [0.0, 1.0, 0.0], "distortion": {"k1": 0.1}}],
    "vary": {"crowds.walkers.count": [3, 6]},
}


def step(world: ea.World, folder: Path) -> None:
    """Steps, jumps, and actors that come and go."""
    world.step(DT)
    people = ea.crowd(world, "walkers")
    people.add(2)
    people.remove(ids=people.ids[:1])
    world.skip(5, DT)


def draw(world: ea.World, folder: Path) -> None:
    """Pictures, passes and labels."""
    step(world, folder)
    ea.render(world, SIZE)
    ea.capture(world, None, keypoints=True, amodal=True, size=SIZE)
    world.step(DT)
    ea.capture(world, ["wide"], ["rgb", "flow"], keypoints=True, amodal=True, size=SIZE)


def save(world: ea.World, folder: Path) -> None:
    """A snapshot, a recording and an export."""
    world.step(DT)
    world.save(folder / "state.npz")
    with ea.save_trajectories(world, folder / "people.csv"):
        world.skip(10, DT)


def opened(seed: int, use: Callable[[ea.World, Path], None], folder: Path, way: str) -> None:
    """Open a world, use it, and leave it in one of the three ways."""
    if way == "with":
        with ea.load_scene(SCENE, seed=seed, threads=2) as world:
            use(world, folder)
        return
    world = ea.load_scene(SCENE, seed=seed, threads=2)
    use(world, folder)
    if way == "close":
        world.close()


def dataset(seed: int, folder: Path) -> None:
    """A data set of one seed."""
    ea.save_dataset(SCENE, folder / f"seed{seed}", seeds=[seed], frames=[1, 2], size=SIZE)


class Inline(Executor):
    """Does each task at once, in this process, as a worker does."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def farm(seed: int, folder: Path) -> None:
    """A farm of one seed, whose tasks this process does."""
    job = {
        "scene": SCENE,
        "ranges": {"seeds": [seed], "frames": [0, 3]},
        "frames_per_task": 2,
        "make": {
            "pictures": {"size": [*SIZE]},
            "dataset": {"size": [*SIZE]},
            "measures": ["feet", "density"],
            "trajectories": {},
        },
    }
    outcome = ea.farm.run(job, folder / f"farm{seed}", executor=Inline(), threads=1)
    assert not outcome.failed, outcome.failed


USES: dict[str, Callable[[int, Path], None]] = {
    **{
        f"step-{way}": lambda seed, folder, way=way: opened(seed, step, folder, way)
        for way in ("with", "close", "drop")
    },
    **{
        f"draw-{way}": lambda seed, folder, way=way: opened(seed, draw, folder, way)
        for way in ("with", "close", "drop")
    },
    "save": lambda seed, folder: opened(seed, save, folder, "with"),
    "dataset": dataset,
    "farm": farm,
}


def alive() -> Counter[str]:
    """Count the objects of the package by class. ctypes makes classes for lengths of arrays; they do not count."""
    kinds = (type(own) for own in gc.get_objects())
    ours = (
        kind for kind in kinds if str(kind.__module__).startswith("ecs_anim") and not kind.__name__.startswith("LP_")
    )
    return Counter(f"{kind.__module__}.{kind.__qualname__}" for kind in ours)


def main(use: str, warm: int, count: int) -> None:
    """Open and leave worlds; print the growth of objects, of OpenGL's names, and memory after each world.

    The first count comes after the worlds that warm up. Memory is that of the worlds after them.
    """
    gc.disable()
    memory = []
    with TemporaryDirectory() as folder:
        for seed in range(warm):
            USES[use](seed, Path(folder))
        drawn = _gl_objects(use)
        gc.collect()
        before = alive()
        for seed in range(warm, warm + count):
            USES[use](seed, Path(folder))
            memory.append(_used_bytes())
        objects = alive()
        objects.subtract(before)
        grown = {name: number for name, number in objects.items() if number > 0}
        print(json.dumps({"grown": grown, "gl": _gl_objects(use) - drawn, "memory": memory}))


def _used_bytes() -> int:
    """Return the memory of this process, without the freed memory that the C library keeps for later calls.

    The kept memory depends on the order of a farm's tasks: it varied between 50 and 120 MB without any leak.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
    if trim is not None:
        trim(0)
    return memory_bytes()


def _gl_objects(use: str) -> int:
    if use.startswith(("step", "save")):
        return 0
    with shared_context().current():
        return objects(held())


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
