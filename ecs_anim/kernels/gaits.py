"""Gaits by speed: the rows of the gait table, and the places where feet stand and go.

Helpers of the kernels that move bodies, for one or for eight side by side: see `Walker`. `table` and `plan` are a
crowd's gait, the table `flat`; phases go from 0 to 1. `at`: where a leg's columns begin among those of the feet.
"""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim.body.gait_plan import AHEAD, CENTRE, DUTY, FASTEST, LEG, LEG_WIDTH, RATE, SIDE, SPEEDS, YAW
from ecs_anim.body.state import FACES, FOOT_WIDTH, FRESH, FROM, REST, SECONDS, SWING, TO, TURN, VX, VZ, X, Z
from ecs_anim.kernels import inlined, maker
from ecs_anim.kernels.angles import turned_by, unit_of
from ecs_anim.simd import any_true, clamp, gather, maximum, minimum, select, to_integers

ZERO, HALF, ONE, INFINITY = np.float32(0), np.float32(0.5), np.float32(1), np.float32(np.inf)
PER_SPEED = np.float32((SPEEDS - 1) ** 2 / FASTEST)  # squares of rows of the table in a metre a second
LAST_ROW = np.float32(SPEEDS - 1.001)
LEAST_RATE = np.float32(1e-3)  # cycles a second that anything is divided by
SIDE_PACE = np.float32(2.0)  # by how much faster, in speeds ahead, feet go to the side
# Lengths are shares of the leg's.
CLOSE = np.float32(0.13)  # between balls, the least when walking to the side
NEAR_PLACE, NEAR_YAW = np.float32(0.03), np.float32(0.15)  # and [rad]: a foot that would step no further stays
AIMED = np.float32(0.85)  # how far a foot has swung when it is no longer led elsewhere
SWERVES = np.float32(3.0)  # [m/s] by which at most the place where a foot arrives moves; before that, by as much more
LEFT = np.float32(0.1)  # how far a foot has swung that may still be led anywhere
FORESEEN = np.float32(0.15)  # [s] of a stance to come in which a turn is foreseen
WIDEST_TURN = np.float32(1.0)  # [rad] that is foreseen at most


class Walker(NamedTuple):
    """A body, whose columns are single floats, or eight bodies, whose columns are lanes."""

    walk: Any  # columns of `BodyState.walk`
    feet: Any  # and of its `feet`, leg after leg
    legs: Any  # how many
    size: Any  # [m], the actor's scale
    row: Any  # memory for the columns of the gait's table that belong to the speed


class Gait(NamedTuple):
    """The gait at a body's speeds: numbers that the `row` of the `Walker` lacks."""

    aside: Any  # [m/s] to the left
    onward: Any  # [m/s] ahead
    rate: Any  # cycles a second
    duty: Any  # part of the cycle that a foot stands


@maker
def row_memory(legs, lanes):
    """Memory for the `row` of a body, or of so many bodies."""
    return np.empty((LEG + legs * LEG_WIDTH, lanes), np.float32)


@inlined
def within_one(phase):
    """A phase, 0 to 1."""
    return phase - np.floor(phase)


@inlined
def wrapped(phase):
    """A difference of phases, -1/2 to 1/2."""
    return phase - np.floor(phase + HALF)


@inlined
def row_of(speed, width):
    """Return the offset of a speed's row [m/s] in a flat table of `width` columns, and the fraction of the next row.

    Rows are evenly spaced in the root of the speed.
    """
    at = minimum(LAST_ROW, np.sqrt(speed * PER_SPEED))
    row = np.floor(at)
    return to_integers(row * np.float32(width)), at - row


@inlined
def interpolated(table, place, width, column):
    """Return a column of the gait table, interpolated linearly between a row and the next one.

    table: flat, `width` numbers for each row; place: of `row_of`, the offset of the row and the fraction, 0 to 1, of
    the next row. The next row exists, because rows end at `LAST_ROW`.
    """
    offset, fraction = place
    low = gather(table, offset, column)
    return low + fraction * (gather(table, offset, column + width) - low)


@inlined
def write_row(table, body, speed):
    """Write the row of a speed [m/s] to the body's `row`."""
    width = LEG + body.legs * LEG_WIDTH
    place = row_of(speed, width)
    for column in range(width):
        body.row[column] = interpolated(table, place, width, column)


@inlined
def middle_of_swing(body, leg):
    """Phase of the middle of a leg's swing."""
    return body.row[LEG + leg * LEG_WIDTH + CENTRE] + HALF


@inlined
def gait_of(table, plan, body, sine, cosine):
    """Return the gait at a body's speeds and its row of the table, from sine and cosine of its heading."""
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
    """How much of its swing a foot in the air takes in a second."""
    return maximum(gait.rate / (ONE - gait.duty), ONE / np.float32(plan.swing_seconds))


@inlined
def swing_share_of(plan, gait):
    """Part of the cycle that a swing takes: less where the cycle is long, as swings are not."""
    return minimum(ONE - gait.duty, gait.rate * np.float32(plan.swing_seconds))


@inlined
def neutral_foot(body, leg, yaw, sine, cosine, wide):
    """Where a leg's ball stands from the root, x, z [m], and the yaw of its foot; `wide` [m] further out."""
    column = LEG + leg * LEG_WIDTH
    side, ahead = body.size * body.row[column + SIDE], body.size * body.row[column + AHEAD]
    side = side + select(side > ZERO, wide, -wide)
    return ahead * sine + side * cosine, ahead * cosine - side * sine, yaw + body.row[column + YAW]


@inlined
def room_aside(plan, body, gait):
    """How much further out feet stand where the body goes to the side [m], so that they do not cross."""
    half_step = HALF * abs(gait.aside) / maximum(gait.rate, LEAST_RATE)
    narrow = body.size * abs(body.row[LEG + SIDE])
    return minimum(
        maximum(HALF * half_step - narrow + CLOSE * body.size * np.float32(plan.leg_length), ZERO), half_step
    )


@inlined
def swing_seconds_left(feet, at):
    """Return the time [s] until a foot lands; 0 if it stands. feet: columns of `BodyState.feet`."""
    return (ONE - feet[at + SWING]) * feet[at + SECONDS]


@inlined
def horizons(feet, at):
    """Return how far ahead a foot in the air looks [s]: to the middle of its next stance, and for turns, less far."""
    left, rest = swing_seconds_left(feet, at), feet[at + REST]
    return left + rest, left + minimum(rest, FORESEEN)


@inlined
def _led(feet, at, to, is_led, furthest):
    """Where a foot lands that is to land elsewhere, x and z [m], `furthest` from where it was to land at most."""
    x, z = feet[at + TO], feet[at + TO + 1]
    off_x, off_z = to[0] - x, to[1] - z
    square = off_x * off_x + off_z * off_z
    is_far = square > furthest * furthest
    share = select(is_far, furthest / np.sqrt(select(is_far, square, ONE)), ONE)
    new_x, new_z = select(is_far, x + share * off_x, to[0]), select(is_far, z + share * off_z, to[1])
    return select(is_led, new_x, x), select(is_led, new_z, z)


@inlined
def aim_foot(plan, body, leg, root, wide, dt):
    """Lead a foot, if it is in the air, to where it is to stand, beside the root as it will then be.

    root: x, z [m], yaw [rad], its sine and cosine; dt [s], in which a foot that flies is led elsewhere only so far.
    A foot that has just left the ground and would hardly step stays.
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
    # The shorter way round from where the foot stood.
    feet[at + TO + 2] = select(is_led, feet[at + FROM + 2] + turn, feet[at + TO + 2])


@inlined
def lead_feet(plan, body, gait, sine, cosine, dt):
    """Lead the feet in the air, within dt [s], to where the root will be, as fast as it goes and turns now.

    A body that goes onward and swerves a little is not expected to swerve on.
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
