"""What walking bodies cost: `throng`'s step against that of as many actors who walk at all speeds, feet included.

And a street's: people who steer, walk on uneven ground and look at something. They choose in every third step.

Microseconds an actor and step, one thread, medians of three steps each, taken alternately, of this thread's own time.
`posed` are the actors of `bench_pose`, in the same run: their step, and what of it makes poses.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.profiling.bench_pose import MIXED, Bench
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.crowd_handle import ALL, crowds

DT = 1 / 60  # [s]
CHOICE = 3  # steps from one choice of those who steer to the next
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
STREET = """
[ground]
kind = "heights"
size = [{size}, {size}]
spacing = 0.25
function = "0.6 * sin(x / 6) * cos(z / 7)"
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 1.5 }}
heading_degrees = "random"
body = {{}}
grounding = {{}}
look_at = {{ target = "lamp" }}
[crowds.targets.lamp]
kind = "point"
at = [0.0, 2.5, 0.0]
[crowds.steering]
choose = "wander"
speed = [0.8, 1.3]
goals = [{{ at = [-{edge}, -{edge}] }}, {{ at = [{edge}, {edge}] }}, {{ at = [-{edge}, {edge}] }}]
"""


def _world_of(text: str) -> World:
    return load_scene(parse_scene(text, "walking.toml", Path()), threads=1)


def street_world(actors: int) -> World:
    """People who wander about and look at a lamp."""
    size = 20 + round(1.5 * actors**0.5)
    return _world_of(STREET.format(count=actors, size=size, edge=round(0.35 * size)))


def walking_world(actors: int) -> World:
    """People who go everywhere, and some who stand."""
    world = _world_of(WALKING.format(count=actors))
    rng = np.random.default_rng(1)
    way, speed = rng.uniform(0, 2 * np.pi, actors), rng.uniform(0, FASTEST, actors)
    crowds(world)[0].set_velocity(ALL, speed[:, None] * np.stack([np.sin(way), np.cos(way)], axis=-1))
    return world


@click.command()
@click.argument("actors", type=click.IntRange(min=1), default=10_000)
@click.argument("rounds", type=click.IntRange(min=1), default=60)
def main(actors: int, rounds: int) -> None:
    """Time crowds of ACTORS, in ROUNDS of three steps each."""
    posed = Bench("mannequin", MIXED.format("walk", "run"), actors, 1)
    worlds = {"throng": load_scene("throng", actors=actors, threads=1), "walking": walking_world(actors)}
    worlds["street"] = street_world(actors)
    steps: dict[str, Callable[[], object]] = {
        "posed": posed.frame,
        **{name: partial(world.step, DT) for name, world in worlds.items()},
    }
    spent: dict[str, list[int]] = {name: [] for name in steps}
    for world in worlds.values():
        for _ in range(90):
            world.step(DT)
    for _ in range(rounds):
        for name, step in steps.items():
            begin = time.thread_time_ns()
            for _ in range(CHOICE):
                step()
            spent[name].append((time.thread_time_ns() - begin) // CHOICE)
    took = {name: float(np.median(values)) / actors / 1000 for name, values in spent.items()}
    for name, value in took.items():
        click.echo(f"{name:>8}: {value:.3f} us an actor and step")
    street, poses = took["street"], posed.figures().us_per_actor
    click.echo(f"    body: {took['walking'] - took['throng']:.3f} us more")
    click.echo(f"  street: {street / took['posed']:.2f} of posed, {street / poses:.2f} of what makes poses there")
    for world in (posed.world, *worlds.values()):
        world.close()


if __name__ == "__main__":
    main()
