"""Plans for feet on the ground. Each foot has two contacts, heel and ball. The pin weight of a contact and its animated
height above the flat floor of the clip give its height above the ground. The two heights give pitch and position of the
foot. A pinned contact stays at the point at which its pin weight rose. Plans are in model space, the memory of a foot
in world space. Actors are upright.
"""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.frames import placed_in
from ecs_anim.kernels.grounding_probes import turned_level
from ecs_anim.kernels.vectors import add, scaled, subtract, turned
from ecs_anim.simd import any_true, broadcast_like, clamp, gather, gather_each, maximum, not_nan, scatter, select

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
# largest height difference of the ground, up or down, that a foot follows, in leg lengths
TALLEST_STEP = np.float32(0.6)
PINNED = np.float32(0.5)  # pin weight above which a contact is held
STAYS = np.float32(0.4)  # pin weight above which a held contact stays held
STEEP = np.float32(0.95)  # sine of the largest angle of a foot with the horizontal
TIP = np.float32(0.3)  # cosine of the angle with the horizontal below which a foot is on its tip
HEEL, BALL, FREE = np.float32(0), np.float32(1), np.float32(-1)  # the held contact of a foot; FREE = none
NONE = np.float32(-np.inf)  # height of a ray hit if the ray has no hit
WALL = np.float32(0.5)  # y of a normal; steeper ground counts as a step, not as a slope

HIT = 4  # numbers of a ray hit: height [m], -inf = no hit, and the unit normal x, y, z
TRACE, LOCK = 5, 4  # numbers of a contact in `FootState.trace`, and of a leg in `FootState.lock`


class Plan(NamedTuple):
    """The planned position and direction of a foot, as lanes. Points are in model space [rig units]."""

    x: Any  # position of the ankle
    y: Any
    z: Any
    ahead_x: Any  # horizontal direction of the foot
    ahead_z: Any
    roll: Any  # sine of the roll
    pitch: Any  # sine of the pitch
    toe_pitch: Any  # sine of the toes' pitch
    shift: Any  # height of the ground, measured from the flat floor of the clip


class Trace(NamedTuple):
    """Stored state of the ground below a contact, as lanes. NaN means that no state is stored."""

    x: Any  # [m], last position of the contact
    z: Any
    height: Any  # [m], last height of the ground
    rest: Any  # [m], remaining part of the sudden steps of the ground
    pressed: Any  # [m], distance by which the contact is pressed down


class FootMemory(NamedTuple):
    """Stored state of a foot between two steps, as lanes."""

    heel: Any  # `Trace`
    ball: Any  # `Trace`
    tilt: Any  # sine of the foot's roll, and sine of the toes' pitch
    lock: Any  # anchor x, z [m] of the held contact, and the offset x, z [m] of the foot
    locked: Any  # the held contact, -1 = none


class Manner(NamedTuple):
    """Settings that all plans of one simulation step use."""

    release: Any  # factor on the offset of a released foot, in each simulation step
    steepest: Any  # sine of the largest angle of a foot with the horizontal
    lock_share: Any  # largest offset of a held foot, in leg lengths; 0 = never hold feet
    decay: Any  # factor on the rest of sudden steps, in each simulation step


PLAN_WIDTH = len(Plan.__annotations__)
CONTACTS = 2  # contacts of a foot: heel, then ball
TILT = 2  # numbers of a leg in `FootState.tilt`


@inlined
def foot_rotation(ahead_x, ahead_z, left, up, ahead):
    """Return the rotation of a level foot with the direction `ahead_x`, `ahead_z` to the new unit vectors `left`, `up`
    and `ahead`: the new vectors times the transposed old vectors.
    """
    return (
        ahead_z * left[0] + ahead_x * ahead[0],
        up[0],
        ahead_z * ahead[0] - ahead_x * left[0],
        ahead_z * left[1] + ahead_x * ahead[1],
        up[1],
        ahead_z * ahead[1] - ahead_x * left[1],
        ahead_z * left[2] + ahead_x * ahead[2],
        up[2],
        ahead_z * ahead[2] - ahead_x * left[2],
    )


@inlined
def foot_turn(ahead_x, ahead_z, roll, pitch):
    """Return a foot's rotation: a roll that raises the left, then a pitch that raises the ball, given as sines."""
    roll_cosine, pitch_cosine = np.sqrt(ONE - roll * roll), np.sqrt(ONE - pitch * pitch)
    left_x = ahead_z * roll_cosine - ahead_x * pitch * roll
    left_z = -ahead_x * roll_cosine - ahead_z * pitch * roll
    up_x = -ahead_z * roll - ahead_x * pitch * roll_cosine
    up_z = ahead_x * roll - ahead_z * pitch * roll_cosine
    left, up = (left_x, pitch_cosine * roll, left_z), (up_x, pitch_cosine * roll_cosine, up_z)
    return foot_rotation(ahead_x, ahead_z, left, up, (ahead_x * pitch_cosine, pitch, ahead_z * pitch_cosine))


@inlined
def _follow(value, target, decay):
    """Move `value` towards `target` by one step of exponential smoothing. If `value` is NaN, return `target`."""
    return select(not_nan(value), target + (value - target) * decay, target)


@inlined
def _plane(hit, level):
    """Return the height [m] of the ground below a contact (`level` without a hit), and its slopes along x and z."""
    there = hit[0] > NONE
    slopes = there & (hit[2] > WALL)
    return select(there, hit[0], level), select(slopes, -hit[1] / hit[2], ZERO), select(slopes, -hit[3] / hit[2], ZERO)


@inlined
def _traced(trace, x, z, plane, decay):
    """Return the height [m] of the ground without sudden steps, and its difference from the exact height [m]."""
    height, slope_x, slope_z = plane
    step = height - slope_x * (x - trace.x) - slope_z * (z - trace.z) - trace.height
    rest = select(not_nan(trace.height), (trace.rest - step) * decay, ZERO)
    return height + rest, rest


@inlined
def _rise_sine(hit, other, x, z):
    """Return the sine of the slope of the ground in the direction x, z, computed from the normals of two ray hits."""
    rise = -(hit[1] + other[1]) * x - (hit[3] + other[3]) * z
    level = hit[2] + other[2]
    return rise / np.sqrt(rise * rise + level * level)


@inlined
def _pitch_sine(up, ahead, rise):
    """Return the sine of the pitch that raises the ball from `up` to `rise` above the heel, at the distance `ahead`."""
    scale = ONE / np.sqrt(up * up + ahead * ahead)
    now, wanted = clamp(up * scale, STEEP), clamp(rise * scale, STEEP)
    return wanted * np.sqrt(ONE - now * now) - now * np.sqrt(ONE - wanted * wanted)


@inlined
def _held_contact(locked, heel_pin, ball_pin):
    """Return the held contact. A pinned ball is held, even if the heel is pinned, too. FREE = no contact is pinned."""
    ball = ball_pin > select(locked == BALL, STAYS, PINNED)
    heel = heel_pin > select(locked == HEEL, STAYS, PINNED)
    return select(ball, BALL, select(heel, HEEL, FREE))


@inlined
def _advance_lock(lock, is_held, is_new, place, limit, release):
    """Return a foot's lock after a time step: the anchor x, z, at which a contact is held, and the offset x, z from
    `place` to the anchor [m]. A held contact keeps its anchor. In the mask `is_new`, the contact was not held before,
    and its anchor is `place` plus the present offset, so that the foot does not jump. An offset longer than `limit` [m]
    is shortened with its anchor. Outside of the mask `is_held`, the offset is multiplied by `release`.
    """
    anchor_x, anchor_z, offset_x, offset_z = lock
    x, z = place
    held_x, held_z = select(is_new, x + offset_x, anchor_x), select(is_new, z + offset_z, anchor_z)
    to_x, to_z = held_x - x, held_z - z
    square = to_x * to_x + to_z * to_z
    is_far = square > limit * limit
    share = select(is_far, limit / np.sqrt(square), ONE)
    to_x, to_z = to_x * share, to_z * share
    held_x, held_z = select(is_far, x + to_x, held_x), select(is_far, z + to_z, held_z)
    anchor_x, anchor_z = select(is_held, held_x, anchor_x), select(is_held, held_z, anchor_z)
    return anchor_x, anchor_z, select(is_held, to_x, offset_x * release), select(is_held, to_z, offset_z * release)


@inlined
def _heights(trace, point, plane, pin, lock, length, stance, decay):
    """Return the goal height of a contact, the height of the ground, and the new `Trace`. A pinned contact is on the
    ground. Any other contact keeps its height above the ground from the clip. The goal is measured from the model's
    origin, and the ground from the flat floor of the clip.
    """
    x, z = turned_level(point[0], point[2], stance.sine, stance.cosine)
    x, z = stance.x + lock[2] + stance.size * x, stance.z + lock[3] + stance.size * z
    ground, rest = _traced(trace, x, z, plane, decay)
    shift = clamp((ground - stance.level) / stance.size, TALLEST_STEP * length)
    height = maximum(point[1] - stance.floor, ZERO)
    # A contact is pressed down at once, and released gradually.
    pressed = pin * height * stance.size
    pressed = select(not_nan(trace.pressed), maximum(pressed, trace.pressed * decay), pressed)
    wanted = stance.floor + shift + maximum(height - pressed / stance.size, ZERO)
    return wanted, shift, Trace(x, z, plane[0], rest, pressed)


@inlined
def read_foot(state, first_legs, leg):
    """Return the `FootMemory` of one leg of eight actors. `state` is the `FootState` with pointers, and `first_legs` is
    the index of each actor's first leg. `gather` converts the int32 column `locked` to float32.
    """
    first_contacts, heel_at = first_legs * (CONTACTS * TRACE), CONTACTS * TRACE * leg
    heel = Trace(*gather_each(state.trace, first_contacts, heel_at, TRACE))
    ball = Trace(*gather_each(state.trace, first_contacts, heel_at + TRACE, TRACE))
    tilt = gather_each(state.tilt, first_legs * TILT, TILT * leg, TILT)
    lock = gather_each(state.lock, first_legs * LOCK, LOCK * leg, LOCK)
    return FootMemory(heel, ball, tilt, lock, gather(state.locked, first_legs, leg))


@inlined
def put_foot(state, first_legs, leg, foot):
    """Write a `FootMemory` to the columns that `read_foot` reads."""
    first_contacts, heel_at = first_legs * (CONTACTS * TRACE), CONTACTS * TRACE * leg
    scatter(state.trace, first_contacts, heel_at, foot.heel)
    scatter(state.trace, first_contacts, heel_at + TRACE, foot.ball)
    scatter(state.tilt, first_legs * TILT, TILT * leg, foot.tilt)
    scatter(state.lock, first_legs * LOCK, LOCK * leg, foot.lock)
    scatter(state.locked, first_legs, leg, foot.locked)


@inlined
def _tilt(tilt, heel_hit, ball_hit, ahead, stance, decay):
    """Return two smoothed sines: of the foot's roll with the sideways slope, and of the toes' pitch below the ball."""
    x, z = turned_level(ahead[0], ahead[1], stance.sine, stance.cosine)
    roll = _follow(tilt[0], _rise_sine(heel_hit, ball_hit, z, -x), decay)
    return roll, _follow(tilt[1], _rise_sine(ball_hit, ball_hit, x, z), decay)


@inlined
def _direction_near_tip(foot, left_x, left_z, threshold):
    """Return the results of `level_direction` for feet that stand on their tips or point backwards. `foot` is the
    vector from heel to ball, and `left_x`, `left_z` points to the foot's left. The direction is a mixture of the foot's
    direction and of the direction `forward`, perpendicular to the left. The weight `share` is 1 at the horizontal
    length `threshold`, so the direction is continuous. It is 0 on the tip, and -1 for a reversed foot.
    """
    left_length = np.sqrt(left_x * left_x + left_z * left_z)
    has_left = left_length > ZERO  # otherwise, `forward` is +Z
    forward_x = select(has_left, -left_z / left_length, ZERO)
    forward_z = select(has_left, left_x / left_length, ONE)
    share = clamp((foot[0] * forward_x + foot[2] * forward_z) / threshold, ONE)
    rest = (ONE - share * share) * threshold
    x, z = share * foot[0] + rest * forward_x, share * foot[2] + rest * forward_z
    size = np.sqrt(x * x + z * z)  # never 0, because the component along `forward` is about `threshold` or more
    x, z = x / size, z / size
    return x, z, foot[0] * x + foot[2] * z, maximum(share, ZERO)


@inlined
def level_direction(foot, shin):
    """Return the horizontal direction x, z of feet, the length in this direction, and a weight that is 0 on the tip.
    `foot` is the vector from heel to ball, and `shin` from heel to ankle [rig units]. Their cross product points to the
    left. On its tip, a foot's direction is perpendicular to the left. A foot with a very high heel points backwards:
    its direction points ahead, and its length is negative.
    """
    left_x, left_z = shin[1] * foot[2] - shin[2] * foot[1], shin[0] * foot[1] - shin[1] * foot[0]
    along, square = foot[2] * left_x - foot[0] * left_z, foot[0] * foot[0] + foot[2] * foot[2]
    left, tip = left_x * left_x + left_z * left_z, TIP * TIP * (square + foot[1] * foot[1])
    usual = (along > ZERO) & (along * along > tip * left)
    level = np.sqrt(square)
    x, z, share = foot[0] / level, foot[2] / level, broadcast_like(ONE, level)
    if any_true(~usual):
        other = _direction_near_tip(foot, left_x, left_z, np.sqrt(tip))
        x, z = select(usual, x, other[0]), select(usual, z, other[1])
        level, share = select(usual, level, other[2]), select(usual, share, other[3])
    return x, z, level, share


@inlined
def _contact_position(contact, middle, moved, stance):
    """Return x, z [m] of a foot's contact. `moved` is the vector from heel to ball."""
    side = select(contact == BALL, HALF, -HALF)
    x, z = turned_level(middle[0] + side * moved[0], middle[2] + side * moved[2], stance.sine, stance.cosine)
    return stance.x + stance.size * x, stance.z + stance.size * z


@inlined
def _held_back(lock, before, now, middle, moved, limit, stance, release):
    """Return a foot's lock after a time step (see `_advance_lock`). `before` and `now` are the held contacts before and
    after the step, `middle` and `moved` are the foot's middle and its vector from heel to ball in model space.
    """
    switches = (before >= HEEL) & (now >= HEEL) & ~(now == before)
    if any_true(switches):  # the new contact gets the offset of the old contact
        no_lane = before < before
        old = _advance_lock(lock, switches, no_lane, _contact_position(before, middle, moved, stance), limit, release)
        lock = (old[0], old[1], select(switches, old[2], lock[2]), select(switches, old[3], lock[3]))
    place = _contact_position(now, middle, moved, stance)
    return _advance_lock(lock, now >= HEEL, ~(now == before), place, limit, release)


@inlined
def stepping_manner(settings, dt):
    """Return the `Manner` for a simulation step of dt seconds."""
    release, decay = np.float32(exp(-dt / settings.release_seconds)), np.float32(exp(-dt / settings.step_seconds))
    return Manner(release, np.float32(settings.slope_sine), np.float32(settings.lock_share), decay)


@inlined
def sole_of(contacts, leg):
    """Return heel and ball of a foot in the ankle's coordinate frame. `contacts` points to `LegArrays.contacts`."""
    at = 6 * leg
    heel = contacts[at], contacts[at + 1], contacts[at + 2]
    return heel, (contacts[at + 3], contacts[at + 4], contacts[at + 5])


@inlined
def contact_places(ankle_frame, contacts, leg):
    """Return the positions of a leg's heel and ball in model space."""
    heel, ball = sole_of(contacts, leg)
    return placed_in(ankle_frame, heel), placed_in(ankle_frame, ball)


@inlined
def plan_foot(memory, foot_points, hits, pins, strength, length, stance, manner):
    """Return the `Plan` of a foot, and its new `FootMemory`. `foot_points` contains heel, ball and ankle in model
    space. `hits` and `pins` belong to heel and ball. `strength` is the grounding weight. `length` is the leg's length
    [rig units].
    """
    (heel, ball, ankle), (heel_hit, ball_hit), (heel_pin, ball_pin) = foot_points, hits, pins
    heel_plane, ball_plane = _plane(heel_hit, stance.level), _plane(ball_hit, stance.level)
    of_both = memory.lock, length, stance, manner.decay
    heel_height, heel_shift, heel_trace = _heights(memory.heel, heel, heel_plane, heel_pin, *of_both)
    ball_height, ball_shift, ball_trace = _heights(memory.ball, ball, ball_plane, ball_pin, *of_both)

    # The foot rolls with the sideways slope of the ground, and pitches so that both contacts reach their heights.
    foot, middle = subtract(ball, heel), scaled(add(heel, ball), HALF)
    ahead_x, ahead_z, level, off_tip = level_direction(foot, subtract(ankle, heel))
    tilt = _tilt(memory.tilt, heel_hit, ball_hit, (ahead_x, ahead_z), stance, manner.decay)
    roll, toe = strength * clamp(tilt[0], manner.steepest), strength * clamp(tilt[1], manner.steepest)
    rolled = foot[1] * np.sqrt(ONE - roll * roll)
    pitch = clamp(_pitch_sine(rolled, level, ball_height - heel_height), manner.steepest)
    pitch = pitch * (strength * off_tip)
    turn = foot_turn(ahead_x, ahead_z, roll, pitch)
    moved = turned(turn, foot)

    # The foot rotates about its middle. It rises until no contact is too low. A lock moves the foot back.
    half, before = moved[1] * HALF, memory.locked
    rise = strength * (maximum(heel_height + half, ball_height - half) - middle[1])
    now = _held_contact(before, heel_pin, ball_pin) if manner.lock_share > ZERO else broadcast_like(FREE, before)
    limit = manner.lock_share * length * stance.size
    lock = _held_back(memory.lock, before, now, middle, moved, limit, stance, manner.release)
    back_x, back_z = turned_level(lock[2], lock[3], -stance.sine, stance.cosine)
    shift = (strength * (back_x / stance.size), rise, strength * (back_z / stance.size))
    goal = add(add(middle, shift), turned(turn, subtract(ankle, middle)))
    plan = Plan(goal[0], goal[1], goal[2], ahead_x, ahead_z, roll, pitch, toe, maximum(heel_shift, ball_shift))
    return plan, FootMemory(heel_trace, ball_trace, tilt, lock, now)
