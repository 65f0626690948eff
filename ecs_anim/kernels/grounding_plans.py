"""Where the feet of a chunk of actors should be.

Each foot has two contacts, heel and ball. The height of each over the ground follows from the animated height over
the flat floor of the clip and the pin weight; both together turn and place the foot. A pinned contact is held where
it first was. Plans are in model space; what is remembered is in world space. Actors stand upright.
"""

import numpy as np
from numba import njit

from ecs_anim.kernels.grounding_probes import grounding_strength, heading, turned_level
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_2D, FLOATS_3D, GROUNDING, LEGS, OUT_3D, REAL, void
from ecs_anim.kernels.vectors import origin_of, placed, subtract, turned

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
TALLEST_STEP = np.float32(0.6)  # of a leg's length, up or down, that a foot follows the ground
PINNED = np.float32(0.5)  # weight from which on a contact is held
STAYS = np.float32(0.4)  # weight down to which a held one stays so
STEEP = np.float32(0.95)  # sine of the largest angle of a foot against the level
WALL = np.float32(0.5)  # upward part of a normal below which ground is too steep to walk: a step
FASTMATH = {"contract", "arcp", "nsz"}

# Columns of a foot's plan: the ankle's goal [3], where the foot points (x, z), sines of its roll, pitch and of the
# toe's pitch, and how far the ground below it is shifted [rig units].
GOAL, AHEAD, ROLL, PITCH, TOE, SHIFT = 0, 3, 5, 6, 7, 8
PLAN_WIDTH = 9


@njit(inline="always")
def foot_turn(ahead_x, ahead_z, roll, pitch):
    """The rotation of a foot that points ahead: rolled to raise its left, then pitched to raise its ball; sines."""
    roll_cosine, pitch_cosine = np.sqrt(ONE - roll * roll), np.sqrt(ONE - pitch * pitch)
    # Where left, up and ahead go, in model space.
    left_x = ahead_z * roll_cosine - ahead_x * pitch * roll
    left_y = pitch_cosine * roll
    left_z = -ahead_x * roll_cosine - ahead_z * pitch * roll
    up_x = -ahead_z * roll - ahead_x * pitch * roll_cosine
    up_y = pitch_cosine * roll_cosine
    up_z = ahead_x * roll - ahead_z * pitch * roll_cosine
    to_x, to_z = ahead_x * pitch_cosine, ahead_z * pitch_cosine
    return (
        ahead_z * left_x + ahead_x * to_x,
        up_x,
        ahead_z * to_x - ahead_x * left_x,
        ahead_z * left_y + ahead_x * pitch,
        up_y,
        ahead_z * pitch - ahead_x * left_y,
        ahead_z * left_z + ahead_x * to_z,
        up_z,
        ahead_z * to_z - ahead_x * left_z,
    )


@njit(inline="always")
def _limited(value, most):
    return min(max(value, -most), most)


@njit(inline="always")
def _follow(value, target, decay):
    """One step of exponential smoothing; NaN begins at the target."""
    return target if np.isnan(value) else target + (value - target) * decay


@njit(inline="always")
def _traced(traces, actor, leg, contact, x, z, hits, at, flat, decay):
    """Height [m] of the ground under a contact; a sudden step of the ground is taken bit by bit.

    `flat` [m] stands in where there is no ground. A slope is no step: its plane tells how much the height
    should have changed since the last time.
    """
    height, slope_x, slope_z = flat, ZERO, ZERO
    if hits[at, 0] > -np.inf:
        height = hits[at, 0]
        if hits[at, 2] > WALL:
            slope_x, slope_z = -hits[at, 1] / hits[at, 2], -hits[at, 3] / hits[at, 2]
    rest = ZERO
    if not np.isnan(traces[actor, leg, contact, 2]):
        moved_x, moved_z = x - traces[actor, leg, contact, 0], z - traces[actor, leg, contact, 1]
        step = height - slope_x * moved_x - slope_z * moved_z - traces[actor, leg, contact, 2]
        rest = (traces[actor, leg, contact, 3] - step) * decay
    traces[actor, leg, contact, 0], traces[actor, leg, contact, 1] = x, z
    traces[actor, leg, contact, 2], traces[actor, leg, contact, 3] = height, rest
    return height + rest


@njit(inline="always")
def _clearance(traces, actor, leg, contact, height, pin, size, decay):
    """How far above the ground a contact should be: as high as in the clip, or on the ground as far as it is pinned.

    A pin presses it down at once and lets it go bit by bit.
    """
    height = max(height, ZERO)
    pressed, before = pin * height * size, traces[actor, leg, contact, 4]
    if not np.isnan(before):
        pressed = max(pressed, before * decay)
    traces[actor, leg, contact, 4] = pressed
    return max(height - pressed / size, ZERO)


@njit(inline="always")
def _rise_sine(hits, at, other, x, z):
    """Sine of the angle by which the ground rises along a level direction, from the sum of two normals."""
    rise = -(hits[at, 1] + hits[other, 1]) * x - (hits[at, 3] + hits[other, 3]) * z
    level = hits[at, 2] + hits[other, 2]
    return rise / np.sqrt(rise * rise + level * level)


@njit(inline="always")
def _pitch_sine(up, ahead, rise):
    """Sine of the angle that turns a foot (up, ahead) so that it rises by `rise`."""
    scale = ONE / np.sqrt(up * up + ahead * ahead)
    now, wanted = _limited(up * scale, STEEP), _limited(rise * scale, STEEP)
    return wanted * np.sqrt(ONE - now * now) - now * np.sqrt(ONE - wanted * wanted)


@njit(inline="always")
def _held_contact(locked, heel_pin, ball_pin):
    """Which contact is held: the ball as soon as it is pinned, else the heel, else none (-1)."""
    if ball_pin > (STAYS if locked == 1 else PINNED):
        return 1
    return 0 if heel_pin > (STAYS if locked == 0 else PINNED) else -1


@njit(inline="always")
def _hold(locks, actor, leg, chosen, before, x, z, most, release):
    """Update how far a foot is held back [m], given where its held contact would be without."""
    back_x, back_z = locks[actor, leg, 2] * release, locks[actor, leg, 3] * release
    if chosen >= 0:
        if chosen != before:
            locks[actor, leg, 0], locks[actor, leg, 1] = x + locks[actor, leg, 2], z + locks[actor, leg, 3]
        back_x, back_z = locks[actor, leg, 0] - x, locks[actor, leg, 1] - z
        square = back_x * back_x + back_z * back_z
        if square > most * most:
            shorter = most / np.sqrt(square)
            back_x, back_z = back_x * shorter, back_z * shorter
            locks[actor, leg, 0], locks[actor, leg, 1] = x + back_x, z + back_z
    locks[actor, leg, 2], locks[actor, leg, 3] = back_x, back_z
    return back_x, back_z


@njit(inline="always")
def _forget(state, actor):
    """An actor that is not grounded begins anew later."""
    state.pelvis[actor, 1] = np.nan
    for leg in range(state.locked.shape[1]):
        state.locked[actor, leg] = -1
        for contact in range(2):
            state.trace[actor, leg, contact, 2] = np.nan
            state.trace[actor, leg, contact, 4] = np.nan
            state.tilt[actor, leg, contact] = np.nan
            state.lock[actor, leg, 2 + contact] = ZERO


@njit(
    void(GROUNDING, LEGS, FLOATS_3D, FLOATS_2D, FLOATS_3D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, REAL, FEET, OUT_3D),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
    error_model="numpy",
)
def plan_feet(settings, legs, model, hits, pin, translation, rotation, scale, weight, dt, state, out_plan):
    """Where each ankle goes, and how foot and toes turn.

    model [>= chunk, joint, 12]; hits [chunk x leg x 2, 4], height [m] and normal under each probe; pin [chunk, leg, 3];
    translation [chunk, 3] [m]; rotation [chunk, 4]; scale, weight [chunk]; dt [s]; out_plan [chunk, leg, PLAN_WIDTH].
    """
    joints, contacts, lengths = legs.joints, legs.contacts, legs.length
    traces, tilts, locks, lockeds = state.trace, state.tilt, state.lock, state.locked
    leg_count = joints.shape[0]
    step_decay = np.float32(np.exp(-dt / settings.step_seconds))
    release = np.float32(np.exp(-dt / settings.release_seconds))
    steepest, lock_share = np.float32(settings.slope_sine), np.float32(settings.lock_share)
    for actor in range(scale.shape[0]):
        strength = grounding_strength(settings, translation, weight, actor)
        if strength <= ZERO:
            _forget(state, actor)
            continue
        row, size = model[actor], scale[actor]
        place_x, place_z = translation[actor, 0], translation[actor, 2]
        sine, cosine = heading(rotation, actor)
        flat = translation[actor, 1] - np.float32(settings.floor)  # [m], the floor that clips are made for
        floor = -np.float32(settings.floor) / size  # [rig units], the same in the model
        for leg in range(leg_count):
            ankle, length = joints[leg, 2], lengths[leg]
            heel_pin, ball_pin = pin[actor, leg, 0], pin[actor, leg, 1]
            heel, ball = placed(row, ankle, contacts[leg, 0]), placed(row, ankle, contacts[leg, 1])

            # How far the ground under both lies above the flat floor, and how high both should be.
            at = (actor * leg_count + leg) * 2
            heel_x, heel_z = turned_level(heel[0], heel[2], sine, cosine)
            ball_x, ball_z = turned_level(ball[0], ball[2], sine, cosine)
            x, z = place_x + locks[actor, leg, 2], place_z + locks[actor, leg, 3]
            heel_ground = _traced(
                traces, actor, leg, 0, x + size * heel_x, z + size * heel_z, hits, at, flat, step_decay
            )
            ball_ground = _traced(
                traces, actor, leg, 1, x + size * ball_x, z + size * ball_z, hits, at + 1, flat, step_decay
            )
            heel_shift = _limited((heel_ground - flat) / size, TALLEST_STEP * length)
            ball_shift = _limited((ball_ground - flat) / size, TALLEST_STEP * length)
            heel_clear = _clearance(traces, actor, leg, 0, heel[1] - floor, heel_pin, size, step_decay)
            ball_clear = _clearance(traces, actor, leg, 1, ball[1] - floor, ball_pin, size, step_decay)
            heel_height, ball_height = floor + heel_shift + heel_clear, floor + ball_shift + ball_clear

            # The foot rolls with the ground to its side, and pitches so that both contacts get their heights.
            foot = subtract(ball, heel)
            level = np.sqrt(foot[0] * foot[0] + foot[2] * foot[2])
            ahead_x, ahead_z = foot[0] / level, foot[2] / level
            world_x, world_z = turned_level(ahead_x, ahead_z, sine, cosine)
            tilts[actor, leg, 0] = _follow(
                tilts[actor, leg, 0], _rise_sine(hits, at, at + 1, world_z, -world_x), step_decay
            )
            tilts[actor, leg, 1] = _follow(
                tilts[actor, leg, 1], _rise_sine(hits, at + 1, at + 1, world_x, world_z), step_decay
            )
            roll = strength * _limited(tilts[actor, leg, 0], steepest)
            rolled = foot[1] * np.sqrt(ONE - roll * roll)
            pitch = strength * _limited(_pitch_sine(rolled, level, ball_height - heel_height), steepest)

            # It turns about its middle, rises until neither contact is too low, and is held back where it is locked.
            half_rise = HALF * (np.sqrt(ONE - pitch * pitch) * rolled + pitch * level)
            turn = foot_turn(ahead_x, ahead_z, roll, pitch)
            middle_x, middle_y, middle_z = (
                HALF * (heel[0] + ball[0]),
                HALF * (heel[1] + ball[1]),
                HALF * (heel[2] + ball[2]),
            )
            rise = strength * (max(heel_height + half_rise, ball_height - half_rise) - middle_y)
            chosen = _held_contact(lockeds[actor, leg], heel_pin, ball_pin) if lock_share > ZERO else -1
            side = HALF if chosen == 1 else -HALF
            moved = turned(turn, foot)
            held_x, held_z = turned_level(middle_x + side * moved[0], middle_z + side * moved[2], sine, cosine)
            back_x, back_z = _hold(
                locks,
                actor,
                leg,
                chosen,
                lockeds[actor, leg],
                place_x + size * held_x,
                place_z + size * held_z,
                lock_share * length * size,
                release,
            )
            lockeds[actor, leg] = chosen
            back_x, back_z = turned_level(back_x, back_z, -sine, cosine)
            arm = turned(turn, subtract(origin_of(row, ankle), (middle_x, middle_y, middle_z)))

            plan = out_plan[actor, leg]
            plan[GOAL] = middle_x + strength * back_x / size + arm[0]
            plan[GOAL + 1] = middle_y + rise + arm[1]
            plan[GOAL + 2] = middle_z + strength * back_z / size + arm[2]
            plan[AHEAD], plan[AHEAD + 1] = ahead_x, ahead_z
            plan[ROLL], plan[PITCH] = roll, pitch
            plan[TOE] = strength * _limited(tilts[actor, leg, 1], steepest)
            plan[SHIFT] = max(heel_shift, ball_shift)
