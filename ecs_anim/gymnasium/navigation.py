"""Navigation among people: the steps, the observations and the rewards of robots in many environments.

All arrays have one row for each environment.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gymnasium.metrics import Episodes
from ecs_anim.gymnasium.routes import Routes
from ecs_anim.gymnasium.settings import Reward, Settings
from ecs_anim.gymnasium.sights import People, people_rows, robot_rows, robots_of
from ecs_anim.maths.plan import heading_of_direction
from ecs_anim.maths.small_matrices import length, unit
from ecs_anim.support.arguments import numbers
from ecs_anim.systems.agent_handle import AgentHandle

Reals = NDArray[np.float64]
Truths = NDArray[np.bool_]


class Crowds(Protocol):
    """The people of all environments, which are in one world."""

    world: World

    def step(self, dt: float) -> None:
        """Advance all environments by `dt` [s]."""

    def people(self) -> People:
        """Return the people of all environments."""

    def begin(self, rows: NDArray[np.intp], seeds: Sequence[int]) -> None:
        """Start environments again, each with a seed."""


class Outcome(NamedTuple):
    """The results of a step."""

    reward: Reals  # [env]
    terminated: Truths  # [env], at the goal, or after a collision
    truncated: Truths  # [env], after the time limit
    metrics: dict[str, Reals]  # [env] each; empty if no episode ends


class Navigation:
    """Robots that drive to their goals, one robot in each of n environments."""

    def __init__(self, crowds: Crowds, robot: str, settings: Settings) -> None:
        self._crowds, self.settings = crowds, settings
        self.robot = AgentHandle(crowds.world, robot)
        count = self.robot.count
        self.goal, self._left = np.zeros((count, 2)), np.zeros(count)  # [m]
        self.episodes = Episodes(count)
        self._routes = Routes.of(crowds.world, self.robot.footprint.reach, settings)

    def begin(self, rows: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """Start the episodes of the environments `rows`, each with its own random generator."""
        seeds = [int(rng.integers(self.settings.crowd_starts)) for rng in rngs]
        self._crowds.begin(rows, seeds)
        self.robot.avoided = self.settings.avoided
        people = self._crowds.people()
        drawn = [
            self._routes.draw(rng, people.position[row], people.radius[row])
            for rng, row in zip(rngs, rows.tolist(), strict=True)
        ]
        starts, goals = (np.array(points).reshape(-1, 2) for points in zip(*drawn, strict=True))
        self.robot.place(starts, heading_of_direction(goals - starts), rows)
        self.goal[rows], self._left[rows] = goals, length(goals - starts)
        self.episodes.begin(rows, self._routes.shortest(starts, goals))

    def step(self, actions: NDArray[Any]) -> Outcome:
        """Advance all environments by one step with the actions [env, 2]."""
        said = self.settings
        self._command(np.clip(numbers("action", actions), -1.0, 1.0))
        self._crowds.step(said.step_seconds)
        robots = robots_of(self.robot)
        gap = robots.gaps(self._crowds.people()).min(axis=1, initial=np.inf)
        left = length(self.goal - robots.position)
        self.episodes.add(robots, gap, said.step_seconds)
        collides = np.zeros(len(left), np.bool_)
        collides[self.robot.contacts.agent] = True
        succeeds = (left < said.goal_radius_m) & ~collides
        reward = rewards(said.reward, succeeds, collides, gap, self._left - left, said.step_seconds)
        self._left, ends = left, succeeds | collides
        late = ~ends & (self.episodes.seconds > said.limit_seconds - said.step_seconds / 2)
        metrics = self.episodes.results(succeeds, collides) if (ends | late).any() else {}
        return Outcome(reward, ends, late, metrics)

    def observe(self) -> dict[str, NDArray[Any]]:
        """Return the observations "state" and "lidar" that the settings name, by key of the space."""
        said, found = self.settings, dict[str, NDArray[Any]]()
        if "state" in said.observations:
            robots = robots_of(self.robot)
            found["robot"] = robot_rows(robots, self.goal)
            found["people"] = people_rows(robots, self._crowds.people(), said.people)
        if "lidar" in said.observations:
            found["lidar"] = self.robot.lidar(said.rays, said.range_m).distance.astype(np.float32)
        return found

    def _command(self, actions: Reals) -> None:
        fastest = self.settings.max_speed_m_s
        if self.settings.actions == "unicycle":
            self.robot.drive(fastest * actions[:, 0], self.settings.max_turn_rate_rad_s * actions[:, 1])
        else:
            share = np.minimum(length(actions), 1.0)[:, None]
            self.robot.set_velocity(robots_of(self.robot).on_plan(fastest * share * unit(actions)))


def rewards(said: Reward, succeeds: Truths, collides: Truths, gap: Reals, progress: Reals, dt: float) -> Reals:
    """Return the rewards [env] of a step of `dt` [s]. `gap` [env] is the distance of the nearest person [m], and
    `progress` [env] is the decrease of the distance to the goal [m].
    """
    is_close = ~succeeds & ~collides & (gap < said.discomfort_m)
    discomfort = said.discomfort * (np.minimum(gap, said.discomfort_m) - said.discomfort_m) * dt * is_close
    total: Reals = said.goal * succeeds + said.collision * collides + discomfort + said.progress * progress
    return total
