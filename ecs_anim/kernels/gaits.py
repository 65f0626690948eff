"""What a body's speeds ask for: its gait, looked up by speed, and where feet then stand.

Helpers of the kernels that move bodies. `table` and `plan` are a crowd's gait, `walk` the column of `BodyState`, `size`
[m] an actor's scale; phases go from 0 to 1.
"""

import numpy as np

from ecs_anim.body.gait_plan import AHEAD, CENTRE, DUTY, FASTEST, LEG, LEG_WIDTH, RATE, SIDE, SPEEDS, YAW
from ecs_anim.body.state import VX, VZ
from ecs_anim.kernels import inlined

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
PER_SPEED = np.float32((SPEEDS - 1) ** 2 / FASTEST)  # squares of rows of the table in a metre a second
LAST_ROW = np.float32(SPEEDS - 1.001)
LEAST_RATE = np.float32(1e-3)  # cycles a second that anything is divided by
SIDE_PACE = np.float32(2.0)  # by how much faster, in speeds ahead, feet go to the side
CLOSE = np.float32(0.13)  # of the leg's length, between balls, the least when walking to the side


@inlined
def within_one(phase):
    """A phase, 0 to 1."""
    return phase - np.floor(phase)


@inlined
def wrapped(phase):
    """A difference of phases, -1/2 to 1/2."""
    return phase - np.floor(phase + HALF)


@inlined
def row_of(speed):
    """Row of the table of a speed [m/s], and fraction of the next one."""
    at = min(np.sqrt(speed * PER_SPEED), LAST_ROW)
    row = int(at)
    return row, at - np.float32(row)


@inlined
def looked_up(table, at, column):
    row, fraction = at
    return table[row, column] + fraction * (table[row + 1, column] - table[row, column])


@inlined
def middle_of_swing(table, at, leg):
    """Phase of the middle of a leg's swing."""
    return looked_up(table, at, LEG + leg * LEG_WIDTH + CENTRE) + HALF


@inlined
def gait_of(table, plan, walk, actor, size, sine, cosine):
    """What the body's speeds ask for: speeds to the left and ahead [m/s], place in the table, cycles a second, duty."""
    vx, vz = walk[actor, VX], walk[actor, VZ]
    aside, onward, square = vx * cosine - vz * sine, vx * sine + vz * cosine, vx * vx + vz * vz
    speed = np.sqrt(square) * np.float32(plan.unit) / size
    at = row_of(speed)
    pace = speed * (ONE + SIDE_PACE * aside * aside / square) if square > ZERO else ZERO
    return aside, onward, at, looked_up(table, row_of(pace), RATE), looked_up(table, at, DUTY)


@inlined
def swing_rate_of(plan, rate, duty):
    """How much of its swing a foot in the air takes in a second."""
    return max(rate / (ONE - duty), ONE / np.float32(plan.swing_seconds))


@inlined
def swing_share_of(plan, rate, duty):
    """Part of the cycle that a swing takes: less where the cycle is long, as swings are not."""
    return min(ONE - duty, rate * np.float32(plan.swing_seconds))


@inlined
def neutral_foot(table, plan, at, leg, size, yaw, sine, cosine, wide):
    """Where a leg's ball stands from the root, x, z [m], and the yaw of its foot; `wide` [m] further out."""
    column = LEG + leg * LEG_WIDTH
    side = size * looked_up(table, at, column + SIDE)
    ahead = size * looked_up(table, at, column + AHEAD)
    side += wide if side > ZERO else -wide
    return (
        ahead * sine + side * cosine,
        ahead * cosine - side * sine,
        yaw + looked_up(table, at, column + YAW),
    )


@inlined
def room_aside(table, plan, gait, size):
    """How much further out feet stand where the body goes to the side [m], so that they do not cross."""
    aside, _, at, rate, _ = gait
    half_step = HALF * abs(aside) / max(rate, LEAST_RATE)
    narrow = size * abs(looked_up(table, at, LEG + SIDE))
    return min(max(HALF * half_step - narrow + CLOSE * size * np.float32(plan.leg_length), ZERO), half_step)
