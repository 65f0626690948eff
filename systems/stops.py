"""Stops: at their goals, actors take free places, wait until they are released, and choose the next goal."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Steering
from ecs_anim.components.stops import HELD, Stops, Transition
from ecs_anim.components.timeline import Cue
from ecs_anim.ecs.world import World
from ecs_anim.steering.columns import ARRIVED, GOES, WAITS
from ecs_anim.support.errors import InputError, not_among

Rows = NDArray[np.intp]


def take_places(steering: Steering, journeys: Journeys, stops: Stops) -> None:
    """Send the actors at each goal with waiting places to their places, and approaching actors to the next free place.

    A waiting actor keeps its place. If all places are taken, actors wait at the last place, in the order of their
    arrival. The function writes `goal` of `Steering` and `ticket` of `Journeys`.
    """
    journeys.ticket[journeys.stage != WAITS] = -1
    for number, places in enumerate(stops.places):
        if len(places):
            _take_places(number, places, steering, journeys)


def _take_places(number: int, places: NDArray[np.float32], steering: Steering, journeys: Journeys) -> None:
    has_goal, ticket = steering.waypoint == number, journeys.ticket
    rows = np.flatnonzero(has_goal & (journeys.stage == WAITS))
    came = rows[ticket[rows] < 0]
    after = max(int(ticket[rows].max(initial=-1)) + 1, len(places))
    ticket[came] = after + np.arange(len(came))  # behind all actors that wait already
    behind = rows[ticket[rows] >= len(places)]
    behind = behind[np.argsort(ticket[behind], kind="stable")]
    free = np.setdiff1d(np.arange(len(places)), ticket[rows])
    count = min(len(free), len(behind))
    ticket[behind[:count]] = free[:count]
    steering.goal[rows] = places[np.minimum(ticket[rows], len(places) - 1)]
    following = free[count] if len(free) > count else len(places) - 1
    steering.goal[has_goal & (journeys.stage == GOES)] = places[following]


def go_on(ids: NDArray[np.int64], steering: Steering, journeys: Journeys, stops: Stops) -> None:
    """Send the actors whose waiting time is over to their next goals, in the order of their ids.

    A journey ends at a goal without next goals.
    """
    rows = np.flatnonzero((journeys.stage == WAITS) & (journeys.rest == 0) & (steering.waypoint >= 0))
    wait = stops.waits(journeys.wait)
    for row in rows[np.argsort(ids[rows], kind="stable")].tolist():
        here = int(steering.waypoint[row])
        transition = stops.transitions[here]
        journeys.ticket[row] = -1
        if not transition.goals:
            journeys.stage[row], steering.halts[row] = ARRIVED, 1
            continue
        number = _next(transition, int(stops.taken[here]), steering, journeys)
        stops.taken[here] += 1
        steering.waypoint[row], journeys.stage[row] = number, GOES
        steering.goal[row] = steering.waypoints[number] + steering.offset[row]
        ends = not stops.transitions[number].goals and not journeys.leaves
        steering.halts[row] = ends or wait[number, 1] > 0


def _next(transition: Transition, taken: int, steering: Steering, journeys: Journeys) -> int:
    """Return the number of the next goal of an actor that leaves a goal with the rule `transition`.

    `taken` is the number of actors that have already left this goal for a next goal.
    """
    if transition.is_least_targeted:
        targets = steering.waypoint[journeys.stage != ARRIVED]
        return min(transition.goals, key=lambda goal: int(np.count_nonzero(targets == goal)))
    ends = np.cumsum(transition.weights)
    return transition.goals[int(np.searchsorted(ends, taken % ends[-1], side="right"))]


def release(world: World, entity: int, goal: str, count: int | None) -> None:
    """Release the first `count` actors that wait at a goal. If `count` is None, release all actors, now and later.

    Raises InputError if the goal cannot hold actors. Raises ValueError if `count` is negative.
    """
    if count is not None and count < 0:
        raise ValueError(f"count must be at least 0 (got {count}). Pass 0 or a larger number.")
    stops, number = _stop(world, entity, goal)
    steering, journeys = world.get(entity, Steering), world.get(entity, Journeys)
    rows = np.flatnonzero((steering.waypoint == number) & (journeys.stage == WAITS))
    if count is None:
        stops.held[number] = 0
        count = len(rows)
    rows = rows[np.lexsort((world.get(entity, Crowd).ids[rows], journeys.ticket[rows]))][:count]
    is_queue = journeys.queue[number].any()  # a queue without a hold serves one actor after another
    if stops.held[number] or not is_queue:
        journeys.rest[rows] = 0
    else:
        journeys.rest[rows] = journeys.wait[number, 0]


def hold(world: World, entity: int, goal: str) -> None:
    """Hold actors at a goal until they are released. Raises InputError if the goal cannot hold actors."""
    stops, number = _stop(world, entity, goal)
    steering, journeys = world.get(entity, Steering), world.get(entity, Journeys)
    stops.held[number] = 1
    journeys.rest[(steering.waypoint == number) & (journeys.stage == WAITS)] = HELD


def move_holds(world: World, cue: Cue) -> None:
    """Release or hold actors at the goals of a cue, in all crowds of the cue."""
    for entity, (crowd, _) in world.query(Crowd, Stops):
        if cue.crowd in (None, crowd.name):
            known = holding_goals(world, entity)
            for goal in (goal for goal in cue.releases if goal in known):
                release(world, entity, goal, cue.release_count)
            for goal in (goal for goal in cue.holds if goal in known):
                hold(world, entity, goal)


def holding_goals(world: World, entity: int) -> list[str]:
    """Return the names of a crowd's goals that can hold actors."""
    stops = world.find(entity, Stops)
    if stops is None:
        return []
    return [world.get(entity, Steering).waypoint_names[number] for number in np.flatnonzero(stops.can_hold)]


def _stop(world: World, entity: int, goal: str) -> tuple[Stops, int]:
    """Return the stops of a crowd, and the number of a goal that can hold actors. Raises InputError."""
    stops, known = world.find(entity, Stops), holding_goals(world, entity)
    if stops is None or goal not in known:
        name = world.get(entity, Crowd).name
        text = f"crowd {name!r} has no goal that holds actors with the name"
        raise InputError(not_among(text, goal, known, "goals are"))
    return stops, world.get(entity, Steering).waypoint_names.index(goal)
