"""Where the feet of a chunk of actors should be.

Each foot has two contacts, heel and ball. The height of each over the ground follows from the animated height over
the flat floor of the clip and the pin weight; both together turn and place the foot. A pinned contact is held where
it first was. Plans are in model space, along the direction `up` that is vertical in the world; what is remembered
is in world space.
"""

import numpy as np
from numba import njit

from ecs_anim.kernels.grounding_probes import actor_rotation, grounding_strength
from ecs_anim.kernels.legs import leg_length
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_2D, FLOATS_3D, GROUNDING, LEGS, OUT_3D, REAL, void
from ecs_anim.kernels.vectors import (
    about,
    across,
    add,
    after,
    along,
    cross,
    dot,
    origin_of,
    placed,
    scaled,
    subtract,
    turned,
    turned_back,
    unit,
)

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
UP = (ZERO, ONE, ZERO)
TALLEST_STEP = np.float32(0.6)  # of a leg's length, up or down, that a foot follows the ground
PINNED = np.float32(0.5)  # weight from which on a contact is held
STAYS = np.float32(0.4)  # weight down to which a held one stays so
STEEP = np.float32(0.95)  # sine of the largest angle of a foot against the level
FASTMATH = {"contract", "arcp", "nsz"}

# Columns of a foot's plan.
GOAL, FOOT, TOE, SIDE, SHIFT = 0, 3, 12, 21, 24
PLAN_WIDTH = 25  # ankle's goal, rotations of foot and toes, the leg's left, shift of the ground [rig units]


@njit(inline="always")
def _limited(value, most):
    return min(max(value, -most), most)


@njit(inline="always")
def _follow(value, target, decay):
    """One step of exponential smoothing; NaN begins at the target."""
    return target if np.isnan(value) else target + (value - target) * decay


@njit(inline="always")
def _traced(trace, x, z, hit, flat, decay):
    """Height [m] of the ground under a contact; a sudden step of the ground is taken bit by bit.

    `flat` [m] stands in where there is no ground. A slope is no step: its plane tells how much the height
    should have changed since the last time.
    """
    there = hit[0] > -np.inf
    height = hit[0] if there else flat
    slope_x, slope_z = (-hit[1] / hit[2], -hit[3] / hit[2]) if there else (ZERO, ZERO)
    if np.isnan(trace[2]):
        trace[3] = ZERO
    else:
        step = height - slope_x * (x - trace[0]) - slope_z * (z - trace[1]) - trace[2]
        trace[3] = (trace[3] - step) * decay
    trace[0], trace[1], trace[2] = x, z, height
    return height + trace[3]


@njit(inline="always")
def _clearance(trace, height, pin, size, decay):
    """How far above the ground a contact should be: as high as in the clip, or on the ground as far as it is pinned.

    A pin presses it down at once and lets it go bit by bit.
    """
    height = max(height, ZERO)
    pressed = pin * height * size
    trace[4] = pressed if np.isnan(trace[4]) else max(pressed, trace[4] * decay)
    return max(height - trace[4] / size, ZERO)


@njit(inline="always")
def _rise_sine(normal, direction, up):
    """Sine of the angle by which ground of this normal rises along a level direction."""
    rise, level = -dot(normal, direction), dot(normal, up)
    return rise / np.sqrt(rise * rise + level * level)


@njit(inline="always")
def _tilted(axis, sine):
    """A rotation by less than a quarter turn."""
    return about(axis, sine, np.sqrt(ONE - sine * sine))


@njit(inline="always")
def _pitch_sine(foot, rise, up):
    """Sine of the angle by which the vector from heel to ball must turn upwards to rise by `rise`."""
    length = np.sqrt(dot(foot, foot))
    now, wanted = _limited(dot(foot, up) / length, STEEP), _limited(rise / length, STEEP)
    return wanted * np.sqrt(ONE - now * now) - now * np.sqrt(ONE - wanted * wanted)


@njit(inline="always")
def _foot_turns(foot, rise, hits, at, turn, up, steepest, strength, decay, tilt):
    """Rotations of foot and toes: roll with the ground, pitch so that the ball is `rise` above the heel.

    The toes pitch with the ground under the ball. `foot` is the vector from heel to ball.
    """
    ahead = unit(across(foot, up))
    heel_normal = turned_back(turn, (hits[at, 1], hits[at, 2], hits[at, 3]))
    ball_normal = turned_back(turn, (hits[at + 1, 1], hits[at + 1, 2], hits[at + 1, 3]))
    tilt[0] = _follow(tilt[0], _rise_sine(add(heel_normal, ball_normal), cross(up, ahead), up), decay)
    tilt[1] = _follow(tilt[1], _rise_sine(ball_normal, ahead, up), decay)
    roll = _tilted(ahead, strength * _limited(tilt[0], steepest))
    rolled = turned(roll, foot)
    axis = cross(unit(across(rolled, up)), up)
    pitch = _limited(_pitch_sine(rolled, rise, up), steepest)
    foot_turn = after(_tilted(axis, strength * pitch), roll)
    return foot_turn, after(_tilted(axis, strength * _limited(tilt[1], steepest)), roll)


@njit(inline="always")
def _held_contact(locked, heel_pin, ball_pin):
    """Which contact is held: the ball as soon as it is pinned, else the heel, else none (-1)."""
    if ball_pin > (STAYS if locked == 1 else PINNED):
        return 1
    return 0 if heel_pin > (STAYS if locked == 0 else PINNED) else -1


@njit(inline="always")
def _hold(lock, chosen, before, x, z, most, release):
    """Update how far a foot is held back [m], given where its held contact would be without."""
    if chosen < 0:
        lock[2] *= release
        lock[3] *= release
        return
    if chosen != before:
        lock[0], lock[1] = x + lock[2], z + lock[3]
    back_x, back_z = lock[0] - x, lock[1] - z
    length = np.sqrt(back_x * back_x + back_z * back_z)
    if length > most:
        back_x, back_z = back_x * most / length, back_z * most / length
        lock[0], lock[1] = x + back_x, z + back_z
    lock[2], lock[3] = back_x, back_z


@njit(inline="always")
def _place_of(point, turn, translation, size):
    """World x and z [m] of a point in model space."""
    point = turned(turn, point)
    return translation[0] + size * point[0], translation[2] + size * point[2]


@njit(inline="always")
def _write(out, at, values):
    for i in range(len(values)):
        out[at + i] = values[i]


@njit(inline="always")
def _forget(pelvis, trace, tilt, lock, locked, actor):
    """An actor that is not grounded begins anew later."""
    pelvis[actor, 1] = np.nan
    for leg in range(locked.shape[1]):
        locked[actor, leg] = -1
        for contact in range(2):
            trace[actor, leg, contact, 2] = np.nan
            trace[actor, leg, contact, 4] = np.nan
            tilt[actor, leg, contact] = np.nan
            lock[actor, leg, 2 + contact] = ZERO


@njit(
    void(GROUNDING, LEGS, FLOATS_3D, FLOATS_2D, FLOATS_3D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, REAL, FEET, OUT_3D),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
)
def plan_feet(settings, legs, model, hits, pin, translation, rotation, scale, weight, dt, state, out_plan):
    """Where each ankle goes, and how foot and toes turn.

    model [>= chunk, joint, 12]; hits [chunk x leg x 2, 4], height [m] and normal under each probe; pin [chunk, leg, 3];
    translation [chunk, 3] [m]; rotation [chunk, 4]; scale, weight [chunk]; dt [s]; out_plan [chunk, leg, PLAN_WIDTH].
    """
    joints, contacts = legs.joints, legs.contacts
    traces, tilts, locks, lockeds = state.trace, state.tilt, state.lock, state.locked
    leg_count = joints.shape[0]
    step_decay = np.float32(np.exp(-dt / settings.step_seconds))
    release = np.float32(np.exp(-dt / settings.release_seconds))
    steepest, lock_share = np.float32(settings.slope_sine), np.float32(settings.lock_share)
    for actor in range(scale.shape[0]):
        strength = grounding_strength(settings, translation, weight, actor)
        if strength <= ZERO:
            _forget(state.pelvis, traces, tilts, locks, lockeds, actor)
            continue
        row, size, turn, place = model[actor], scale[actor], actor_rotation(rotation, actor), translation[actor]
        up = turned_back(turn, UP)
        flat = place[1] - np.float32(settings.floor)  # [m], the floor that clips are made for
        floor = -np.float32(settings.floor) / size  # [rig units], the same along up
        for leg in range(leg_count):
            trace, lock, plan = traces[actor, leg], locks[actor, leg], out_plan[actor, leg]
            heel_pin, ball_pin = pin[actor, leg, 0], pin[actor, leg, 1]
            ankle, length = joints[leg, 2], leg_length(row, joints, leg)
            heel, ball = placed(row, ankle, contacts[leg, 0]), placed(row, ankle, contacts[leg, 1])

            # How far the ground under both lies above the flat floor, and how high both should be.
            at = (actor * leg_count + leg) * 2
            heel_x, heel_z = _place_of(heel, turn, place, size)
            ball_x, ball_z = _place_of(ball, turn, place, size)
            heel_ground = _traced(trace[0], heel_x + lock[2], heel_z + lock[3], hits[at], flat, step_decay)
            ball_ground = _traced(trace[1], ball_x + lock[2], ball_z + lock[3], hits[at + 1], flat, step_decay)
            heel_shift = _limited((heel_ground - flat) / size, TALLEST_STEP * length)
            ball_shift = _limited((ball_ground - flat) / size, TALLEST_STEP * length)
            heel_height = floor + heel_shift + _clearance(trace[0], dot(heel, up) - floor, heel_pin, size, step_decay)
            ball_height = floor + ball_shift + _clearance(trace[1], dot(ball, up) - floor, ball_pin, size, step_decay)

            # The foot turns about its middle, and rises until neither contact is too low.
            foot_turn, toe_turn = _foot_turns(
                subtract(ball, heel),
                ball_height - heel_height,
                hits,
                at,
                turn,
                up,
                steepest,
                strength,
                step_decay,
                tilts[actor, leg],
            )
            middle = scaled(add(heel, ball), HALF)
            half = scaled(turned(foot_turn, subtract(ball, heel)), HALF)
            heel, ball = subtract(middle, half), add(middle, half)
            rise = strength * max(heel_height - dot(heel, up), ball_height - dot(ball, up))

            # It is held back where it is locked.
            chosen = _held_contact(lockeds[actor, leg], heel_pin, ball_pin) if lock_share > ZERO else -1
            held_x, held_z = _place_of(ball if chosen == 1 else heel, turn, place, size)
            _hold(lock, chosen, lockeds[actor, leg], held_x, held_z, lock_share * length * size, release)
            lockeds[actor, leg] = chosen
            back = turned_back(turn, (lock[2], ZERO, lock[3]))
            middle_goal = along(along(middle, up, rise), back, strength / size)

            _write(plan, GOAL, add(middle_goal, turned(foot_turn, subtract(origin_of(row, ankle), middle))))
            _write(plan, FOOT, foot_turn)
            _write(plan, TOE, toe_turn)
            _write(plan, SIDE, cross(up, unit(across(subtract(ball, heel), up))))
            plan[SHIFT] = max(heel_shift, ball_shift)
