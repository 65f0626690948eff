"""Times of steps of many rooms: people alone, people and a robot with a lidar, and the environments of Gymnasium.

The scene is the hall of the environment `ecs_anim/Crowd-v0`. In each step, some rooms start again with another seed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from ecs_anim.gymnasium.scenes import HALL, scene_with_robot
from ecs_anim.gymnasium.settings import Settings
from ecs_anim.profiling.bench.harness import Case, Run, Work, require
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.rooms import rooms as made_rooms
from ecs_anim.systems.agent_handle import agents
from ecs_anim.systems.rays import RANGE

ROUNDS = 30
STARTS = 16  # number of different starts
TOGETHER = 6  # number of steps in a run: at 60 steps per second, people decide in every sixth step
EPISODE = 200  # number of steps after which a room starts again


class Stepped:
    """Rooms of a scene. In each step, each room starts again with a chance of 1 to `EPISODE`."""

    def __init__(self, scene: str | SceneFile, count: int, seconds: float, threads: int | None) -> None:
        self.rooms = made_rooms(scene, count, seeds=np.arange(count) % STARTS, threads=threads)
        self._seconds, self._rng = seconds, np.random.default_rng(1)

    def step(self) -> None:
        """Start some rooms again, and take a step."""
        again = np.flatnonzero(self._rng.random(self.rooms.count) < 1 / EPISODE)
        self.rooms.reset(again, self._rng.integers(STARTS, size=len(again)))
        self.rooms.step(self._seconds)


@contextmanager
def case(*, rooms: int = 1000, step_seconds: float = 0.1, rays: int = 64, threads: int | None = None) -> Iterator[Case]:
    """Yield the benchmark with `rooms` rooms of 20 people, steps of `step_seconds` [s], and `rays` rays of a lidar."""
    from ecs_anim.gymnasium.vector_env import CrowdVectorEnv  # needs the extra

    people = Stepped(HALL, rooms, step_seconds, threads)
    robots = Stepped(scene_with_robot(Settings()), rooms, step_seconds, threads)
    environments = CrowdVectorEnv(
        num_envs=rooms, observations=("state", "lidar"), rays=rays, step_seconds=step_seconds, crowd_starts=STARTS
    )
    environments.reset(seed=1)
    handle, commands = agents(robots.rooms.world), np.random.default_rng(2).uniform(-1, 1, (rooms, 2))

    def drive() -> None:
        handle.drive(commands[:, 0], commands[:, 1])
        robots.step()
        handle.lidar(rays, RANGE)

    works = {"people": people.step, "lidar": drive, "environments": lambda: environments.step(commands)}
    yield Case(
        {name: Work(partial(_repeat, run), share=TOGETHER * rooms) for name, run in works.items()},
        lambda: require((people.rooms.velocities != 0).any(axis=(1, 2)).all(), "the people of some rooms stand still"),
        unit="us",
        each="room",
    )
    for own in (people.rooms, robots.rooms, environments):
        own.close()


def _repeat(run: Run) -> None:
    for _ in range(TOGETHER):
        run()
