"""Random starts and goals of robots."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gymnasium.path_lengths import shortest_path
from ecs_anim.gymnasium.settings import Settings
from ecs_anim.maths.small_matrices import length
from ecs_anim.scenes.free_ground import is_clear
from ecs_anim.support.errors import InputError
from ecs_anim.systems.observing import observe
from ecs_anim.systems.queries import stage_of
from ecs_anim.walls.walls import Walls

Reals = NDArray[np.float64]
DRAWS, ROUNDS = 16, 50  # candidates in a round, and rounds
APART = 0.5  # [m], least distance of a robot's start from people
MARGIN = 0.1  # [m], least distance of a robot's straight way from walls
SPACING = 0.2  # [m], between the points of a way that are compared with walls


class Routes(NamedTuple):
    """The area of a scene in which robots start, and conditions on their starts and goals."""

    low: Reals  # [2] [m], corners of the area
    high: Reals
    walls: Walls | None
    radius: float  # [m], of the robot
    settings: Settings
    detour: float | None  # [m], shortest path from a given start to a given goal, if walls stand between them

    @classmethod
    def of(cls, world: World, radius: float, settings: Settings) -> "Routes":
        """Return the area of a world: the smallest rectangle around all people and their goals."""
        people, half = observe(world), settings.least_route_m
        points = np.concatenate([people.position, people.goal[np.isfinite(people.goal[:, 0])]])
        if not len(points):
            points = np.array([[-half, -half], [half, half]])
        made = cls(points.min(axis=0), points.max(axis=0), stage_of(world).walls, radius, settings, None)
        return made._replace(detour=made._detour())

    def shortest(self, starts: Reals, goals: Reals) -> Reals:
        """Return the lengths [way] [m] of the shortest paths around walls from starts to goals [way, 2]."""
        return length(goals - starts) if self.detour is None else np.full(len(starts), self.detour)

    def draw(self, rng: np.random.Generator, positions: Reals, radii: Reals) -> tuple[Reals, Reals]:
        """Return a start [2] and a goal [2] between which no wall is. Given points of the settings do not change.

        The start is not close to the people at `positions` [person, 2]. Raises InputError if no such points are found.
        """
        for _ in range(ROUNDS):
            starts, goals = (self._points(rng, given) for given in (self.settings.start, self.settings.goal))
            fits = self._fit(starts, goals, positions, radii)
            if fits.any():
                return starts[fits][0], goals[fits][0]
        raise InputError(
            f"no start and goal at a distance of {self.settings.least_route_m:g} m fit between walls and people. Lower"
            " least_route_m, or give start and goal."
        )

    def _detour(self) -> float | None:
        """Return the length of a path around walls [m], or None if the straight ways are clear.

        Raises InputError if no path leads from the start to the goal.
        """
        if self.walls is None or self.settings.start is None or self.settings.goal is None:
            return None
        start, goal = (np.asarray(point, np.float64) for point in (self.settings.start, self.settings.goal))
        found = shortest_path(self.walls, self.radius, start, goal)
        if np.isinf(found):
            raise InputError(
                f"no path for a robot with a radius of {self.radius:g} m leads from start to goal. Move start or goal."
            )
        return None if self._is_open(self.walls, start[None], goal[None])[0] else found

    def _points(self, rng: np.random.Generator, given: object) -> Reals:
        if given is not None:
            return np.broadcast_to(np.asarray(given, np.float64), (DRAWS, 2))
        return rng.uniform(self.low, self.high, (DRAWS, 2))

    def _fit(self, starts: Reals, goals: Reals, positions: Reals, radii: Reals) -> NDArray[np.bool_]:
        said = self.settings
        if said.start is not None and said.goal is not None:
            return np.ones(DRAWS, np.bool_)
        tests = [length(goals - starts) >= said.least_route_m]
        if said.start is None:
            gaps = length(starts[:, None] - positions) - radii - self.radius
            tests.append((gaps >= APART).all(axis=1))
        if self.walls is not None:
            tests.append(self._is_open(self.walls, starts, goals))
        fits: NDArray[np.bool_] = np.logical_and.reduce(tests)
        return fits

    def _is_open(self, walls: Walls, starts: Reals, goals: Reals) -> NDArray[np.bool_]:
        """Return whether the straight ways [way] are clear of walls."""
        count = 2 + int(length(goals - starts).max() / SPACING)
        share = np.linspace(0.0, 1.0, count)[:, None]
        points = starts[:, None] + share * (goals - starts)[:, None]
        clear = is_clear(walls, points.reshape(-1, 2), self.radius + MARGIN)
        found: NDArray[np.bool_] = np.logical_and.reduce(clear.reshape(len(starts), count), axis=1)
        return found
