"""Journeys: actors start, wait at waypoints, walk to the next waypoint, and arrive."""

import numpy as np
from numba import types

from ecs_anim.body.movers import STEERED
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, JOURNEYS, MOVERS, PLACEMENT, REAL, STEERING, WALLS, void
from ecs_anim.kernels.walls import sees
from ecs_anim.steering.columns import ARRIVED, GOES, READY, WAITS

STOPS, FLAGS = types.Tuple([FLOATS_2D, FLOATS_2D, FLOATS]), types.UniTuple(FLAG, 4)
ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
HELD = np.float32(0.1)  # [m/s]; a slower actor is blocked
MOST, SHARE = 0x7FFFFFFF, np.float32(2.0**-23)  # mask of the random state, and the step between two random numbers


@helper
def _draw(chance, actor):
    """Return the actor's next random number, from 0 to less than 1."""
    chance[actor] = hashed(chance[actor], 1, 0) & MOST
    return np.float32(chance[actor] >> 8) * SHARE


@inlined
def _has_come(goal, at, near, walls):
    """Return true if an actor is near a goal, and if no wall is between the actor and the goal."""
    x, z = goal[0] - at[0], goal[1] - at[2]
    if not x * x + z * z < near * near:
        return False
    return sees(walls, np.float64(at[0]), -np.float64(at[2]), np.float64(goal[0]), -np.float64(goal[1]))


@helper
def _another(shares, own, drawn):
    """Return a random waypoint other than `own`, for a random number and the cumulative probabilities `shares`."""
    before = shares[own - 1] if own > 0 else ZERO
    # Scale the number to the probabilities of the others, and skip the interval of `own`.
    drawn *= ONE - (shares[own] - before)
    drawn += shares[own] - before if drawn >= before else ZERO
    for number in range(len(shares)):
        if drawn < shares[number] and number != own:
            return number
    return len(shares) - 1 if own < len(shares) - 1 else own - 1


@inlined
def _length(vectors, actor):
    return np.sqrt(vectors[actor, 0] * vectors[actor, 0] + vectors[actor, 1] * vectors[actor, 1])


@inlined
def _go_on(steering, journeys, actor, stops, flags):
    """Send an actor from its waypoint to the next waypoint, or end the actor's journey."""
    goal, waypoint, halts = steering.goal, steering.waypoint, steering.halts
    waypoints, wait, shares = stops
    is_round, stays, leaves, is_chosen_elsewhere = flags
    if is_chosen_elsewhere:
        return
    following = waypoint[actor] + 1
    if stays or (following == len(waypoints) and not is_round):
        journeys.stage[actor], halts[actor] = ARRIVED, 1
        return
    following = following if following < len(waypoints) else 0
    if len(shares) > 1:
        following = _another(shares, waypoint[actor], _draw(journeys.chance, actor))
    waypoint[actor], journeys.stage[actor] = following, GOES
    goal[actor, 0] = waypoints[following, 0] + steering.offset[actor, 0]
    goal[actor, 1] = waypoints[following, 1] + steering.offset[actor, 1]
    is_last = following + 1 == len(waypoints) and not is_round
    halts[actor] = 1 if (is_last and not leaves) or wait[following, 1] > ZERO else 0


@kernel(void(STOPS, FLAGS, REAL, REAL, WALLS, MOVERS, PLACEMENT, STEERING, JOURNEYS))
def go_on_journeys(stops, flags, near, dt, walls, movers, placement, steering, journeys):
    """Advance the journeys of a crowd's steering actors by dt [s]. `stops` contains the waypoints [n, 2], x and z [m],
    then the arrays `wait` and `shares` of `Journeys`. `flags` contains `is_round`, `stays` and `leaves` of
    `Journeys`. If the fourth flag is true, other code chooses the next goals. An actor has reached a waypoint at the
    distance `near` [m] without a wall between. If other actors block the actor, 2 `near` plus the offset of its goal is
    near enough. An actor with its own goal has no waypoint, and the kernel only starts it. Writes `goal`, `waypoint`,
    `halts` and `haste` of the `SteeringColumns`, and the `JourneyColumns`.
    """
    translation, kind, velocity = placement.translation, movers.kind, movers.velocity
    goal, waypoint, stage, rest = steering.goal, steering.waypoint, journeys.stage, journeys.rest
    _, wait, _ = stops
    step, close = np.float32(dt), np.float32(near)
    for actor in range(len(kind)):
        if kind[actor] != STEERED:
            continue
        rest[actor] = max(rest[actor] - step, ZERO)
        is_held = stage[actor] != READY and _length(velocity, actor) < HELD
        if stage[actor] == READY:
            if rest[actor] > ZERO:
                steering.haste[actor] = ZERO
                continue
            steering.haste[actor], stage[actor] = ONE, GOES
        if waypoint[actor] < 0 or stage[actor] == ARRIVED:
            continue
        reach = TWO * close + _length(steering.offset, actor) if is_held else close
        if stage[actor] == GOES and _has_come(goal[actor], translation[actor], reach, walls):
            least, most = wait[waypoint[actor], 0], wait[waypoint[actor], 1]
            stage[actor] = WAITS
            rest[actor] = least + (most - least) * _draw(journeys.chance, actor) if most > least else least
        elif stage[actor] == WAITS and is_held:  # a waiting actor that was pushed away stays where it stands
            goal[actor, 0], goal[actor, 1] = translation[actor, 0], translation[actor, 2]
        if stage[actor] == WAITS and rest[actor] == ZERO:
            _go_on(steering, journeys, actor, stops, flags)
