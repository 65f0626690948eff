"""Steering: the goals of actors, and their collision avoidance."""

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
    """The steering of actors to their goals. Actors avoid each other, other steered crowds, and walls.

    Written by: the scene loader, routing, steering, user code (goals). Read by: routing, steering.
    """

    tallies: ClassVar[tuple[str, ...]] = ("turns",)

    model: int  # index in `Surroundings.models`
    decision_rate: float  # [1/s], choices of direction and speed per second
    waypoint_radius: float  # [m], distance to a waypoint; a nearer actor has reached the waypoint
    arrival: float  # [s], time in which actors slow down at their last goal
    waypoints: NDArray[np.float32]  # [n, 2] f32, x and z [m]; without `Journeys`: a cycle, or one final waypoint
    goal: NumberColumn  # [actor_count, 2] f32, x and z [m], current goal
    offset: NumberColumn  # [actor_count, 2] f32, x and z [m], offset of an actor's goal from the waypoint
    waypoint: Annotated[Column[np.int32], Index("waypoints", or_none=True)]  # [actor_count] i32, -1 = individual goal
    speed: NotNegativeColumn  # [actor_count] f32, [m/s], preferred speed
    radius: PositiveColumn  # [actor_count] f32, [m], radius of the body
    orientation: Annotated[Column[np.float32], Within(-1.01, 1.01)]  # [actor_count, 2] f32, x and z of a unit vector
    parameters: NotNegativeColumn  # [actor_count, PARAMETER_COUNT] f32, memory of `Model.records` of the model
    halts: Annotated[Column[np.int32], Within(0, 1)]  # [actor_count] i32, 1 = the actor must stop at the waypoint
    haste: NotNegativeColumn  # [actor_count] f32, factor of `speed` at present
    lean: NumberColumn  # [actor_count, 2] f32, x and z, vector added to the unit vector of the way
    route: Annotated[Column[np.int32], Index("asked", or_none=True)]  # [actor_count] i32, index in `asked`, -1 = none
    way: Annotated[Column[np.float32], FINITE]  # [actor_count, 3] f32, x and z of a unit vector, desired speed [m/s]
    stuck: NotNegativeColumn  # [actor_count] f32, [s], time with a desired speed but almost without movement
    cut_off: Annotated[Column[np.int32], Within(0, 1)]  # [actor_count] i32, 1 = the actor has no way to its goal
    goals: tuple[Goal, ...]  # the waypoints on the plan
    clearance: float  # [m], radius of actors for the search of ways
    quickest: bool = False  # true = actors change to a goal that is quicker
    # [n, 2] f32, points of the plan [m]; the ways to individual goals lead through these points
    asked: Annotated[Kept[NDArray[np.float32]], NUMBER] = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    turns: Annotated[Kept[int], TALLY] = 0  # number of choices of direction and speed so far
    routes: CrowdRoutes | None = None  # routes for the walls and goals at the last update
    _asked: NDArray[np.float32] | None = None  # `asked` at the last update

    def keep_routes(self, routes: CrowdRoutes) -> None:
        """Store routes that were made for the current goals."""
        self.routes, self._asked = routes, self.asked

    def has_routes_for(self, walls: WallArrays, ease: NDArray[np.float32] | None) -> bool:
        """Return whether the stored routes were made for `walls`, the congestion `ease` and the current goals."""
        made = self.routes
        is_same = made is not None and made.walls is walls and made.lattice.ease is ease
        return is_same and self._asked is self.asked

    @cached_property
    def columns(self) -> SteeringColumns:
        """The steering columns as a record for kernels."""
        return self.bound(SteeringColumns)


@dataclass
class Surroundings:
    """Data for the steering of all actors of a world: walls, the seed, and memory for the agents.

    The contents of the memory are not valid after a step.
    Written by: steering, doors (walls). Read by: routing, steering.
    """

    seed: int
    walls: WallArrays = field(default_factory=no_walls)
    models: tuple[Model, ...] = ()  # built-in models, then models of the scene
    agents: Agents = field(default_factory=lambda: new_agents(0))
    laid: Agents = field(default_factory=lambda: new_agents(0))  # the agents in the order of cells
    cells: Cells = field(default_factory=lambda: new_cells(0))
    near: list[NDArray[np.float32]] = field(default_factory=list)  # by thread, memory for the neighbours of an agent

    def fit(self, count: int, near: int, threads: int) -> None:
        """Provide memory for `count` agents, and for an array of `near` f32 neighbour values in each thread."""
        self.near += [np.zeros(near, np.float32) for _ in range(threads - len(self.near))]
        if len(self.agents.identity) < count:
            more = count + count // 2
            self.agents, self.laid, self.cells = new_agents(more), new_agents(more), new_cells(more)
