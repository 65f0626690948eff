"""Where the feet of a chunk of actors should be.

Each foot has two contacts, heel and ball. The height of each over the ground follows from the animated height over
the flat floor of the clip and the pin weight; both together turn and place the foot. A pinned contact is held where
it first was. Plans are in model space; what is remembered is in world space. Actors stand upright.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.grounding_probes import grounding_strength, heading, turned_level
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_2D, FLOATS_3D, GROUNDING, LEGS, OUT_3D, PLACEMENT, REAL, void
from ecs_anim.kernels.vectors import add, origin_of, placed, scaled, subtract, turned

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
TALLEST_STEP = np.float32(0.6)  # of a leg's length, up or down, that a foot follows the ground
PINNED = np.float32(0.5)  # weight from which on a contact is held
STAYS = np.float32(0.4)  # weight down to which a held one stays so
STEEP = np.float32(0.95)  # sine of the largest angle of a foot against the level
TIP = np.float32(0.3)  # cosine of a foot's angle against the level below which it stands on its tip
HEEL, BALL = np.int64(0), np.int64(1)  # contacts; as literals they would be compiled apart
WALL = np.float32(0.5)  # upward part of a normal below which ground is too steep to walk: a step

# Columns of a foot's plan: the ankle's goal [3], where the foot points (x, z), sines of its roll, pitch and of the
# toe's pitch, and how far the ground below it is shifted [rig units].
GOAL, AHEAD, ROLL, PITCH, TOE, SHIFT = 0, 3, 5, 6, 7, 8
PLAN_WIDTH = 9


class Stance(NamedTuple):
    """How an actor stands in a step."""

    size: np.float32  # [m] of a rig unit
    sine: np.float32  # of its turn about +Y
    cosine: np.float32
    x: np.float32  # [m]
    z: np.float32  # [m]
    flat: np.float32  # [m], height in the world of the floor that clips are made for
    floor: np.float32  # [rig units], the same in the model
    decay: np.float32  # what is left, after the step, of a sudden step of the ground


@inlined
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


@inlined
def _limited(value, most):
    return min(max(value, -most), most)


@inlined
def _follow(value, target, decay):
    """One step of exponential smoothing; NaN begins at the target."""
    return target if np.isnan(value) else target + (value - target) * decay


@njit(inline="always")
def _plane(hits, at, flat):
    """Height [m] and slopes along x and z of the ground under a contact; `flat` stands in where there is none."""
    if not hits[at, 0] > -np.inf:
        return flat, ZERO, ZERO
    if not hits[at, 2] > WALL:
        return hits[at, 0], ZERO, ZERO
    return hits[at, 0], -hits[at, 1] / hits[at, 2], -hits[at, 3] / hits[at, 2]


@njit(inline="always")
def _traced(traces, actor, leg, contact, x, z, plane, decay):
    """Height [m] of the ground under a contact; a sudden step of the ground is taken bit by bit.

    A slope is no step: its plane tells how much the height should have changed since the last time.
    """
    height, slope_x, slope_z = plane
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


@inlined
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


@inlined
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


@inlined
def _heights(traces, actor, leg, contact, point, lock, plane, pin, length, stance):
    """How high above the model's origin a contact should be, and how far the ground there lies above the flat floor."""
    size, sine, cosine, own_x, own_z, flat, floor, decay = stance
    x, z = turned_level(point[0], point[2], sine, cosine)
    x, z = own_x + lock[0] + size * x, own_z + lock[1] + size * z
    ground = _traced(traces, actor, leg, contact, x, z, plane, decay)
    shift = _limited((ground - flat) / size, TALLEST_STEP * length)
    return floor + shift + _clearance(traces, actor, leg, contact, point[1] - floor, pin, size, decay), shift


@njit(inline="always")
def _tilt(tilts, actor, leg, hits, at, ahead_x, ahead_z, stance, steepest):
    """Sines of the foot's roll, with the ground to its side, and of the toes' pitch, with the ground below the ball."""
    x, z = turned_level(ahead_x, ahead_z, stance.sine, stance.cosine)
    tilts[actor, leg, 0] = _follow(tilts[actor, leg, 0], _rise_sine(hits, at, at + 1, z, -x), stance.decay)
    tilts[actor, leg, 1] = _follow(tilts[actor, leg, 1], _rise_sine(hits, at + 1, at + 1, x, z), stance.decay)
    return _limited(tilts[actor, leg, 0], steepest), _limited(tilts[actor, leg, 1], steepest)


@helper
def _near_its_tip(foot, left_x, left_z, length):
    """The same of a foot that is less than `length` long on the level, or points backwards."""
    left = np.sqrt(left_x * left_x + left_z * left_z)
    across_x, across_z = (-left_z / left, left_x / left) if left > ZERO else (ZERO, ONE)
    share = _limited((foot[0] * across_x + foot[2] * across_z) / length, ONE)
    most = (ONE - share * share) * length
    x, z = share * foot[0] + most * across_x, share * foot[2] + most * across_z
    level = np.sqrt(x * x + z * z)
    x, z = x / level, z / level
    return x, z, foot[0] * x + foot[2] * z, max(share, ZERO)


@njit(inline="always")
def level_direction(foot, shin):
    """Where a foot points on the level, x and z, how long it is there, and how far it is off its tip, 0 to 1.

    `foot` goes from heel to ball, `shin` from heel to ankle: both tell where its left is. A foot on its tip points
    across that, and one that is thrown up behind keeps pointing ahead, with a negative length.
    """
    left_x, left_z = shin[1] * foot[2] - shin[2] * foot[1], shin[0] * foot[1] - shin[1] * foot[0]
    along, square = foot[2] * left_x - foot[0] * left_z, foot[0] * foot[0] + foot[2] * foot[2]
    left, tip = left_x * left_x + left_z * left_z, TIP * TIP * (square + foot[1] * foot[1])
    if along > ZERO and along * along > tip * left:  # nearly always
        level = np.sqrt(square)
        return foot[0] / level, foot[2] / level, level, ONE
    return _near_its_tip(foot, left_x, left_z, np.sqrt(tip))


@inlined
def _contact_position(contact, middle, moved, stance):
    """Where [m] a contact of a foot is on the level; `moved` is the foot's vector from heel to ball."""
    side = HALF if contact == 1 else -HALF
    x, z = turned_level(middle[0] + side * moved[0], middle[2] + side * moved[2], stance.sine, stance.cosine)
    return stance.x + stance.size * x, stance.z + stance.size * z


@njit(inline="always")
def _held_back(locks, lockeds, actor, leg, chosen, middle, moved, most, stance, release):
    """How far [rig units] a foot is held back, by `most` [m], in model space."""
    before = lockeds[actor, leg]
    if before >= 0 and chosen >= 0 and chosen != before:  # a contact takes over where the other one holds it
        x, z = _contact_position(before, middle, moved, stance)
        _hold(locks, actor, leg, before, before, x, z, most, release)
    x, z = _contact_position(chosen, middle, moved, stance)
    x, z = _hold(locks, actor, leg, chosen, before, x, z, most, release)
    lockeds[actor, leg] = chosen
    x, z = turned_level(x, z, -stance.sine, stance.cosine)
    return x / stance.size, z / stance.size


@kernel(void(GROUNDING, LEGS, FLOATS_3D, FLOATS_2D, FLOATS_3D, PLACEMENT, FLOATS, REAL, FEET, OUT_3D))
def plan_feet(settings, legs, model, hits, pin, placement, weight, dt, state, out_plan):
    """Where each ankle goes, and how foot and toes turn.

    model [>= chunk, joint, 12]; hits [chunk x leg x 2, 4], height [m] and normal under each probe; pin [chunk, leg, 3];
    weight [chunk]; dt [s]; writes the `FootState` and out_plan [chunk, leg, PLAN_WIDTH].
    """
    joints, contacts, lengths, _, _, _ = legs
    _, traces, tilts, locks, lockeds = state
    translation, rotation, scale = placement
    leg_count = joints.shape[0]
    decay = np.float32(exp(-dt / settings.step_seconds))
    release = np.float32(exp(-dt / settings.release_seconds))
    steepest, lock_share = np.float32(settings.slope_sine), np.float32(settings.lock_share)
    lift = np.float32(settings.floor)
    for actor in range(scale.shape[0]):
        strength = grounding_strength(settings, translation, weight, actor)
        if strength <= ZERO:
            continue
        row, size = model[actor], scale[actor]
        sine, cosine = heading(rotation, actor)
        x, z, flat = translation[actor, 0], translation[actor, 2], translation[actor, 1] - lift
        stance = Stance(size, sine, cosine, x, z, flat, -lift / size, decay)
        for leg in range(leg_count):
            at, ankle, length = (actor * leg_count + leg) * 2, joints[leg, 2], lengths[leg]
            heel, ball = placed(row, ankle, contacts[leg, 0]), placed(row, ankle, contacts[leg, 1])
            lock = locks[actor, leg, 2], locks[actor, leg, 3]
            heel_pin, ball_pin = pin[actor, leg, 0], pin[actor, leg, 1]
            heel_height, heel_shift = _heights(
                traces, actor, leg, HEEL, heel, lock, _plane(hits, at, flat), heel_pin, length, stance
            )
            ball_height, ball_shift = _heights(
                traces, actor, leg, BALL, ball, lock, _plane(hits, at + 1, flat), ball_pin, length, stance
            )

            # The foot rolls with the ground to its side, and pitches so that both contacts get their heights.
            foot, middle = subtract(ball, heel), scaled(add(heel, ball), HALF)
            ahead_x, ahead_z, level, off_tip = level_direction(foot, subtract(origin_of(row, ankle), heel))
            roll, toe = _tilt(tilts, actor, leg, hits, at, ahead_x, ahead_z, stance, steepest)
            roll, toe = strength * roll, strength * toe
            rolled = foot[1] * np.sqrt(ONE - roll * roll)
            pitch = _limited(_pitch_sine(rolled, level, ball_height - heel_height), steepest)
            pitch *= strength * off_tip
            turn = foot_turn(ahead_x, ahead_z, roll, pitch)
            moved = turned(turn, foot)

            # It turns about its middle, rises until neither contact is too low, and is held back where it is locked.
            half = HALF * moved[1]
            rise = strength * (max(heel_height + half, ball_height - half) - middle[1])
            chosen = _held_contact(lockeds[actor, leg], heel_pin, ball_pin) if lock_share > ZERO else -1
            most = lock_share * length * size
            back_x, back_z = _held_back(locks, lockeds, actor, leg, chosen, middle, moved, most, stance, release)
            shift = (strength * back_x, rise, strength * back_z)
            goal = add(add(middle, shift), turned(turn, subtract(origin_of(row, ankle), middle)))

            plan = out_plan[actor, leg]
            plan[GOAL], plan[GOAL + 1], plan[GOAL + 2] = goal
            plan[AHEAD], plan[AHEAD + 1] = ahead_x, ahead_z
            plan[ROLL], plan[PITCH], plan[TOE] = roll, pitch, toe
            plan[SHIFT] = max(heel_shift, ball_shift)
