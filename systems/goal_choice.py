"""The choice of goals: if no route leads to an actor's goal, the actor can take another goal of its crowd."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.routing import Routing
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.steering.columns import ARRIVED, GOES, WAITS
from ecs_anim.steering.groups import of_first
from ecs_anim.support.errors import InputWarning
from ecs_anim.systems.route_fields import arrivals_at
from ecs_anim.systems.steering import Steered
from ecs_anim.walls.queries import may_be_at

LOOKS = 1.0  # [s], time between two searches of an actor for another goal

Rows = NDArray[np.intp]
Times = NDArray[np.float32]


def arrival_times(own: Steered, rows: Rows) -> Times:
    """Return the travel time from each actor to each goal at a speed of 1 m/s, [goal, n] [s].

    If there is no route, the travel time is inf.
    """
    assert own.steering.routes is not None  # `make_routes` has set the routes
    lattice, points = own.steering.routes.lattice, plan_from_space(own.transforms.translation[rows])
    return np.stack([arrivals_at(lattice, goal, points) for goal in own.steering.goals])


def known_times(own: Steered, rows: Rows) -> Times:
    """Return the travel times [goal, n] [s] in the form of `arrival_times`.

    The travel time to a goal that the actor does not know is inf.
    """
    times = arrival_times(own, rows)
    if own.familiarity is None:
        return times
    return np.where(own.familiarity.knows(rows, len(times)), times, np.float32(np.inf))


def take_goals(own: Steered, rows: Rows, goals: NDArray[np.integer]) -> None:
    """Change the goals of actors to other goals of their crowd. `goals` [n] are goal numbers."""
    steering, journeys = own.steering, own.journeys
    assert journeys is not None  # the crowd has several goals
    steering.waypoint[rows] = goals
    steering.goal[rows] = steering.waypoints[goals] + steering.offset[rows]
    stays = not (journeys.leaves or journeys.is_round)
    steering.halts[rows] = (journeys.wait[goals, 1] > 0) | stays


def choose_again(own: Steered) -> bool:
    """For actors without a route to their goal, choose another goal: the goal with the shortest travel time.

    Return whether some actors have no route to any goal. Each actor searches for another goal about once every `LOOKS`
    seconds. An actor that can reach none of its known goals can take an unknown goal. If a group member can reach the
    goal of the group's first member, it takes the goal of the first member. An actor keeps its goal if it cannot reach
    any goal, or if it must visit the goals in order.
    """
    period = max(1, round(LOOKS * own.steering.decision_rate))
    rows = np.flatnonzero(_is_cut_off(own))
    rows = rows[own.acts(period)[rows]] if rows.size else rows
    if not rows.size:
        return False
    times = arrival_times(own, rows)
    if own.journeys is not None and (own.journeys.stays or len(own.journeys.shares)):
        known = known_times(own, rows)
        known = np.where(np.isinf(known).all(axis=0), times, known)
        _send(own, rows, known.argmin(axis=0), times)
        if own.groups is not None:
            _send(own, rows, own.steering.waypoint[of_first(own.groups.number)[rows]], times)
    return bool(np.isinf(times).all(axis=0).any())


def warn_of_waiting(world: World, routing: Routing, crowds: Sequence[Steered]) -> None:
    """Print a warning if actors have no route to any goal of their crowd. Each world prints this warning only once."""
    waiting = sum(_count_waiting(own) for own in crowds)
    if waiting and not routing.is_told:
        count = sum(own.crowd.actor_count for own in crowds)
        text = f"{waiting} of {count} actors wait, because no route leads to a goal. Open a door on a route"
        warnings.warn(f"{routing.scene}: at {world.time:.1f} s: {text}", InputWarning, stacklevel=2)
        routing.is_told = True


def _is_cut_off(own: Steered) -> NDArray[np.bool_]:
    """Return which actors have no route to their goal. Actors that have arrived have no goal."""
    found: NDArray[np.bool_] = (own.steering.cut_off == 1) & (own.steering.waypoint >= 0)
    return found if own.journeys is None else found & (own.journeys.stage != ARRIVED)


def _send(own: Steered, rows: Rows, goals: NDArray[np.integer], times: Times) -> None:
    """Send each actor in `rows` [n] to its goal in `goals` [n], if the actor can reach this goal.

    Waiting actors start to walk. `times` [goal, n] [s] are the travel times, and inf without a route.
    """
    assert own.journeys is not None  # the actors can choose their goals
    reached = (goals >= 0) & np.isfinite(times[goals, np.arange(len(rows))])
    rows = rows[reached]
    take_goals(own, rows, goals[reached])
    waits = own.journeys.stage[rows] == WAITS
    own.journeys.stage[rows[waits]] = GOES


def _count_waiting(own: Steered) -> int:
    """Return the number of actors in free space from which no route leads to any goal of the crowd."""
    rows = np.flatnonzero(_is_cut_off(own))
    if not rows.size:
        return 0
    assert own.steering.routes is not None  # `make_routes` has set the routes
    is_free = may_be_at(
        own.steering.routes.lattice.walls, plan_from_space(own.transforms.translation[rows]).astype(np.float64)
    )
    return int(np.count_nonzero(is_free & np.isinf(arrival_times(own, rows)).all(axis=0)))
