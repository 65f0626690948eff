"""What walking bodies cost: `throng`'s step against that of as many actors who walk at all speeds, feet included.

`python -m ecs_anim.profiling.bench_walking [ACTORS [ROUNDS]]`: microseconds an actor and step, one thread, medians of
steps taken alternately, of this thread's own time.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.crowd_handle import ALL, crowds

DT = 1 / 60  # [s]
FASTEST = 1.6  # [m/s]
WALKING = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 1.5 }}
body = {{}}
"""


def walking_world(actors: int) -> World:
    """People who go everywhere, and some who stand."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walking.toml"
        path.write_text(WALKING.format(count=actors), encoding="utf-8")
        world = load_scene(path, threads=1)
    rng = np.random.default_rng(1)
    way, speed = rng.uniform(0, 2 * np.pi, actors), rng.uniform(0, FASTEST, actors)
    crowds(world)[0].set_velocity(ALL, speed[:, None] * np.stack([np.sin(way), np.cos(way)], axis=-1))
    return world


def main(actors: int = 10_000, rounds: int = 60) -> None:
    """Print both, and the difference."""
    worlds = {"throng": load_scene("throng", actors=actors, threads=1), "walking": walking_world(actors)}
    spent: dict[str, list[int]] = {name: [] for name in worlds}
    for world in worlds.values():
        for _ in range(90):
            world.step(DT)
    for _ in range(rounds):
        for name, world in worlds.items():
            begin = time.thread_time_ns()
            world.step(DT)
            spent[name].append(time.thread_time_ns() - begin)
    took = {name: float(np.median(values)) / actors / 1000 for name, values in spent.items()}
    for name, value in took.items():
        print(f"{name:>8}: {value:.3f} us an actor and step")
    print(f"    body: {took['walking'] - took['throng']:.3f} us more")
    for world in worlds.values():
        world.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
