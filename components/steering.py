"""Steering: the component with the goals of actors and their data for collision avoidance."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import FINITE, NUMBER, TALLY, Index, NotNegativeColumn, NumberColumn, PositiveColumn, Within
from ecs_anim.ecs.columns import Column, Kept, Personal
from ecs_anim.ecs.records import Binding
from ecs_anim.routing.lattice import CrowdRoutes, Goal
from ecs_anim.steering.agents import Agents, Cells, new_agents, new_cells
from ecs_anim.steering.columns import SteeringColumns
from ecs_anim.steering.own import Model
from ecs_anim.steering.rooms import RoomClocks
from ecs_anim.storeys.spaces import Spaces
from ecs_anim.walls.arrays import WallArrays, no_walls


@dataclass
class Steering(Binding):
    """The goals and velocities of steered actors.

    Actors avoid collisions with other steered actors of any crowd, and with walls.

    Written by: the scene loader, the systems `routing` and `steering`, and user code (only goals, `speed`, `radius` and
    `way`). Read by: the systems `routing` and `steering`.
    """

    tallies: ClassVar[tuple[str, ...]] = ("turns",)

    model: int  # index in `Surroundings.models`
    decision_rate: float  # [1/s], decisions about direction and speed per second
    waypoint_radius: float  # [m]; an actor within this distance has reached its waypoint
    arrival: float  # [s], duration of the slowdown before the last goal
    waypoints: NDArray[np.float32]  # [n, 2] f32, x and z [m]; without `Journeys`: a cycle, or one final waypoint
    goal: NumberColumn  # [actor_count, 2] f32, x and z [m], current goal
    offset: NumberColumn  # [actor_count, 2] f32, x and z [m], offset of the actor's goal from the waypoint
    # [actor_count] i32, index of the waypoint; -1 = the actor has an individual goal
    waypoint: Annotated[Column[np.int32], Index("waypoints", or_none=True)]
    speed: NotNegativeColumn  # [actor_count] f32, [m/s], preferred speed
    radius: PositiveColumn  # [actor_count] f32, [m], radius of the actor's body
    orientation: Annotated[Column[np.float32], Within(-1.01, 1.01)]  # [actor_count, 2] f32, x and z of a unit vector
    parameters: NotNegativeColumn  # [actor_count, PARAMETER_COUNT] f32, memory of the steering model (`Model.records`)
    halts: Annotated[Column[np.int32], Within(0, 1)]  # [actor_count] i32, 1 = the actor stops at its waypoint
    haste: NotNegativeColumn  # [actor_count] f32, present factor of `speed`
    lean: NumberColumn  # [actor_count, 2] f32, x and z, vector added to the walking direction
    route: Annotated[Column[np.int32], Index("asked", or_none=True)]  # [actor_count] i32, index in `asked`; -1 = none
    # [actor_count, 3] f32, x and z of the walking direction (unit vector), desired speed [m/s]. The system `routing`
    # writes the rows at each decision, and the system `steering` reads the rows. User code can change the rows between
    # these systems.
    way: Annotated[Column[np.float32], FINITE]
    stuck: NotNegativeColumn  # [actor_count] f32, [s], time in which the actor wants to walk but almost stands still
    cut_off: Annotated[Column[np.int32], Within(0, 1)]  # [actor_count] i32, 1 = no route leads to the actor's goal
    # [actor_count, 2] f32, x and z [m/s], velocity at the end of a decision minus the mean velocity; 0 without forces
    drift: NumberColumn
    # [actor_count] i32, 1 = handlers of the event "arrival" know that the actor has reached its last goal
    announced: Annotated[Column[np.int32], Within(0, 1), Personal(0)]
    goals: tuple[Goal, ...]  # the waypoints as plan points
    clearance: float  # [m], radius of actors in the route search
    avoids_stairs: bool = False  # true = no route leads over stairs
    quickest: bool = False  # true = actors change to another goal with a shorter travel time
    waypoint_names: tuple[str, ...] = ()  # names of the waypoints in the scene
    # [n, 2] f32, plan points [m] on the routes to individual goals
    asked: Annotated[Kept[NDArray[np.float32]], NUMBER] = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    turns: Annotated[Kept[int], TALLY] = 0  # number of decisions so far
    # arrivals of the current step: rows [n], and the indices [n] of their waypoints
    arrivals: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = field(default_factory=list)
    routes: CrowdRoutes | None = None  # routes for the walls and goals of the last update
    _asked: NDArray[np.float32] | None = None  # `asked` at the last update

    @property
    def fit(self) -> tuple[float, bool]:
        """The radius of actors in the route search [m], and whether the routes of the crowd avoid stairs."""
        return self.clearance, self.avoids_stairs

    def keep_routes(self, routes: CrowdRoutes) -> None:
        """Store routes that were computed for the current goals."""
        self.routes, self._asked = routes, self.asked

    def has_routes_for(self, walls: WallArrays, ease: NDArray[np.float32] | None) -> bool:
        """Return whether the stored routes are valid for `walls`, the congestion `ease` and the current goals."""
        made = self.routes
        is_same = made is not None and made.walls is walls and made.lattice.ease is ease
        return is_same and self._asked is self.asked

    @cached_property
    def columns(self) -> SteeringColumns:
        """The columns of `Steering` as a record for kernels."""
        return self.bound(SteeringColumns)


@dataclass
class Surroundings:
    """Data for the steering of all actors of a world: walls, random seed, and working memory.

    After a step, the contents of the working memory are not valid.

    Written by: the systems `steering` and `doors` (only walls). Read by: the systems `routing` and `steering`.
    """

    seed: int
    walls: WallArrays = field(default_factory=no_walls)
    models: tuple[Model, ...] = ()  # built-in steering models, then the scene's own models
    agents: Agents = field(default_factory=lambda: new_agents(0))
    laid: Agents = field(default_factory=lambda: new_agents(0))  # the agents, sorted by grid cell
    cells: Cells = field(default_factory=lambda: new_cells(0))
    # by thread, working memory for the neighbours of an agent
    near: list[NDArray[np.float32]] = field(default_factory=list)
    spaces: Spaces | None = None  # levels and flights; None = the world has no levels
    rooms: RoomClocks | None = None  # None = the world is one room

    @property
    def room_count(self) -> int:
        """The number of rooms. Actors in different rooms do not see each other."""
        return 1 if self.rooms is None else len(self.rooms.time)

    def fit(self, count: int, near: int, threads: int) -> None:
        """Provide memory for `count` agents, and memory for `near` f32 values of neighbour data in each thread."""
        self.near += [np.zeros(near, np.float32) for _ in range(threads - len(self.near))]
        if len(self.agents.identity) < count:
            more = count + count // 2
            self.agents, self.laid, self.cells = new_agents(more), new_agents(more), new_cells(more, self.room_count)
