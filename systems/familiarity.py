"""Familiarity: actors learn the goals that they see, and choose again when a goal comes into view."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.familiarity import Familiarity
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.steering.columns import ARRIVED, WAITS
from ecs_anim.steering.groups import of_first
from ecs_anim.systems.goal_choice import LOOKS, known_times, take_goals
from ecs_anim.systems.steering import Steered

Rows = NDArray[np.intp]


def look_for_goals(own: Steered) -> None:
    """Record the goals that actors see. Send actors that have seen a new goal to the known goal that they reach first.

    An actor sees a goal if no wall and no closed door is between the actor and the goal. Each actor looks about
    once every `LOOKS` seconds. At the first decision of a crowd, all actors look. Members of a group share their
    knowledge, and keep a common goal.
    """
    if own.familiarity is None or own.journeys is None:
        return
    is_first = own.steering.turns == 0
    period = max(1, round(LOOKS * own.steering.decision_rate))
    rows = np.flatnonzero(is_first | ((own.crowd.ids + own.steering.turns) % period == 0))
    before = own.familiarity.known.copy()
    _learn(own, own.familiarity, rows)
    is_free = (own.steering.waypoint >= 0) & ~np.isin(own.journeys.stage, (WAITS, ARRIVED))
    rows = np.flatnonzero(is_free & (is_first | (own.familiarity.known != before)))
    if not rows.size:
        return
    deciders = rows if own.groups is None else of_first(own.groups.number)[rows]
    times = known_times(own, deciders)
    best = times.argmin(axis=0).astype(np.int32)
    has_way = np.isfinite(times[best, np.arange(len(rows))])
    take_goals(own, rows[has_way], best[has_way])


def _learn(own: Steered, familiarity: Familiarity, rows: Rows) -> None:
    """Add the goals that the actors in `rows` see to their known goals, and to the known goals of their groups."""
    from ecs_anim.kernels.walls import is_clear  # compiled at first use

    assert own.steering.routes is not None  # `make_routes` has set the routes
    points = plan_from_space(own.transforms.translation[rows]).astype(np.float32)
    for number, goal in enumerate(own.steering.goals):
        ends = np.tile(np.array([goal.x, goal.y], np.float32), (len(rows), 1))
        is_seen = np.empty(len(rows), np.bool_)
        is_clear(own.steering.routes.walls, points, ends, len(rows), is_seen)
        familiarity.known[rows[is_seen]] |= np.int32(1 << number)
    if own.groups is not None:
        first = of_first(own.groups.number)
        together = np.zeros(len(first), np.int32)
        np.bitwise_or.at(together, first, familiarity.known)
        familiarity.known[:] = together[first]
