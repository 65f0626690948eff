"""Arrivals: functions that record which actors have reached a goal, for handlers of the event "arrival".

If the event has no handler, the steering systems do not call these functions.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.movers import STEERED
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Steering
from ecs_anim.maths.plan import mirrored
from ecs_anim.maths.small_matrices import length
from ecs_anim.steering.columns import ARRIVED, GOES, READY, WAITS
from ecs_anim.systems.steering import Steered
from ecs_anim.walls.arrays import WallArrays

Ints = NDArray[np.int32]


def note_stops(steering: Steering, journeys: Journeys, stage: Ints, waypoint: Ints) -> None:
    """Record the actors that have just reached a waypoint of their journey.

    `stage` and `waypoint` [actor_count] contain the values of the columns before the journeys advanced.
    """
    goes_on = (steering.waypoint != waypoint) | (journeys.stage == WAITS) | (journeys.stage == ARRIVED)
    _note(steering, goes_on & (waypoint >= 0) & ((stage == READY) | (stage == GOES)), waypoint)


def note_passed(steering: Steering, waypoint: Ints) -> None:
    """Record the actors that have just passed a waypoint of an endless route.

    `waypoint` [actor_count] contains the values of the column before the route advanced.
    """
    _note(steering, steering.waypoint != waypoint, waypoint)


def note_ends(own: Steered, walls: WallArrays) -> None:
    """Record the actors that have just reached their only goal, or the goal that `go_to` has set.

    An actor has reached its goal if the goal is nearer than `waypoint_radius`, and no wall is between the actor and the
    goal.
    """
    from ecs_anim.kernels.walls import is_clear  # compiled at first use

    steering = own.steering
    has_one_goal = own.journeys is None and len(steering.waypoints) == 1
    ends = (has_one_goal | (steering.waypoint < 0)) & (own.movers.kind == STEERED)
    rows = np.flatnonzero(ends & (steering.announced == 0))
    places, goals = own.transforms.translation[rows][:, ::2], steering.goal[rows]
    is_near = length(goals - places) < steering.waypoint_radius
    rows, places, goals = rows[is_near], places[is_near], goals[is_near]
    clear = np.empty(len(rows), np.bool_)
    is_clear(walls, mirrored(places), mirrored(goals), len(rows), clear)
    steering.announced[rows[clear]] = 1
    steering.arrivals.append((rows[clear].astype(np.int32), steering.waypoint[rows[clear]]))


def _note(steering: Steering, has_come: NDArray[np.bool_], waypoint: Ints) -> None:
    rows = np.flatnonzero(has_come).astype(np.int32)
    steering.arrivals.append((rows, waypoint[rows]))
