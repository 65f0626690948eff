"""Handles of external agents: a program commands its robots through a handle, and reads their sensors."""

from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.ecs.world import World
from ecs_anim.external.footprint import Footprint
from ecs_anim.external.records import DRIVES, Contacts
from ecs_anim.support.arguments import number, numbers_below, numbers_for_each, one_of, places_for_each, rows_of
from ecs_anim.support.checked import checked, require_type
from ecs_anim.systems.external_agents import OwnAgents, agents_of, pose_of, rooms_of, stand
from ecs_anim.systems.observing import Observation, observe
from ecs_anim.systems.rays import RANGE, RayHits, hits
from ecs_anim.systems.turning import directions, turned

Reals = NDArray[np.float64]
Frame = Literal["world", "agent"]
MOST_RAYS = 100_000
EACH = slice(None)
FASTEST = 1e3  # [m/s] and [rad/s], limit of commands


class AgentHandle:
    """A handle of the n external agents in one table `agents` of a scene.

    The agents keep a command until the next command. Points are on the plan: x east, y north [m]. Headings are
    counter-clockwise from east [rad]. Properties return copies of the state after the last step. Raises RuntimeError if
    the world is closed.
    """

    @checked
    def __init__(self, world: World, name: str) -> None:
        self._world, self.name = world, name
        one_of("external agent", name, [own.crowd.name for own in agents_of(world)])

    @property
    def _now(self) -> OwnAgents:
        self._world.require_open()
        return next(own for own in agents_of(self._world) if own.crowd.name == self.name)

    def __repr__(self) -> str:
        return f"<AgentHandle {self.name!r}: {self.count} agents>"

    @property
    def count(self) -> int:
        """The number of agents."""
        return self._now.crowd.actor_count

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the agents, [n] i64."""
        return self._now.crowd.ids.copy()

    @property
    def footprint(self) -> Footprint:
        """The half length and the half width of the rectangle, and the width of the round margin around it [m]."""
        return self._now.external.footprint

    @property
    def positions(self) -> Reals:
        """The positions of the agents, [n, 2] f64 [m]."""
        return pose_of(self._now)[:, :2]

    @property
    def headings(self) -> Reals:
        """The headings of the agents, [n] f64 [rad]."""
        return pose_of(self._now)[:, 2]

    @property
    def velocities(self) -> Reals:
        """The mean velocities of the agents in the last step, [n, 2] f64 [m/s]."""
        return self._now.external.velocity[:, :2].astype(np.float64)

    @property
    def turn_rates(self) -> Reals:
        """The mean turn rates of the agents in the last step, [n] f64 [rad/s]."""
        return self._now.external.velocity[:, 2].astype(np.float64)

    @property
    def avoided(self) -> bool:
        """Whether steered actors avoid the agents. Programs can set this property."""
        return self._now.external.avoided

    @avoided.setter
    def avoided(self, value: bool) -> None:
        require_type("avoided", value, bool)
        self._now.external.avoided = value

    @property
    def contacts(self) -> Contacts:
        """The people, walls, props and agents that the agents touch (within 2 mm) at the end of the last step."""
        return self._now.external.contacts

    @checked
    def drive(self, speed: ArrayLike, turn_rate: ArrayLike = 0.0) -> None:
        """Command a speed along the heading [m/s] and a turn rate [rad/s] (unicycle): one number, or [n] numbers.

        Raises ValueError if a shape is wrong or a number is too large.
        """
        self._command("unicycle", speed=speed, turn_rate=turn_rate)

    @checked
    def set_velocity(self, velocity: ArrayLike, turn_rate: ArrayLike = 0.0) -> None:
        """Command velocities on the plan [2] or [n, 2] [m/s], and turn rates [rad/s]. Raises ValueError as `drive`."""
        given = numbers_for_each("velocity", velocity, (self.count, 2))
        self._command("velocity", x=given[:, 0], y=given[:, 1], turn_rate=turn_rate)

    @checked
    def move_to(self, positions: ArrayLike, headings: ArrayLike) -> None:
        """Command poses for the end of the next step: plan points [2] or [n, 2] [m], and headings [rad].

        Agents move in a straight line, and people, walls and props stop them. Raises ValueError if a shape is wrong.
        """
        given = places_for_each("positions", positions, (self.count, 2))
        self._command("pose", x=given[:, 0], y=given[:, 1], heading=headings)

    @checked
    def place(self, positions: ArrayLike, headings: ArrayLike | None = None, selection: Any = EACH) -> None:
        """Move the selected agents immediately to plan points [2] or [n, 2] [m], without checks for obstacles.

        By default, all agents are selected, and the headings [rad] do not change. `selection` contains row numbers, or
        is a mask or a slice. Raises ValueError if a shape is wrong, and InputError for a wrong selection.
        """
        own = self._now
        rows = rows_of(f"agents {self.name!r}", selection, self.count)
        pose = pose_of(own)[rows]
        pose[:, :2] = places_for_each("positions", positions, (len(rows), 2))
        if headings is not None:
            pose[:, 2] = numbers_for_each("headings", headings, (len(rows),))
        stand(self._world, own, rows, pose)
        own.external.velocity[rows] = 0

    @checked
    def observe(self, range_m: float = np.inf, frame: Frame = "world", row: int = 0) -> Observation:
        """Return the people within `range_m` [m] of the agent in `row`, the nearest first.

        With the frame "agent", x points ahead of the agent and y to its left. Raises ValueError for an unknown frame.
        """
        one_of("frame", frame, ("world", "agent"))
        (number_of_row,) = numbers_below("row", row, self.count, 1)
        point, heading = self.positions[number_of_row], float(self.headings[number_of_row])
        found = observe(self._world).within(point, range_m)
        return found if frame == "world" else found.seen_from(point, heading)

    @checked
    def lidar(self, rays: int = 360, range_m: float = RANGE, fov_degrees: float = 360.0) -> RayHits:
        """Return the first object on each of `rays` rays from the middle of each agent, [n, rays].

        The rays divide `fov_degrees` evenly, counter-clockwise, with the heading of the agent in the middle. Rays do
        not hit their own agent. Raises ValueError if a number is out of range.
        """
        count = int(number("rays", rays, 1, MOST_RAYS))
        fov = float(np.radians(number("fov_degrees", fov_degrees, 0.0, 360.0)))
        own, first = self._now, 0
        for other in agents_of(self._world):
            if other.crowd is own.crowd:
                break
            first += other.crowd.actor_count
        ways = turned(_fan(count, fov)[None], self.headings)
        without = np.arange(first, first + self.count, dtype=np.int32)
        return hits(self._world, self.positions, ways, range_m, without, rooms_of(self._world, own.crowd.ids))

    def _command(self, kind: str, **values: Any) -> None:
        command, external = np.zeros((self.count, 3)), self._now.external
        for column, (name, value) in enumerate(values.items()):
            command[:, column] = numbers_for_each(name, value, (self.count,))
            if kind != "pose" and (largest := np.abs(command[:, column]).max()) > FASTEST:
                raise ValueError(f"{name} must be at most {FASTEST:g} (got {largest:g}). Lower the number.")
        external.command[:], external.drive[:] = command, DRIVES.index(kind)


@lru_cache(maxsize=16)
def _fan(count: int, fov: float) -> Reals:
    """Return the directions [count, 2] of rays that divide an angle [rad] evenly. The middle of the angle is east."""
    return directions(fov * ((np.arange(count) + 0.5) / count - 0.5))


@checked
def agents(world: World, name: str | None = None) -> AgentHandle:
    """Return the handle of external agents. By default, return the handle of the first table `agents` of the scene.

    Raises InputError (also a KeyError) for an unknown name, and for a world without external agents.
    """
    if name is None:
        name = next((own.crowd.name for own in agents_of(world)), "")
    return AgentHandle(world, name)
