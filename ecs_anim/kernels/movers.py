"""Moving roots over the ground: those that are told a velocity, and those on paths."""

import numpy as np

from ecs_anim.body.movers import PATH, VELOCITY
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import arctan2, sin_cos
from ecs_anim.kernels.paths import root_at
from ecs_anim.kernels.stepping import turned_by
from ecs_anim.kernels.types import MOVED, PATHS, REAL, void

ZERO = np.float32(0)
TURN_LAG = 0.1  # [s] by which the body faces where it goes
TURN_RATE = 4.0  # [rad/s], the most
FACES_ABOVE = np.float32(0.2)  # [m/s], slower than which a body faces what it faced


@inlined
def _face(moved, actor, heading, facing):
    half = 0.5 * (np.float64(heading) - facing)
    sine, cosine = sin_cos(half)
    moved.rotation[actor, 0] = moved.rotation[actor, 2] = ZERO
    moved.rotation[actor, 1], moved.rotation[actor, 3] = sine, cosine


@inlined
def _accelerate(moved, actor, most):
    """Bring the velocity nearer to what is asked for, by `most` [m/s]."""
    x, z = moved.asked[actor, 0] - moved.velocity[actor, 0], moved.asked[actor, 1] - moved.velocity[actor, 1]
    size = np.sqrt(x * x + z * z)
    share = most / size if size > most else np.float32(1)
    moved.velocity[actor, 0] += share * x
    moved.velocity[actor, 1] += share * z


@helper
def _turn(moved, actor, facing, dt):
    """Face what is asked for, else where it goes, a little later and not at any rate."""
    x, z, wanted = moved.velocity[actor, 0], moved.velocity[actor, 1], np.float64(moved.asked[actor, 2])
    if np.isnan(wanted):
        if x * x + z * z < FACES_ABOVE * FACES_ABOVE:
            return
        wanted = arctan2(np.float64(x), np.float64(z))
    half = arctan2(np.float64(moved.rotation[actor, 1]), np.float64(moved.rotation[actor, 3]))
    heading = 2.0 * half + facing
    turn = np.float64(turned_by(np.float32(wanted - heading))) * dt / (dt + TURN_LAG)
    if turn != 0.0:
        _face(moved, actor, heading + min(max(turn, -TURN_RATE * dt), TURN_RATE * dt), facing)


@kernel(void(PATHS, REAL, REAL, REAL, REAL, MOVED))
def move_roots(paths, facing, acceleration, now, dt, out_moved):
    """Move the roots of a chunk of actors to where they are `now` [s], `dt` [s] after the last time.

    paths: `Paths`, of the crowd; facing [rad], where the model looks before it is turned, from +Z; acceleration
    [m/s^2], the most; out_moved: `Moved`.
    """
    for actor in range(out_moved.kind.shape[0]):
        if out_moved.kind[actor] == PATH:
            x, z, heading = root_at(paths, out_moved.path[actor], now)
            out_moved.translation[actor, 0], out_moved.translation[actor, 2] = x, z
            _face(out_moved, actor, heading, facing)
        elif out_moved.kind[actor] == VELOCITY and dt > 0.0:
            _accelerate(out_moved, actor, np.float32(acceleration * dt))
            out_moved.translation[actor, 0] += out_moved.velocity[actor, 0] * np.float32(dt)
            out_moved.translation[actor, 2] += out_moved.velocity[actor, 1] * np.float32(dt)
            _turn(out_moved, actor, facing, dt)
