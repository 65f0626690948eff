"""Journeys: actors set off, wait on their way, go on, and arrive."""

import numpy as np
from numba import types

from ecs_anim.body.movers import STEERED
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, INTS, JOURNEYS, PLACEMENT, REAL, STEERING, WALLS, void
from ecs_anim.kernels.walls import sees
from ecs_anim.steering.columns import ARRIVED, GOES, READY, WAITS

FLAGS = types.UniTuple(FLAG, 3)
ZERO, ONE = np.float32(0), np.float32(1)


@inlined
def _has_come(goal, at, near, walls):
    """Whether an actor is near a goal, and no wall between."""
    x, z = goal[0] - at[0], goal[1] - at[2]
    return x * x + z * z < near * near and sees(
        walls, np.float64(at[0]), -np.float64(at[2]), np.float64(goal[0]), -np.float64(goal[1])
    )


@inlined
def _go_on(goal, offset, waypoint, halts, stage, actor, waypoints, wait, flags):
    """Have an actor who is done with a waypoint be off to the next one, if there is one for them."""
    is_round, stays, leaves = flags
    following = waypoint[actor] + 1
    if stays or (following == len(waypoints) and not is_round):
        stage[actor], halts[actor] = ARRIVED, 1
        return
    following = following if following < len(waypoints) else 0
    waypoint[actor], stage[actor] = following, GOES
    goal[actor, 0] = waypoints[following, 0] + offset[actor, 0]
    goal[actor, 1] = waypoints[following, 1] + offset[actor, 1]
    is_last = following + 1 == len(waypoints) and not is_round
    halts[actor] = 1 if (is_last and not leaves) or wait[following] > ZERO else 0


@kernel(void(FLOATS_2D, FLOATS, FLAGS, REAL, REAL, WALLS, INTS, PLACEMENT, STEERING, JOURNEYS))
def go_on_journeys(waypoints, wait, flags, near, dt, walls, kind, placement, steering, journeys):
    """Take a crowd's actors who steer dt seconds further on their journeys.

    waypoints [n, 2], x and z [m]; wait [n] [s]; flags: `is_round`, `stays` and `leaves` of `Journeys`; near [m] from a
    waypoint, where actors have come to it, no wall being between. Writes `goal`, `waypoint`, `halts` and `haste` of the
    `SteeringColumns`, and the `JourneyColumns`. Those who were given a goal of their own stay as they are, once they
    have set off.
    """
    goal, offset, waypoint, _, _, _, _, halts, haste, _, _, _ = steering
    stage, rest = journeys
    step, reach = np.float32(dt), np.float32(near)
    for actor in range(len(kind)):
        if kind[actor] != STEERED:
            continue
        rest[actor] = max(rest[actor] - step, ZERO)
        if stage[actor] == READY:
            if rest[actor] > ZERO:
                haste[actor] = ZERO
                continue
            haste[actor], stage[actor] = ONE, GOES
        if waypoint[actor] < 0 or stage[actor] == ARRIVED:
            continue
        if stage[actor] == GOES and _has_come(goal[actor], placement[0][actor], reach, walls):
            stage[actor], rest[actor] = WAITS, wait[waypoint[actor]]
        if stage[actor] == WAITS and rest[actor] == ZERO:
            _go_on(goal, offset, waypoint, halts, stage, actor, waypoints, wait, flags)
