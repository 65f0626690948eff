"""Steering: the goals of actors, and the model by which they avoid each other."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import FINITE, NUMBER, TALLY, Index, NotNegativeColumn, NumberColumn, PositiveColumn, Within
from ecs_anim.ecs.columns import Column, Kept
from ecs_anim.ecs.records import Binding
from ecs_anim.routing.lattice import CrowdRoutes, Goal
from ecs_anim.steering.agents import Agents, Cells, new_agents, new_cells
from ecs_anim.steering.columns import SteeringColumns
from ecs_anim.steering.own import Model
from ecs_anim.walls.arrays import WallArrays, no_walls


@dataclass
class Steering(Binding):
    """Actors go to their goals, clear of each other, of other crowds that steer, and of walls.

    Written by: the scene loader, routing, steering, user code (goals). Read by: routing, steering.
    """

    tallies: ClassVar[tuple[str, ...]] = ("turns",)

    model: int  # number in `Surroundings.models`
    decision_rate: float  # [1/s], how often directions and speeds are chosen
    waypoint_radius: float  # [m], the distance at which a waypoint counts as reached
    arrival: float  # [s], in which actors come to rest at their last goal
    waypoints: NDArray[np.float32]  # [n, 2] f32, x and z [m]; without `Journeys`: visited in a cycle, or one to stay at
    goal: NumberColumn  # [actor_count, 2] f32, x and z [m]
    offset: NumberColumn  # [actor_count, 2] f32, x and z [m], from waypoints to each actor's own
    waypoint: Annotated[Column[np.int32], Index("waypoints", or_none=True)]  # [actor_count] i32, -1 = their own goal
    speed: NotNegativeColumn  # [actor_count] f32, [m/s]
    radius: PositiveColumn  # [actor_count] f32, [m]
    orientation: Annotated[Column[np.float32], Within(-1.01, 1.01)]  # [actor_count, 2] f32, x and z of a unit vector
    parameters: NotNegativeColumn  # [actor_count, PARAMETER_COUNT] f32, memory of `Model.records` of the model
    halts: Annotated[Column[np.int32], Within(0, 1)]  # [actor_count] i32, 1 = they are to stand at the waypoint
    haste: NotNegativeColumn  # [actor_count] f32, share of their speed that they want now
    lean: NumberColumn  # [actor_count, 2] f32, x and z, beside 1 of the way to the goal
    route: Annotated[Column[np.int32], Index("asked", or_none=True)]  # [actor_count] i32, of goals of their own
    way: Annotated[Column[np.float32], FINITE]  # [actor_count, 3] f32, x and z of a unit vector, speed wanted [m/s]
    stuck: NotNegativeColumn  # [actor_count] f32, [s] for which they wanted to go but hardly moved
    cut_off: Annotated[Column[np.int32], Within(0, 1)]  # [actor_count] i32, 1 = no way leads to their goal
    goals: tuple[Goal, ...]  # the waypoints on the plan
    clearance: float  # [m], radius that ways are found for
    quickest: bool = False  # actors go to another goal where that is quicker
    # [n, 2] f32, points of the plan [m] by which ways to actors' own goals lead
    asked: Annotated[Kept[NDArray[np.float32]], NUMBER] = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    turns: Annotated[Kept[int], TALLY] = 0  # how often directions and speeds were chosen
    routes: CrowdRoutes | None = None  # of walls and goals as they were when they were made
    _asked: NDArray[np.float32] | None = None  # for which they were

    def keep_routes(self, routes: CrowdRoutes) -> None:
        """Have routes that are made for the goals as they are."""
        self.routes, self._asked = routes, self.asked

    def has_routes_for(self, walls: WallArrays, ease: NDArray[np.float32] | None) -> bool:
        """Return whether the routes are up to date with these walls, the congestion and the current goals."""
        made = self.routes
        is_same = made is not None and made.walls is walls and made.lattice.ease is ease
        return is_same and self._asked is self.asked

    @cached_property
    def columns(self) -> SteeringColumns:
        """Return the steering columns for kernels."""
        return self.bound(SteeringColumns)


@dataclass
class Surroundings:
    """Data that all steering actors of a world share: walls, the seed, and memory that grows with the agents' number.

    Written by: steering, doors (walls). Read by: routing, steering. The memory is not valid after a step.
    """

    seed: int
    walls: WallArrays = field(default_factory=no_walls)
    models: tuple[Model, ...] = ()  # the built-in ones in their order, then the scene's own
    agents: Agents = field(default_factory=lambda: new_agents(0))
    laid: Agents = field(default_factory=lambda: new_agents(0))  # the same, cell by cell
    cells: Cells = field(default_factory=lambda: new_cells(0))
    near: list[NDArray[np.float32]] = field(default_factory=list)  # by thread, of one agent's neighbours

    def fit(self, count: int, near: int, threads: int) -> None:
        """Provide memory for `count` agents, and for `near` numbers of one agent's neighbours in each thread."""
        self.near += [np.zeros(near, np.float32) for _ in range(threads - len(self.near))]
        if len(self.agents.identity) < count:
            more = count + count // 2
            self.agents, self.laid, self.cells = new_agents(more), new_agents(more), new_cells(more)
