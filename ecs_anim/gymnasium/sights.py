"""The state of robots and of the people around them as arrays. The first axis of each array is the environment."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.small_matrices import length
from ecs_anim.systems.agent_handle import AgentHandle
from ecs_anim.systems.turning import turned

Reals = NDArray[np.float64]
ROBOT = 9  # numbers of a robot in an observation
PERSON = 6  # numbers of a person in an observation


class People(NamedTuple):
    """The people in each environment, on the plan."""

    position: Reals  # [env, person, 2] [m]
    velocity: Reals  # [env, person, 2] [m/s]
    radius: Reals  # [env, person] [m]


class Robots(NamedTuple):
    """The robot of each environment, on the plan."""

    position: Reals  # [env, 2] [m]
    heading: Reals  # [env] [rad]
    velocity: Reals  # [env, 2] [m/s]
    turn_rate: Reals  # [env] [rad/s]
    radius: float  # [m], of the disc around the footprint

    def gaps(self, people: People) -> Reals:
        """Return the distances [env, person] [m] between the discs of the robot and of each person."""
        gaps: Reals = length(people.position - self.position[:, None]) - people.radius - self.radius
        return gaps

    def in_frame(self, vectors: Reals) -> Reals:
        """Return vectors [env, ..., 2] of the plan in the frames of the robots: x ahead, y to the left."""
        return turned(vectors, -self.heading)

    def on_plan(self, vectors: Reals) -> Reals:
        """Return vectors [env, ..., 2] in the frames of the robots on the plan."""
        return turned(vectors, self.heading)


def robots_of(handle: AgentHandle) -> Robots:
    """Return the state of external agents."""
    return Robots(handle.positions, handle.headings, handle.velocities, handle.turn_rates, handle.footprint.reach)


def robot_rows(robots: Robots, goal: Reals) -> NDArray[np.float32]:
    """Return the observation of robots [env, ROBOT] f32: position [m] and heading [rad] on the plan, velocity [m/s] in
    the robot's frame, turn rate [rad/s], goal [m] in the robot's frame, and radius [m].
    """
    parts = [
        robots.position,
        robots.heading[:, None],
        robots.in_frame(robots.velocity),
        robots.turn_rate[:, None],
        robots.in_frame(goal - robots.position),
        np.full((len(goal), 1), robots.radius),
    ]
    return np.concatenate(parts, axis=1).astype(np.float32)


def people_rows(robots: Robots, people: People, count: int) -> NDArray[np.float32]:
    """Return the `count` nearest people [env, count, PERSON] f32, the nearest first: position [m] and velocity [m/s] in
    the robot's frame, radius [m], and 1. If there are fewer people, the last rows are 0.
    """
    offset = people.position - robots.position[:, None]
    nearest = np.argsort(length(offset), axis=1, kind="stable")[:, :count]
    rows = np.zeros((len(offset), count, PERSON), np.float32)

    def chosen(column: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(column, nearest.reshape(*nearest.shape, *(1,) * (column.ndim - 2)), axis=1)

    found = rows[:, : nearest.shape[1]]
    found[..., :2], found[..., 2:4] = robots.in_frame(chosen(offset)), robots.in_frame(chosen(people.velocity))
    found[..., 4], found[..., 5] = chosen(people.radius), 1.0
    return rows
