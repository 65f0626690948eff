"""Moving roots over the ground: those that are told a velocity, those who steer, and those on paths."""

import numpy as np

from ecs_anim.body.movers import PATH, STEERED, VELOCITY
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.angles import half_of, unit_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.paths import root_at
from ecs_anim.kernels.types import MOVERS, PATHS, PLACEMENT, REAL, void

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
TURN_LAG, TURN_RATE = 0.1, 4.0  # [s] by which the body faces where it goes, and the most [rad/s]
CALM_LAG, CALM_RATE = 0.35, 1.5  # of those who steer: whom others make swerve, they pass sideways
FACES_ABOVE = np.float32(0.2)  # [m/s], slower than which a body faces what it faced
OPPOSITE = np.float32(-0.999)  # cosine, below which it turns to its left


@inlined
def _face(rotation, actor, sine, cosine, facing):
    """Turn an actor so that it faces a direction; `facing`, sine and cosine of where the model looks."""
    turn_sine, turn_cosine = sine * facing[1] - cosine * facing[0], cosine * facing[1] + sine * facing[0]
    half_sine, half_cosine = half_of(turn_sine, turn_cosine)
    rotation[actor, 0], rotation[actor, 1], rotation[actor, 2], rotation[actor, 3] = ZERO, half_sine, ZERO, half_cosine


@inlined
def faced(rotation, actor, facing):
    """Sine and cosine of what an actor faces."""
    y, w = rotation[actor, 1], rotation[actor, 3]
    sine, cosine = TWO * y * w, w * w - y * y
    return sine * facing[1] + cosine * facing[0], cosine * facing[1] - sine * facing[0]


@inlined
def _nearer(now, asked, most):
    """A velocity that comes nearer to what is asked for, by `most` [m/s]."""
    x, z = asked[0] - now[0], asked[1] - now[1]
    size = np.sqrt(x * x + z * z)
    share = most / size if size > most else ONE
    return now[0] + share * x, now[1] + share * z


@inlined
def _turned(sine, cosine, to_sine, to_cosine, share, most):
    """A direction that turns to another by a share of the way, and by `most` (sine, cosine of it) at most."""
    side, same = to_sine * cosine - to_cosine * sine, to_sine * sine + to_cosine * cosine
    x, z = sine + share * (to_sine - sine), cosine + share * (to_cosine - cosine)
    size = np.sqrt(x * x + z * z)
    x, z = x / size, z / size
    if same > most[1] or (same > OPPOSITE and x * sine + z * cosine > most[1]):
        return x, z
    turn = most[0] if side >= ZERO or same <= OPPOSITE else -most[0]
    return sine * most[1] + cosine * turn, cosine * most[1] - sine * turn


@inlined
def _unit(angle):
    sine, cosine = sin_cos(angle)
    return np.float32(sine), np.float32(cosine)


@kernel(void(PATHS, REAL, REAL, REAL, REAL, MOVERS, PLACEMENT))
def move_roots(paths, facing, acceleration, now, dt, movers, placement):
    """Move the roots of a chunk of actors to where they are `now` [s], `dt` [s] after the last time.

    paths: `Paths`, of the crowd; facing [rad], where the model looks before it is turned, from +Z; acceleration
    [m/s^2], the most. Writes the velocities of the `MoverColumns`, and the `Placement`.
    """
    kind, path, velocity, asked = movers
    translation, rotation, _ = placement
    looks, faster, step = _unit(facing), np.float32(acceleration * dt), np.float32(dt)
    quick = np.float32(dt / (dt + TURN_LAG)), _unit(TURN_RATE * dt)
    calm = np.float32(dt / (dt + CALM_LAG)), _unit(CALM_RATE * dt)
    for actor in range(kind.shape[0]):
        if kind[actor] == PATH:
            x, z, heading = root_at(paths, path[actor], now)
            translation[actor, 0], translation[actor, 2] = x, z
            sine, cosine = unit_of(heading)
            _face(rotation, actor, sine, cosine, looks)
        elif (kind[actor] == VELOCITY or kind[actor] == STEERED) and dt > 0.0:
            x, z = velocity[actor, 0], velocity[actor, 1]
            if kind[actor] == VELOCITY:
                x, z = _nearer((x, z), (asked[actor, 0], asked[actor, 1]), faster)
                velocity[actor, 0], velocity[actor, 1] = x, z
            translation[actor, 0] += x * step
            translation[actor, 2] += z * step
            speed = np.sqrt(x * x + z * z)
            if kind[actor] == STEERED or np.isnan(asked[actor, 2]):
                if speed < FACES_ABOVE:
                    continue
                to_sine, to_cosine = x / speed, z / speed
            else:
                to_sine, to_cosine = unit_of(asked[actor, 2])
            sine, cosine = faced(rotation, actor, looks)
            if to_sine * sine + to_cosine * cosine < ONE - np.float32(1e-7):
                share, most = calm if kind[actor] == STEERED else quick
                sine, cosine = _turned(sine, cosine, to_sine, to_cosine, share, most)
                _face(rotation, actor, sine, cosine, looks)
