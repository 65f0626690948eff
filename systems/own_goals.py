"""Individual goals of actors.

The functions test whether actors can reach their goals, and choose the route field that leads to each goal.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.routing import Routing
from ecs_anim.components.steering import Steering
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import mirrored
from ecs_anim.routing.lattice import Goal
from ecs_anim.support.errors import InputError
from ecs_anim.systems.route_fields import lattice_of, lead_to
from ecs_anim.systems.routing import goals_of, may_be_goals, stranded
from ecs_anim.walls.arrays import WallArrays

SHARED = 1.0  # [m], along each axis; goals within this distance have a common field, if no wall or door is between them

Points = NDArray[np.float32]
Rows = NDArray[np.int32]


def give_goals(world: World, steering: Steering, rows: Rows, goals: Points, at: Points) -> None:
    """Set the individual goals [n, 2] [m] of the actors in `rows`.

    `at` [n, 2] [m] are the current plan points of the actors in `rows`.

    If no route leads to the goal of an actor even with all doors open, raise InputError and change no goal.
    """
    routing = next((routing for _, (routing,) in world.query(Routing)), None)
    if routing is not None:
        others = np.setdiff1d(np.flatnonzero(steering.route >= 0), rows)
        kept, number = np.unique(steering.route[others], return_inverse=True)
        asked, route = _shared(routing.locked, steering.asked[kept], goals)
        _require_ways(world, routing, steering, asked, route, goals, at)
        steering.route[others], steering.route[rows] = number, route
        steering.asked = asked
    steering.goal[rows] = mirrored(goals)
    steering.waypoint[rows], steering.announced[rows] = -1, 0


def _shared(walls: WallArrays, asked: Points, goals: Points) -> tuple[Points, Rows]:
    """Return points [m, 2] such that each goal in `goals` [n, 2] is near one of the points.

    Also return the index [n] of the point for each goal. The routes to a goal are the routes to its point.

    The result begins with the points in `asked`.
    """
    from ecs_anim.kernels.walls import is_clear

    route, found = np.full(len(goals), -1, np.int32), list(asked)
    for number in range(len(asked) + len(goals)):
        if (left := np.flatnonzero(route < 0)).size == 0:
            break
        if number == len(found):
            found.append(goals[left[0]])
            route[left[0]] = number
        near = left[(np.abs(goals[left] - found[number]) < SHARED).all(axis=1)]
        clear = np.empty(len(near), bool)
        is_clear(walls, np.tile(found[number], (len(near), 1)), goals[near], len(near), clear)
        route[near[clear]] = number
    return np.array(found, np.float32).reshape(-1, 2), route


def _require_ways(
    world: World, routing: Routing, steering: Steering, asked: Points, route: Rows, goals: Points, at: Points
) -> None:
    """Raise InputError if a goal [n, 2] is in a wall, or if an actor cannot reach its goal.

    `route` [n] contains the index of each goal's route in `asked`.
    """
    if (walled := np.flatnonzero(~may_be_goals(routing.unlocked, goals))).size:
        x, y = goals[walled[0]]
        raise InputError(
            f"go_to: a goal must be in the walkable area and not in a wall (got [{x:g}, {y:g}]). Choose another goal."
        )
    lattice = lattice_of(routing, routing.unlocked, *steering.fit)
    alike = [own for _, (own,) in world.query(Steering) if own.fit == steering.fit]
    wanted = [Goal(x, y) for x, y in asked.tolist()]
    lead_to(routing, lattice, [*(goal for own in alike for goal in goals_of(own)), *wanted])
    for number in np.unique(route):
        rows = np.flatnonzero(route == number)
        if (lost := rows[stranded(lattice, wanted[number], at[rows])]).size:
            (x, y), (from_x, from_y) = goals[lost[0]], at[lost[0]]
            raise InputError(
                f"go_to: walls separate {lost.size} of the {len(goals)} actors from their goals, even with all doors"
                f" open. For example, no route leads from [{from_x:g}, {from_y:g}] to [{x:g}, {y:g}]. Choose other"
                " goals for these actors."
            )
