"""Gaits: the row of the gait table at a speed, and the footholds of bodies. Kernels use these helpers for one body or
for eight bodies, which a `Walker` describes. `table` (flat) and `plan` describe the gait of a crowd. Phases are 0 to 1.
`at` is the first column of a leg in `BodyState.feet`.
"""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim.body.gait_plan import AHEAD, CENTRE, DUTY, FASTEST, LEG, LEG_WIDTH, RATE, SIDE, SPEEDS, YAW
from ecs_anim.body.state import FACES, FOOT_WIDTH, FRESH, FROM, REST, SECONDS, SWING, TO, TURN, VX, VZ, X, Z
from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.angles import turned_by, unit_of
from ecs_anim.simd import any_true, clamp, gather, maximum, minimum, select, to_integers

ZERO, HALF, ONE, INFINITY = np.float32(0), np.float32(0.5), np.float32(1), np.float32(np.inf)
PER_SPEED = np.float32((SPEEDS - 1) ** 2 / FASTEST)  # square of a row number of the table, divided by the speed [m/s]
LAST_ROW = np.float32(SPEEDS - 1.001)
LEAST_RATE = np.float32(1e-3)  # [1/s], least rate of cycles, used as a divisor
SIDE_PACE = np.float32(2.0)  # sideways walking has the cadence of a (1 + SIDE_PACE) times higher speed
# Lengths are in leg lengths.
CLOSE = np.float32(0.13)  # least distance between the balls in sideways walking
NEAR_PLACE, NEAR_YAW = np.float32(0.03), np.float32(0.15)  # and [rad]; a foot does not make a shorter step
AIMED = np.float32(0.85)  # share of a swing; after it, the foothold is fixed
# [m/s], highest speed of a foothold at the end of a swing. At other times, the highest speed is SWERVES divided by the
# completed share of the swing.
SWERVES = np.float32(3.0)
LEFT = np.float32(0.1)  # share of a swing; before it, the foothold can move any distance
FORESEEN = np.float32(0.15)  # [s], part of the next stance for which a turn is predicted
WIDEST_TURN = np.float32(1.0)  # [rad], largest predicted turn


class Walker(NamedTuple):
    """State of one body as single floats, or state of eight bodies as lanes."""

    walk: Any  # columns of `BodyState.walk`
    feet: Any  # columns of `BodyState.feet`, leg after leg
    legs: Any  # number of legs
    size: Any  # [m], the actor's scale
    row: Any  # memory for the interpolated row of the gait table


class Gait(NamedTuple):
    """Values of the gait at a body's speed. All other values of the gait are in the `row` of the `Walker`."""

    aside: Any  # [m/s] to the left
    onward: Any  # [m/s] ahead
    rate: Any  # cycles per second
    duty: Any  # share of the cycle in which a foot is on the ground


@helper
def row_memory(legs, lanes):
    """Return memory for the field `row` of a `Walker`, for one body or for `lanes` bodies."""
    return np.empty((LEG + legs * LEG_WIDTH, lanes), np.float32)


@inlined
def within_one(phase):
    """Wrap a phase to the range from 0 to 1."""
    return phase - np.floor(phase)


@inlined
def wrapped(phase):
    """Wrap a difference of two phases to the range from -1/2 to 1/2."""
    return phase - np.floor(phase + HALF)


@inlined
def row_of(speed, width):
    """Return the place of a speed [m/s] in the flat gait table with `width` columns: the offset of a row, and a
    fraction of the way to the next row. The rows are evenly spaced in the square root of the speed.
    """
    at = minimum(LAST_ROW, np.sqrt(speed * PER_SPEED))
    row = np.floor(at)
    return to_integers(row * np.float32(width)), at - row


@inlined
def interpolated(table, place, width, column):
    """Return the value of a column of the flat gait table at the place from `row_of`, between two rows."""
    offset, fraction = place
    low = gather(table, offset, column)
    return low + fraction * (gather(table, offset, column + width) - low)


@inlined
def write_row(table, body, speed):
    """Interpolate the gait table at a speed [m/s], and write the row to `body.row`."""
    width = LEG + body.legs * LEG_WIDTH
    place = row_of(speed, width)
    for column in range(width):
        body.row[column] = interpolated(table, place, width, column)


@inlined
def middle_of_swing(body, leg):
    """Return the phase in the middle of a leg's swing."""
    return body.row[LEG + leg * LEG_WIDTH + CENTRE] + HALF


@inlined
def gait_of(table, plan, body, sine, cosine):
    """Return the gait at a body's speed, and write its table row to `body.row`. The heading has `sine` and `cosine`."""
    vx, vz = body.walk[VX], body.walk[VZ]
    aside, onward, square = vx * cosine - vz * sine, vx * sine + vz * cosine, vx * vx + vz * vz
    speed, goes = np.sqrt(square) * np.float32(plan.unit) / body.size, square > ZERO
    write_row(table, body, speed)
    sideways = SIDE_PACE * aside * aside / select(goes, square, ONE)
    width = LEG + body.legs * LEG_WIDTH
    rate = interpolated(table, row_of(select(goes, speed * (ONE + sideways), ZERO), width), width, RATE)
    return Gait(aside, onward, rate, body.row[DUTY])


@inlined
def swing_rate_of(plan, gait):
    """Return the speed of a swing as shares of the swing per second."""
    return maximum(gait.rate / (ONE - gait.duty), ONE / np.float32(plan.swing_seconds))


@inlined
def swing_share_of(plan, gait):
    """Return the share of the cycle during which a foot swings. The share is small in a long cycle."""
    return minimum(ONE - gait.duty, gait.rate * np.float32(plan.swing_seconds))


@inlined
def neutral_foot(body, leg, yaw, sine, cosine, wide):
    """Return a foot's neutral position x, z [m] relative to the root, `wide` [m] farther out, and its yaw."""
    column = LEG + leg * LEG_WIDTH
    side, ahead = body.size * body.row[column + SIDE], body.size * body.row[column + AHEAD]
    side = side + select(side > ZERO, wide, -wide)
    return ahead * sine + side * cosine, ahead * cosine - side * sine, yaw + body.row[column + YAW]


@inlined
def room_aside(plan, body, gait):
    """Return the additional distance [m] between the feet in sideways walking, so that the feet do not cross."""
    half_step = HALF * abs(gait.aside) / maximum(gait.rate, LEAST_RATE)
    narrow = body.size * abs(body.row[LEG + SIDE])
    missing = HALF * half_step - narrow + CLOSE * body.size * np.float32(plan.leg_length)
    return minimum(maximum(missing, ZERO), half_step)


@inlined
def swing_seconds_left(feet, at):
    """Return the time [s] until a foot lands, or 0 on the ground. `feet` are columns of `BodyState.feet`."""
    return (ONE - feet[at + SWING]) * feet[at + SECONDS]


@inlined
def horizons(feet, at):
    """Return two prediction times [s] for a foot in the air: for its position, until the middle of its next stance, and
    a shorter time for its direction.
    """
    left, rest = swing_seconds_left(feet, at), feet[at + REST]
    return left + rest, left + minimum(rest, FORESEEN)


@inlined
def _led(feet, at, to, is_led, furthest):
    """Return the new foothold x, z [m], on the way to `to`, at most `furthest` [m] from the present foothold."""
    x, z = feet[at + TO], feet[at + TO + 1]
    off_x, off_z = to[0] - x, to[1] - z
    square = off_x * off_x + off_z * off_z
    is_far = square > furthest * furthest
    share = select(is_far, furthest / np.sqrt(select(is_far, square, ONE)), ONE)
    new_x, new_z = select(is_far, x + share * off_x, to[0]), select(is_far, z + share * off_z, to[1])
    return select(is_led, new_x, x), select(is_led, new_z, z)


@inlined
def aim_foot(plan, body, leg, root, wide, dt):
    """Move the foothold of a foot in the air to its neutral position next to the predicted `root` (x, z [m], yaw [rad],
    sine, cosine), as far as the time step `dt` [s] allows. A foot that has just left the ground lands again if its
    footstep would be very short.
    """
    feet, at = body.feet, leg * FOOT_WIDTH
    x, z, yaw, sine, cosine = root
    stand_x, stand_z, stand_yaw = neutral_foot(body, leg, yaw, sine, cosine, wide)
    stand_x, stand_z = stand_x + x, stand_z + z
    swing, is_fresh = feet[at + SWING], feet[at + FRESH] > ZERO
    is_fresh = is_fresh & (swing < ONE)
    turn = turned_by(stand_yaw - feet[at + FROM + 2])
    off_x, off_z = stand_x - feet[at + FROM], stand_z - feet[at + FROM + 1]
    near = NEAR_PLACE * body.size * np.float32(plan.leg_length)
    stays = is_fresh & (off_x * off_x + off_z * off_z < near * near) & (abs(turn) < NEAR_YAW)
    feet[at + FRESH] = select(is_fresh, ZERO, feet[at + FRESH])
    feet[at + SWING] = select(stays, ONE, swing)
    is_led = feet[at + SWING] < AIMED
    furthest = select(swing < LEFT, INFINITY, SWERVES * dt / maximum(swing, LEFT))
    feet[at + TO], feet[at + TO + 1] = _led(feet, at, (stand_x, stand_z), is_led, furthest)
    feet[at + TO + 2] = select(is_led, feet[at + FROM + 2] + turn, feet[at + TO + 2])


@inlined
def lead_feet(plan, body, gait, sine, cosine, dt):
    """Move the footholds of all feet in the air to the root that the present velocity and turn rate predict, as far as
    the time step `dt` [s] allows. If a body walks ahead, the function ignores a small sideways speed.
    """
    walk, wide, both = body.walk, room_aside(plan, body, gait), abs(gait.aside) + abs(gait.onward)
    lasting = select(both > ZERO, gait.aside * abs(gait.aside) / select(both > ZERO, both, ONE), ZERO)
    vx, vz = gait.onward * sine + lasting * cosine, gait.onward * cosine - lasting * sine
    for leg in range(body.legs):
        at = leg * FOOT_WIDTH
        if not any_true(body.feet[at + SWING] < ONE):
            continue
        later, turn_later = horizons(body.feet, at)
        turn = clamp(walk[TURN] * turn_later, WIDEST_TURN)
        half_sine, half_cosine = unit_of(HALF * turn)
        go_x, go_z = vx * later, vz * later
        x = walk[X] + go_x * half_cosine + go_z * half_sine
        z = walk[Z] + go_z * half_cosine - go_x * half_sine
        turn_sine, turn_cosine = unit_of(turn)
        new_sine, new_cosine = sine * turn_cosine + cosine * turn_sine, cosine * turn_cosine - sine * turn_sine
        aim_foot(plan, body, leg, (x, z, walk[FACES] + turn, new_sine, new_cosine), wide, dt)
