"""Where feet should be: helpers, inlined into stages.

Each foot has two contacts, heel and ball. The height of each over the ground follows from the animated height over
the flat floor of the clip and the pin weight; both together turn and place the foot. A pinned contact is held where
it first was. Plans are in model space; what is remembered is in world space. Actors stand upright.
"""

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.grounding_probes import turned_level
from ecs_anim.kernels.matrices import placed_in
from ecs_anim.kernels.vectors import add, scaled, subtract, turned
from ecs_anim.simd import (
    any_true,
    broadcast_like,
    clamp,
    gather,
    gather2,
    gather4,
    gather8,
    maximum,
    not_nan,
    scatter,
    scatter2,
    scatter4,
    scatter8,
    select,
)

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
TALLEST_STEP = np.float32(0.6)  # of a leg's length, up or down, that a foot follows the ground
PINNED = np.float32(0.5)  # weight from which on a contact is held
STAYS = np.float32(0.4)  # weight down to which a held one stays so
STEEP = np.float32(0.95)  # sine of the largest angle of a foot against the level
TIP = np.float32(0.3)  # cosine of a foot's angle against the level below which it stands on its tip
HEEL, BALL, FREE = np.float32(0), np.float32(1), np.float32(-1)  # contacts of feet that are held
NONE = np.float32(-np.inf)  # height of the ground where there is none
WALL = np.float32(0.5)  # upward part of a normal below which ground is too steep to walk: a step

# Columns of a foot's plan: the ankle's goal [3], where the foot points (x, z), sines of its roll, pitch and of the
# toe's pitch, and how far the ground below it is shifted [rig units].
GOAL, AHEAD, ROLL, PITCH, TOE, SHIFT = 0, 3, 5, 6, 7, 8
PLAN_WIDTH = 9
# Columns of what a contact remembers, of what a leg holds, and numbers of a probe's hit.
TRACE, LOCK, HIT = 5, 4, 4


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
def _follow(value, target, decay):
    """One step of exponential smoothing; NaN begins at the target."""
    return select(not_nan(value), target + (value - target) * decay, target)


@inlined
def _plane(hit, level):
    """Height [m] and slopes along x and z of the ground under a contact; `level` stands in where there is none."""
    there = hit[0] > NONE
    slopes = there & (hit[2] > WALL)
    return (
        select(there, hit[0], level),
        select(slopes, -hit[1] / hit[2], ZERO),
        select(slopes, -hit[3] / hit[2], ZERO),
    )


@inlined
def _traced(trace, x, z, plane, decay):
    """Height [m] of the ground under a contact, and what is left of its steps; a sudden one is taken bit by bit.

    A slope is no step: its plane tells how much the height should have changed since the last time.
    """
    (height, slope_x, slope_z), (before_x, before_z, before, left, _) = plane, trace
    step = height - slope_x * (x - before_x) - slope_z * (z - before_z) - before
    rest = select(not_nan(before), (left - step) * decay, ZERO)
    return height + rest, rest


@inlined
def _pressed(before, height, pin, size, decay):
    """By how much [m] a contact is pressed down: a pin does it at once, and lets it go bit by bit."""
    pressed = pin * height * size
    return select(not_nan(before), maximum(pressed, before * decay), pressed)


@inlined
def _rise_sine(hit, other, x, z):
    """Sine of the angle by which the ground rises along a level direction, from the sum of two normals."""
    rise = -(hit[1] + other[1]) * x - (hit[3] + other[3]) * z
    level = hit[2] + other[2]
    return rise / np.sqrt(rise * rise + level * level)


@inlined
def _pitch_sine(up, ahead, rise):
    """Sine of the angle that turns a foot (up, ahead) so that it rises by `rise`."""
    scale = ONE / np.sqrt(up * up + ahead * ahead)
    now, wanted = clamp(up * scale, STEEP), clamp(rise * scale, STEEP)
    return wanted * np.sqrt(ONE - now * now) - now * np.sqrt(ONE - wanted * wanted)


@inlined
def _held_contact(locked, heel_pin, ball_pin):
    """Which contact is held: the ball as soon as it is pinned, else the heel, else none."""
    ball = ball_pin > select(locked == BALL, STAYS, PINNED)
    heel = heel_pin > select(locked == HEEL, STAYS, PINNED)
    return select(ball, BALL, select(heel, HEEL, FREE))


@inlined
def _hold(lock, is_held, is_new, place, limit, release):
    """A lock [m], where the contact is held and how far that is back, given where the contact would be without."""
    at_x, at_z, back_x, back_z = lock
    x, z = place
    held_x, held_z = select(is_new, x + back_x, at_x), select(is_new, z + back_z, at_z)
    far_x, far_z = held_x - x, held_z - z
    square = far_x * far_x + far_z * far_z
    is_far = square > limit * limit
    shorter = select(is_far, limit / np.sqrt(square), ONE)
    far_x, far_z = far_x * shorter, far_z * shorter
    held_x, held_z = select(is_far, x + far_x, held_x), select(is_far, z + far_z, held_z)
    return (
        select(is_held, held_x, at_x),
        select(is_held, held_z, at_z),
        select(is_held, far_x, back_x * release),
        select(is_held, far_z, back_z * release),
    )


@inlined
def _heights(trace, point, lock, plane, pin, length, stance):
    """How high above the model's origin a contact should be, and how far the ground there lies above the flat floor.

    It is as high over the ground as in the clip, or on it as far as it is pinned. Last, what it remembers now.
    """
    size, sine, cosine, own_x, _, own_z, level, floor, decay = stance
    x, z = turned_level(point[0], point[2], sine, cosine)
    x, z = own_x + lock[2] + size * x, own_z + lock[3] + size * z
    ground, rest = _traced(trace, x, z, plane, decay)
    shift = clamp((ground - level) / size, TALLEST_STEP * length)
    height = maximum(point[1] - floor, ZERO)
    pressed = _pressed(trace[4], height, pin, size, decay)
    return floor + shift + maximum(height - pressed / size, ZERO), shift, (x, z, plane[0], rest, pressed)


@inlined
def _read_traces(traces, at, column):
    """What a foot's heel and ball remember."""
    a, b, c, d, e, f, g, h = gather8(traces, at, column)
    return (a, b, c, d, e), (f, g, h, *gather2(traces, at, column + 8))


@inlined
def _put_traces(traces, at, column, heel, ball):
    scatter8(traces, at, column, *heel, ball[0], ball[1], ball[2])
    scatter2(traces, at, column + 8, ball[3], ball[4])


@inlined
def read_foot(memory, of_legs, leg):
    """What feet remember: traces of heel and ball, sines of the foot's roll and the toe's pitch, lock, held contact.

    memory: trace, tilt, lock and locked of a `FootState`, flat; of_legs: where their rows of legs begin.
    """
    traces, tilts, locks, lockeds = memory
    heel, ball = _read_traces(traces, of_legs * (2 * TRACE), 2 * TRACE * leg)
    tilt, lock = (
        gather2(tilts, of_legs * 2, 2 * leg),
        gather4(locks, of_legs * LOCK, LOCK * leg),
    )
    return heel, ball, tilt, lock, gather(lockeds, of_legs, leg)


@inlined
def put_foot(memory, of_legs, leg, remembered):
    """Write what `read_foot` reads."""
    (traces, tilts, locks, lockeds), (heel, ball, (roll, toe), lock, now) = memory, remembered
    _put_traces(traces, of_legs * (2 * TRACE), 2 * TRACE * leg, heel, ball)
    scatter2(tilts, of_legs * 2, 2 * leg, roll, toe)
    scatter4(locks, of_legs * LOCK, LOCK * leg, *lock)
    scatter(lockeds, of_legs, leg, now)


@inlined
def _tilt(tilt, heel_hit, ball_hit, ahead, stance):
    """Sines of the foot's roll, with the ground to its side, and of the toes' pitch, with the ground below the ball."""
    x, z = turned_level(ahead[0], ahead[1], stance.sine, stance.cosine)
    roll = _follow(tilt[0], _rise_sine(heel_hit, ball_hit, z, -x), stance.decay)
    return roll, _follow(tilt[1], _rise_sine(ball_hit, ball_hit, x, z), stance.decay)


@inlined
def _near_its_tip(foot, left_x, left_z, length):
    """The same of a foot that is less than `length` long on the level, or points backwards."""
    left = np.sqrt(left_x * left_x + left_z * left_z)
    is_there = left > ZERO
    across_x, across_z = select(is_there, -left_z / left, ZERO), select(is_there, left_x / left, ONE)
    share = clamp((foot[0] * across_x + foot[2] * across_z) / length, ONE)
    rest = (ONE - share * share) * length
    x, z = share * foot[0] + rest * across_x, share * foot[2] + rest * across_z
    level = np.sqrt(x * x + z * z)
    x, z = x / level, z / level
    return x, z, foot[0] * x + foot[2] * z, maximum(share, ZERO)


@inlined
def level_direction(foot, shin):
    """Where feet point on the level, x and z, how long they are there, and how far they are off their tips, 0 to 1.

    `foot` goes from heel to ball, `shin` from heel to ankle: both tell where its left is. A foot on its tip points
    across that, and one that is thrown up behind keeps pointing ahead, with a negative length.
    """
    left_x, left_z = shin[1] * foot[2] - shin[2] * foot[1], shin[0] * foot[1] - shin[1] * foot[0]
    along, square = foot[2] * left_x - foot[0] * left_z, foot[0] * foot[0] + foot[2] * foot[2]
    left, tip = left_x * left_x + left_z * left_z, TIP * TIP * (square + foot[1] * foot[1])
    usual = (along > ZERO) & (along * along > tip * left)
    level = np.sqrt(square)
    x, z, share = foot[0] / level, foot[2] / level, broadcast_like(ONE, level)
    if any_true(~usual):
        other = _near_its_tip(foot, left_x, left_z, np.sqrt(tip))
        x, z = select(usual, x, other[0]), select(usual, z, other[1])
        level, share = select(usual, level, other[2]), select(usual, share, other[3])
    return x, z, level, share


@inlined
def _contact_position(contact, middle, moved, stance):
    """Where [m] a contact of a foot is on the level; `moved` is the foot's vector from heel to ball."""
    side = select(contact == BALL, HALF, -HALF)
    x, z = turned_level(middle[0] + side * moved[0], middle[2] + side * moved[2], stance.sine, stance.cosine)
    return stance.x + stance.size * x, stance.z + stance.size * z


@inlined
def _held_back(lock, before, now, middle, moved, limit, stance, release):
    """A lock, after a step in which contact `now` is held and `before` was, by `limit` [m] at most."""
    switches = (before >= HEEL) & (now >= HEEL) & ~(now == before)
    if any_true(switches):  # a contact takes over where the other one holds it
        never = before < before
        old = _hold(lock, switches, never, _contact_position(before, middle, moved, stance), limit, release)
        lock = (
            old[0],
            old[1],
            select(switches, old[2], lock[2]),
            select(switches, old[3], lock[3]),
        )
    place = _contact_position(now, middle, moved, stance)
    return _hold(lock, now >= HEEL, ~(now == before), place, limit, release)


@inlined
def stepping_manner(settings, dt):
    """What a step of dt seconds leaves of holding back, the steepest sine of a foot, and how far feet may be held."""
    release = np.float32(exp(-dt / settings.release_seconds))
    return release, np.float32(settings.slope_sine), np.float32(settings.lock_share)


@inlined
def contact_places(ankle_frame, points, leg):
    """Heel and ball of a leg in model space."""
    at = 6 * leg
    heel = placed_in(ankle_frame, (points[at], points[at + 1], points[at + 2]))
    return heel, placed_in(ankle_frame, (points[at + 3], points[at + 4], points[at + 5]))


@inlined
def plan_foot(remembered, foot_points, hits, pins, strength, length, stance, manner):
    """The columns of a foot's plan, and what it remembers now; lanes.

    remembered: of `read_foot`; foot_points: heel, ball and ankle in model space; hits: of heel and ball; pins: of both.
    """
    heel_trace, ball_trace, tilt, lock, before = remembered
    heel, ball, ankle = foot_points
    heel_hit, ball_hit = hits
    heel_pin, ball_pin = pins
    release, steepest, lock_share = manner
    heel_height, heel_shift, heel_trace = _heights(
        heel_trace, heel, lock, _plane(heel_hit, stance.level), heel_pin, length, stance
    )
    ball_height, ball_shift, ball_trace = _heights(
        ball_trace, ball, lock, _plane(ball_hit, stance.level), ball_pin, length, stance
    )

    # The foot rolls with the ground to its side, and pitches so that both contacts get their heights.
    foot, middle = subtract(ball, heel), scaled(add(heel, ball), HALF)
    ahead_x, ahead_z, level, off_tip = level_direction(foot, subtract(ankle, heel))
    tilt = _tilt(tilt, heel_hit, ball_hit, (ahead_x, ahead_z), stance)
    roll, toe = strength * clamp(tilt[0], steepest), strength * clamp(tilt[1], steepest)
    rolled = foot[1] * np.sqrt(ONE - roll * roll)
    pitch = clamp(_pitch_sine(rolled, level, ball_height - heel_height), steepest)
    pitch = pitch * (strength * off_tip)
    turn = foot_turn(ahead_x, ahead_z, roll, pitch)
    moved = turned(turn, foot)

    # It turns about its middle, rises until neither contact is too low, and is held back where it is locked.
    half = moved[1] * HALF
    rise = strength * (maximum(heel_height + half, ball_height - half) - middle[1])
    now = _held_contact(before, heel_pin, ball_pin) if lock_share > ZERO else broadcast_like(FREE, before)
    lock = _held_back(lock, before, now, middle, moved, lock_share * length * stance.size, stance, release)
    back_x, back_z = turned_level(lock[2], lock[3], -stance.sine, stance.cosine)
    shift = (strength * (back_x / stance.size), rise, strength * (back_z / stance.size))
    goal = add(add(middle, shift), turned(turn, subtract(ankle, middle)))
    remembered = heel_trace, ball_trace, tilt, lock, now
    return (*goal, ahead_x, ahead_z, roll, pitch, toe, maximum(heel_shift, ball_shift)), remembered
