"""Routing: the system that finds routes around walls for steered actors."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.routing import Routing
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.ecs.records import checked
from ecs_anim.ecs.world import World
from ecs_anim.routing.arrays import Destinations, no_cells, no_fields, straight_on
from ecs_anim.routing.lattice import CrowdRoutes, Goal, Lattice
from ecs_anim.systems.arrivals import note_ends, note_passed
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.familiarity import look_for_goals
from ecs_anim.systems.goal_choice import choose_again, warn_of_waiting
from ecs_anim.systems.helpers import share_rows
from ecs_anim.systems.route_fields import arrivals_at, lattice_of, lead_to, spots_of
from ecs_anim.systems.steering import PART, Steered, crowds_if_due
from ecs_anim.systems.unfolding import slow_down
from ecs_anim.walls.arrays import WallArrays, no_walls


class FindRoutes(Forgetful):
    """Find the walking direction of each steered actor that decides in this step.

    If no route leads to an actor's goal, the actor gets a goal that it can reach. Actors also learn the goals that they
    see.
    """

    name: ClassVar[str] = "routing"

    def run(self, world: World, dt: float) -> None:
        """Write `way` and `cut_off` of `Steering`. For some actors, also write `goal` and `waypoint`."""
        due = [own for own in crowds_if_due(world, dt) if own.is_due]
        if not due:
            return
        make_routes(world)
        hears = world.hears("arrival")
        for own in due:
            steering, waypoint = own.steering, own.steering.waypoint.copy() if hears else None
            _find_ways(world, own)
            if own.storeyed is not None:
                slow_down(own.storeyed, steering)
            if waypoint is not None:
                note_passed(steering, waypoint)
                assert steering.routes is not None  # `make_routes` has set the routes
                note_ends(own, steering.routes.lattice.walls)
        if (routing := _routing_of(world)) is not None:
            for own in due:
                look_for_goals(own)
            waits = [choose_again(own) for own in due]
            if any(waits):
                warn_of_waiting(world, routing, due)


def _find_ways(world: World, own: Steered) -> None:
    """Write the ways of the actors of a crowd that decide now."""
    from ecs_anim.kernels.routing import find_ways  # compiled at first use

    steering, rows, ids = own.steering, own.rows_in(own.due), own.crowd.ids
    # with journeys, the journeys system decides when actors continue
    near = steering.waypoint_radius if own.journeys is None else 0.0
    assert steering.routes is not None  # `make_routes` has set the routes
    lattice, destinations = steering.routes.lattice, steering.routes.destinations
    said = destinations, near, steering.arrival, lattice.walls, lattice.cells, lattice.fields
    columns = tuple(own.transforms.placement), tuple(own.movers.columns), tuple(steering.columns)
    share_rows(world, len(rows), PART, lambda _, part: find_ways(*said, (rows[part], ids), *columns))


def goals_of(steering: Steering) -> tuple[Goal, ...]:
    """Return all goals of a crowd: first the waypoints of the crowd, then the individual goals."""
    return (*steering.goals, *(Goal(x, y) for x, y in steering.asked.tolist()))


def make_routes(world: World) -> None:
    """If walls, goals or congestion have changed since the last call, update the routes of all steered crowds."""
    found = [steering for _, (steering,) in world.query(Steering)]
    ((_, (around,)),) = world.query(Surroundings)
    routing = _routing_of(world)
    ease = routing.ease if routing is not None and routing.congestion_interval else None
    if all(steering.has_routes_for(around.walls, ease) for steering in found):
        return
    if routing is None:
        for steering in found:
            steering.keep_routes(CrowdRoutes(around.walls, _nowhere(), straight_on(steering.waypoints)))
        return
    for fit in sorted({steering.fit for steering in found}):
        _make_alike(routing, around.walls, [own for own in found if own.fit == fit])


def may_be_goals(walls: WallArrays, points: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return a mask [n] of the plan points [n, 2] [m] that are free for actors."""
    from ecs_anim.kernels.walls import may_be_at

    free = np.ones(len(points), bool)
    may_be_at(walls, points, len(points), free)
    return free


def stranded(lattice: Lattice, goal: Goal, points: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return a mask [n] of the plan points [n, 2] [m] from which no route leads to a goal."""
    return np.isinf(arrivals_at(lattice, goal, points))


def _routing_of(world: World) -> Routing | None:
    return next((routing for _, (routing,) in world.query(Routing)), None)


def _nowhere() -> Lattice:
    """Return a lattice without cells. Actors whose lattice has no cells walk straight to their goals."""
    return Lattice(no_walls(), no_cells(), no_fields(0))


def _make_alike(routing: Routing, walls: WallArrays, alike: Sequence[Steering]) -> None:
    """Compute the routes of the crowds in `alike`. All these crowds have the same value of `Steering.fit`."""
    lattice = lattice_of(routing, walls, *alike[0].fit)
    lead_to(routing, lattice, [goal for steering in alike for goal in goals_of(steering)])
    for steering in alike:
        steering.keep_routes(CrowdRoutes(walls, lattice, _destinations(steering, lattice)))


def _destinations(steering: Steering, lattice: Lattice) -> Destinations:
    numbers = {goal: number for number, goal in enumerate(lattice.goals)}
    spots = [spots_of(lattice, goal) for goal in steering.goals]
    first = np.cumsum([0, *map(len, spots)]).astype(np.int32)
    fields = np.array([numbers[goal] for goal in goals_of(steering)], np.int32)
    return checked(Destinations(steering.waypoints, first, np.concatenate(spots), fields))
