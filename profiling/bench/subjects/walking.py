"""Times of walking bodies.

The benchmark measures time steps of the scene `throng`, of a crowd with walking and standing bodies, and of a street.
Actors in the street steer, walk on uneven ground and look at a lamp. The actors of the street choose a new velocity in
every third time step, so a round of the benchmark has three time steps. The variant `posed` is the crowd of the
benchmark `pose`. Times are CPU times of one thread.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import thread_time_ns

import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.profiling.bench.harness import DT, Case, Work, require
from ecs_anim.profiling.bench.subjects.pose import MIXED, Posing
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.crowd_handle import ALL, crowds

CHOICE = 3  # number of time steps between two choices of a velocity
SETTLING = 90  # number of time steps before the measurement
FASTEST = 1.6  # largest speed [m/s]
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
function = "0.6 * sin(x / 6) * cos(y / 7)"
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
route_choice = "wander"
desired_speed_m_s = [0.8, 1.3]
goals = [{{ at = [-{edge}, -{edge}] }}, {{ at = [{edge}, {edge}] }}, {{ at = [-{edge}, {edge}] }}]
"""
ROUNDS = 60


@contextmanager
def case(*, actors: int = 10_000) -> Iterator[Case]:
    """Yield the benchmark with crowds of `actors` actors."""
    with ExitStack() as stack:
        worlds = {
            "posed": Posing("mannequin", MIXED.format("walk", "run"), actors, 1).world,
            "throng": load_scene("throng", actors=actors, threads=1),
            "walking": walking_world(actors),
            "street": street_world(actors),
        }
        for world in worlds.values():
            _steps(stack.enter_context(world), SETTLING)()
        before = {name: poses_hash(world) for name, world in worlds.items()}

        def check() -> None:
            for name, world in worlds.items():
                require(poses_hash(world) != before[name], f"{name}: no pose changed")

        works = {name: Work(_steps(world, CHOICE), share=actors * CHOICE) for name, world in worlds.items()}
        yield Case(works, check, unit="us", each="actor and step", clock=thread_time_ns)


def _steps(world: World, count: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(count):
            world.step(DT)

    return run


def street_world(actors: int) -> World:
    """Return the street: a world with actors that wander and look at a lamp."""
    size = 20 + round(1.5 * actors**0.5)
    return load_scene(STREET.format(count=actors, size=size, edge=round(0.35 * size)), threads=1)


def walking_world(actors: int) -> World:
    """Return a world in which some actors walk in all directions and the remaining actors stand."""
    world = load_scene(WALKING.format(count=actors), threads=1)
    rng = np.random.default_rng(1)
    way, speed = rng.uniform(0, 2 * np.pi, actors), rng.uniform(0, FASTEST, actors)
    crowds(world)[0].set_velocity(ALL, speed[:, None] * np.stack([np.sin(way), np.cos(way)], axis=-1))
    return world
