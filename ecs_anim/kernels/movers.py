"""Kernels that move the roots of actors over the ground, by a requested velocity, the steering or a path."""

import numpy as np

from ecs_anim import simd
from ecs_anim.body.movers import PATH, STEERED, VELOCITY
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.angles import half_of, unit_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.paths import height_at, root_at
from ecs_anim.kernels.types import MOVERS, PATHS, PLACEMENT, REAL, void

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
TURN_LAG, TURN_RATE = 0.1, 4.0  # [s], time constant of the heading; [rad/s], fastest turn
COURSE_LAG = 0.35  # [s], time constant of a steering actor's course; a short avoidance does not turn the actor
FACES_ABOVE = np.float32(0.2)  # [m/s]; a slower body keeps its heading
SAME = ONE - np.float32(1e-7)  # two directions with a greater cosine are equal
STEERS = np.float32(STEERED)
OPPOSITE = np.float32(-0.999)  # for a smaller cosine between the directions, a body turns to its left


@inlined
def _facing(sine, cosine, facing):
    """Return y and w of the quaternion that rotates the direction `facing` of a model to another direction."""
    return half_of(sine * facing[1] - cosine * facing[0], cosine * facing[1] + sine * facing[0])


@inlined
def faced(rotation, actor, facing):
    """Return the sine and the cosine of an actor's heading."""
    return direction_of(rotation[actor, 1], rotation[actor, 3], facing)


@inlined
def direction_of(y, w, facing):
    """Return sine and cosine of a model's heading after the rotation about +Y with the components y and w."""
    sine, cosine = TWO * y * w, w * w - y * y
    return sine * facing[1] + cosine * facing[0], cosine * facing[1] - sine * facing[0]


@inlined
def _nearer(now, asked, most):
    """Return the velocities `now`, changed by at most `most` [m/s] towards the requested velocities `asked`."""
    x, z = asked[0] - now[0], asked[1] - now[1]
    size = np.sqrt(x * x + z * z)
    is_far = size > most
    share = simd.select(is_far, most / simd.select(is_far, size, ONE), ONE)
    return now[0] + share * x, now[1] + share * z


@inlined
def _turned(sine, cosine, to_sine, to_cosine, share, most):
    """Turn directions to others by a share of the angle, at most by the angle with sine and cosine in `most`."""
    side, same = to_sine * cosine - to_cosine * sine, to_sine * sine + to_cosine * cosine
    x, z = sine + share * (to_sine - sine), cosine + share * (to_cosine - cosine)
    size = np.sqrt(x * x + z * z)
    x, z = x / size, z / size
    is_near = (same > most[1]) | ((same > OPPOSITE) & (x * sine + z * cosine > most[1]))
    turn = simd.select((side >= ZERO) | (same <= OPPOSITE), most[0], -most[0])
    turned_sine, turned_cosine = sine * most[1] + cosine * turn, cosine * most[1] - sine * turn
    return simd.select(is_near, x, turned_sine), simd.select(is_near, z, turned_cosine)


@inlined
def _went(velocity, course, goes, steers, x, z, share):
    """Store velocities and courses (smoothed velocities). Return the velocities in whose direction the actors turn."""
    own_x, own_z = simd.gather(course, goes, 0), simd.gather(course, goes, 1)
    own_x, own_z = own_x + share * (x - own_x), own_z + share * (z - own_z)
    for axis, now, of_late in ((0, x, own_x), (1, z, own_z)):
        simd.scatter(velocity, goes, axis, now)
        simd.scatter(course, goes, axis, of_late)
    return simd.select(steers, own_x, x), simd.select(steers, own_z, z)


@inlined
def _move_eight(rows, movers, placement, looks, paces, faster, step):
    """Move eight actors by their velocities, and turn them to their requested headings or walking directions."""
    kinds, velocity = simd.pointer(movers.kind), simd.pointer(movers.velocity)
    asked, course = simd.pointer(movers.asked), simd.pointer(movers.course)
    places, turns = simd.pointer(placement.translation), simd.pointer(placement.rotation)
    share, most, course_share = paces
    goes, wants, at, turned = rows * 2, rows * 3, rows * 3, rows * 4
    steers = simd.gather(kinds, rows, 0) == STEERS
    x, z, heading = simd.gather(velocity, goes, 0), simd.gather(velocity, goes, 1), simd.gather(asked, wants, 2)
    near_x, near_z = _nearer((x, z), (simd.gather(asked, wants, 0), simd.gather(asked, wants, 1)), faster)
    x, z = simd.select(steers, x, near_x), simd.select(steers, z, near_z)
    simd.scatter(places, at, 0, simd.gather(places, at, 0) + x * step)
    simd.scatter(places, at, 2, simd.gather(places, at, 2) + z * step)
    x, z = _went(velocity, course, goes, steers, x, z, course_share)

    speed, is_free = np.sqrt(x * x + z * z), steers | ~simd.not_nan(heading)
    unit = simd.select(speed > ZERO, speed, ONE)
    to_sine, to_cosine = x / unit, z / unit
    if simd.any_true(~is_free):
        sine, cosine = unit_of(heading)
        to_sine, to_cosine = simd.select(is_free, to_sine, sine), simd.select(is_free, to_cosine, cosine)
    a, y, b, w = simd.gather_each(turns, turned, 0, 4)
    sine, cosine = direction_of(y, w, looks)
    is_off = ~(is_free & (speed < FACES_ABOVE)) & (to_sine * sine + to_cosine * cosine < SAME)
    if simd.any_true(is_off):
        sine, cosine = _turned(sine, cosine, to_sine, to_cosine, share, most)
        new_y, new_w = _facing(sine, cosine, looks)
        y, w = simd.select(is_off, new_y, y), simd.select(is_off, new_w, w)
        simd.scatter(turns, turned, 0, (simd.select(is_off, ZERO, a), y, simd.select(is_off, ZERO, b), w))


@inlined
def _unit(angle):
    sine, cosine = sin_cos(angle)
    return np.float32(sine), np.float32(cosine)


@kernel(void(PATHS, REAL, REAL, REAL, REAL, MOVERS, PLACEMENT))
def move_roots(paths, facing, acceleration, now, dt, movers, placement):
    """Move the roots of a chunk of actors to time `now` [s], `dt` [s] after the last call. `facing` [rad] is the
    direction of the model without rotation, from +Z. `acceleration` [m/s^2] is the largest of a root. Writes the
    velocities and courses in the `MoverColumns`, and the `Placement`.
    """
    kind, translation, rotation = movers.kind, placement.translation, placement.rotation
    looks, faster, step = _unit(facing), np.float32(acceleration * dt), np.float32(dt)
    paces = np.float32(dt / (dt + TURN_LAG)), _unit(TURN_RATE * dt), np.float32(dt / (dt + COURSE_LAG))
    rows, count = np.empty(kind.shape[0] + 7, np.int64), 0
    for actor in range(kind.shape[0]):
        rows[count] = actor
        count += (kind[actor] == VELOCITY or kind[actor] == STEERED) and dt > 0.0
        if kind[actor] == PATH:
            x, z, heading = root_at(paths, movers.path[actor], now)
            height = height_at(paths, movers.path[actor], now)
            translation[actor, 0], translation[actor, 2] = x, z
            translation[actor, 1] = translation[actor, 1] if np.isnan(height) else height
            sine, cosine = unit_of(heading)
            rotation[actor, 0] = rotation[actor, 2] = ZERO
            rotation[actor, 1], rotation[actor, 3] = _facing(sine, cosine, looks)
    simd.pad_rows(simd.borrow(rows), count)
    for first in range(0, count, 8):
        own = simd.rows_at(simd.borrow(rows), first)
        _move_eight(own, movers, placement, looks, paces, faster, step)
    simd.keep_alive(rows)
