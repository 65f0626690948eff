"""Inertial fades (Bollo, GDC 2018): the pose is the new motion plus a difference that decays.

The difference at the start of the fade is x: the shown pose minus the pose of the new motion. The rate of change of the
difference at the start is v. The duration of the fade is T, and s is the share of T that has passed. The difference is
then

(1 - s)^4 ((1 + 4 s) x + s T v).

At the end of the fade, the value, rate, acceleration and jerk of this quintic are 0, as in Bollo's method.
"""

import numpy as np

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import arctan2
from ecs_anim.kernels.rotations import about, inverse, normalized, product, rotated
from ecs_anim.kernels.types import COUNT, INERTIA, INTS, OUT_2D, QUEUE, REAL, void
from ecs_anim.kernels.vectors import cross, scaled
from ecs_anim.runtime.inertia import BEGINS, SETTLED, SETTLES

LEAST = 1e-9  # a quaternion with a shorter vector part has no axis
FIRST = 1.001  # a fade is new during this number of steps


@helper
def vector_of(q):
    """Return the rotation vector [rad] of a quaternion. The length of a rotation vector is its angle, at most pi."""
    sign = -1.0 if q[3] < 0 else 1.0
    size = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    factor = sign * (2.0 * arctan2(size, sign * q[3]) / size if size > LEAST else 2.0)
    return q[0] * factor, q[1] * factor, q[2] * factor


@helper
def turn_of(x):
    """Return the quaternion of the rotation vector x [rad]."""
    angle = np.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    if angle < LEAST:
        return normalized((x[0] / 2, x[1] / 2, x[2] / 2, 1.0))
    return about(scaled(x, 1 / angle), angle)


@inlined
def _read(row, actor, column, width):
    """Return the rotation of the joint at `column` in an actor's row."""
    x, y = np.float64(row[actor, column]), np.float64(row[actor, column + width])
    z, w = np.float64(row[actor, column + 2 * width]), np.float64(row[actor, column + 3 * width])
    return x, y, z, w


@inlined
def _read_vector(row, actor, column, width):
    x, y = np.float64(row[actor, column]), np.float64(row[actor, column + width])
    return x, y, np.float64(row[actor, column + 2 * width])


@inlined
def _write(row, actor, column, width, values):
    for plane, value in enumerate(values):
        row[actor, column + plane * width] = np.float32(value)


@helper
def rate_of(shift, shown, posed):
    """Return the rate of change of the rotation vector `shift` between two rotating frames, for the angular velocities
    [rad/s] `shown` and `posed` in the frame of the parent joint. The function uses two terms of the inverse Jacobian.
    """
    under = rotated(turn_of(shift), posed)
    off = shown[0] - under[0], shown[1] - under[1], shown[2] - under[2]
    once = cross(shift, off)
    twice = cross(shift, once)
    x, y = off[0] - once[0] / 2 + twice[0] / 12, off[1] - once[1] / 2 + twice[1] / 12
    return x, y, off[2] - once[2] / 2 + twice[2] / 12


@helper
def _begin(actor, width, dt, inertia, out_pose):
    """Begin a fade: continue the old movement by one step, and store its difference from the new motion."""
    last, before, shift, rate = inertia.last, inertia.before, inertia.shift, inertia.rate
    speed = 1.0 / dt if inertia.known[actor] > 1 else 0.0
    for column in range(width):
        shown = _read(last, actor, column, width)
        moved = vector_of(product(shown, inverse(_read(before, actor, column, width))))
        shown = normalized(product(turn_of(scaled(moved, speed * dt)), shown))
        new = _read(out_pose, actor, column, width)
        _write(shift, actor, column, width, vector_of(product(shown, inverse(new))))
        _write(rate, actor, column, width, scaled(moved, speed))
        _write(out_pose, actor, column, width, shown)
    for column in range(4 * width, out_pose.shape[1]):
        rate[actor, column] = (last[actor, column] - before[actor, column]) * np.float32(speed)
        shown_value = last[actor, column] + rate[actor, column] * np.float32(dt)
        shift[actor, column] = shown_value - out_pose[actor, column]
        out_pose[actor, column] = shown_value


@helper
def _compare(actor, width, dt, inertia, pose):
    """One step after the start of a fade, subtract the new motion's angular velocity from the old movement's."""
    last, shift, rate = inertia.last, inertia.shift, inertia.rate
    for column in range(width):
        x = _read_vector(shift, actor, column, width)
        new_before = product(inverse(turn_of(x)), _read(last, actor, column, width))
        posed = scaled(vector_of(product(_read(pose, actor, column, width), inverse(new_before))), 1.0 / dt)
        _write(rate, actor, column, width, rate_of(x, _read_vector(rate, actor, column, width), posed))
    for column in range(4 * width, pose.shape[1]):
        posed_rate = (pose[actor, column] - (last[actor, column] - shift[actor, column])) / np.float32(dt)
        rate[actor, column] -= posed_rate


@helper
def _settle(actor, width, since, duration, inertia, out_pose):
    """Add the rest of the stored difference to the pose, `since` [s] after the start of a fade of `duration` [s]."""
    shift, rate = inertia.shift, inertia.rate
    s = min(max(since / duration, 0.0), 1.0)
    rest = (1.0 - s) * (1.0 - s)
    of_shift, of_rate = rest * rest * (1.0 + 4.0 * s), rest * rest * since
    for column in range(width):
        x, v = _read_vector(shift, actor, column, width), _read_vector(rate, actor, column, width)
        left = of_shift * x[0] + of_rate * v[0], of_shift * x[1] + of_rate * v[1], of_shift * x[2] + of_rate * v[2]
        turned = product(turn_of(left), _read(out_pose, actor, column, width))
        _write(out_pose, actor, column, width, normalized(turned))
    for column in range(4 * width, out_pose.shape[1]):
        own = of_shift * shift[actor, column] + of_rate * rate[actor, column]
        out_pose[actor, column] += np.float32(own)


@kernel(void(QUEUE, INTS, COUNT, REAL, INERTIA, OUT_2D))
def settle_fades(queue, inertial, rotation_width, dt, inertia, out_pose):
    """Fade the poses of actors to their newest motions, from the present pose of the body. `inertial` [chunk] is 1 for
    actors with inertial fades. For all others, the kernel only stores the pose `out_pose` [>= chunk, row_width]. In its
    first step, a fade continues the old movement. In the second step, the kernel measures the angular velocities of the
    new motion. Then the difference between the two poses decays.
    """
    stage, known, begun, last, before = inertia.stage, inertia.known, inertia.begun, inertia.last, inertia.before
    for actor in range(inertial.shape[0]):
        slot = queue.slot_count[actor] - 1
        since, duration = np.float64(queue.fade_time[actor, slot]), np.float64(queue.fade_duration[actor, slot])
        fades = inertial[actor] == 1 and slot > 0 and since < duration
        if not fades:
            stage[actor] = SETTLED
        elif dt > 0 and since <= FIRST * dt and known[actor] > 0:
            stage[actor], begun[actor] = BEGINS, np.float32(since)
            _begin(actor, rotation_width, dt, inertia, out_pose)
        elif stage[actor] != SETTLED:
            if stage[actor] == BEGINS and dt > 0:
                stage[actor] = SETTLES
                _compare(actor, rotation_width, dt, inertia, out_pose)
            start = np.float64(begun[actor])
            _settle(actor, rotation_width, since - start, duration - start, inertia, out_pose)
        if dt > 0:
            known[actor] = min(known[actor] + 1, 2)
            for column in range(out_pose.shape[1]):
                before[actor, column], last[actor, column] = last[actor, column], out_pose[actor, column]
