"""How a body steps: the phase of its gait, which foot leaves the ground when, and where it comes down.

Helpers of the kernels that move bodies. `walk` [actor, WALK_WIDTH] and `feet` [actor, leg, FOOT_WIDTH] are the columns
of `BodyState`, `table` and `plan` a crowd's gait, `size` [m] an actor's scale. A swing is told by how far it has come,
so that a foot that was lifted lands however the speed changes; the phase follows the foot that swings.
"""

import numpy as np

from ecs_anim.body.state import (
    ASIDE,
    CALM,
    FACES,
    FRESH,
    FROM,
    LEAN,
    ONWARD,
    PHASE,
    REST,
    SECONDS,
    SHARE,
    SHOWN,
    SIGN,
    SWING,
    TO,
    TURN,
    UNEASY,
    VX,
    VZ,
    WANTED,
    X,
    Z,
)
from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.angles import turned_by, unit_of
from ecs_anim.kernels.gaits import (
    LEAST_RATE,
    gait_of,
    middle_of_swing,
    neutral_foot,
    room_aside,
    swing_rate_of,
    swing_share_of,
    within_one,
    wrapped,
)

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
AS_ASKED = (np.float32(np.nan), np.float32(np.nan))  # what leads the gait of a body that nobody leads: its speed
SHARE_SECONDS = np.float32(0.15)  # time constant in which a foot's share of the cycle follows the speed
# Lengths are shares of the leg's.
OFF_PLACE, OFF_YAW = np.float32(0.094), np.float32(0.44)  # and [rad], by which a foot that stands may be off
PATIENCE, HASTE = np.float32(0.33), np.float32(4.0)  # [s] for which it may be; how much less for each m/s
NEAR_PLACE, NEAR_YAW = np.float32(0.03), np.float32(0.15)  # and [rad]: a foot that would step no further stays
SETTLED, SET_OFF = np.float32(0.07), np.float32(0.12)  # [m/s] below which a body stands, above which it sets off
LEAST_SHARE = np.float32(0.2)  # of the cycle that a step takes which the phase has not asked for
LATE = np.float32(0.25)  # of its share before the middle of a swing, after which a foot is not lifted any more
AIMED = np.float32(0.85)  # how far a foot has swung when it is no longer led elsewhere
FORESEEN = np.float32(0.15)  # [s] of a stance to come in which a turn is foreseen
WIDEST_TURN = np.float32(1.0)  # [rad] that is foreseen at most
RESTING = np.float32(0.25)  # cycles a second below which the clips go over to time
CHASE, CHASE_MOST = np.float32(8.0), np.float32(1.2)  # [1/s] and cycles a second at which they come into step again
JUMP = np.float32(0.1)  # of a cycle: a phase that moves by more at once has been put elsewhere
FASTEST = np.float32(1.7)  # of the cadence that the speed asks for, nobody steps faster
BEHIND = np.float32(0.62)  # of a leg's length, how far off a foot stands before its owner hurries
SETTLING, STIRRING = np.float32(2.0), np.float32(0.6)  # [s] in which who stands settles, and is off again
GRAVITY, MOST_LEAN = np.float32(9.81), np.float32(0.15)  # [m/s^2]; sine


@inlined
def horizons(feet, actor, leg):
    """How far ahead a foot in the air looks [s]: to the middle of its next stance; for turns not as far."""
    left, rest = (ONE - feet[actor, leg, SWING]) * feet[actor, leg, SECONDS], feet[actor, leg, REST]
    return left + rest, left + min(rest, FORESEEN)


@inlined
def _lift(feet, actor, leg, swing):
    feet[actor, leg, SWING], feet[actor, leg, FRESH] = swing, ONE
    for axis in range(3):
        feet[actor, leg, FROM + axis] = feet[actor, leg, TO + axis]


@helper
def _worst_stand(table, plan, walk, feet, actor, size, gait, sine, cosine):
    """The leg that stands worst, and how badly: 1 = as far off as it may be, besides half a stride."""
    _, _, at, rate, _ = gait
    vx, vz = walk[actor, VX], walk[actor, VZ]
    slack = HALF * np.sqrt(vx * vx + vz * vz) / max(rate, LEAST_RATE)
    most = OFF_PLACE * size * np.float32(plan.leg_length) + slack
    leg_of, worst = 0, ZERO
    for leg in range(feet.shape[1]):
        x, z, yaw = neutral_foot(table, plan, at, leg, size, walk[actor, FACES], sine, cosine, ZERO)
        x += walk[actor, X] - feet[actor, leg, TO]
        z += walk[actor, Z] - feet[actor, leg, TO + 1]
        off = max(np.sqrt(x * x + z * z) / most, abs(turned_by(yaw - feet[actor, leg, TO + 2])) / OFF_YAW)
        if off > worst:
            leg_of, worst = leg, off
    return leg_of, worst


@helper
def _first_leg(walk, feet, actor, is_aside):
    """The leg that a body sets off with: the one furthest back of where it goes; to the side, furthest ahead."""
    leg_of, most = 0, np.float32(-np.inf)
    for leg in range(feet.shape[1]):
        x, z = walk[actor, X] - feet[actor, leg, TO], walk[actor, Z] - feet[actor, leg, TO + 1]
        behind = x * walk[actor, VX] + z * walk[actor, VZ]
        behind = -behind if is_aside else behind
        if behind > most:
            leg_of, most = leg, behind
    return leg_of


@helper
def _leg_in_step(table, at, legs, phase):
    """The leg whose swing is nearest at a phase from which a step sets off."""
    leg_of, least = 0, ONE
    for leg in range(legs):
        off = abs(wrapped(phase + HALF * LEAST_SHARE - middle_of_swing(table, at, leg)))
        if off < least:
            leg_of, least = leg, off
    return leg_of


@helper
def _step_unasked(table, plan, walk, feet, actor, size, gait, looks, asked, dt):
    """Steps of a body whose feet all stand: the first one of a walk, and those that mend a bad stand.

    `looks`: sine and cosine of what it faces. Returns the leg, -1 = none.
    """
    aside, onward, _, _, _ = gait
    speed = np.sqrt(aside * aside + onward * onward) * np.float32(plan.unit) / size
    if walk[actor, UNEASY] < ZERO and speed > SET_OFF:
        walk[actor, UNEASY] = ZERO
        if not np.isnan(asked):
            return _leg_in_step(table, gait[2], feet.shape[1], asked)
        return _first_leg(walk, feet, actor, abs(aside) > abs(onward))
    leg, badly = _worst_stand(table, plan, walk, feet, actor, size, gait, looks[0], looks[1])
    if badly <= ONE:
        walk[actor, UNEASY] = -ONE if speed < SETTLED else ZERO
        return -1
    walk[actor, UNEASY] = max(walk[actor, UNEASY], ZERO) + dt * badly
    if walk[actor, UNEASY] * (ONE + HASTE * speed) < PATIENCE:
        return -1
    walk[actor, UNEASY] = ZERO
    return leg


@inlined
def _begin_step(table, plan, walk, feet, actor, leg, at):
    """Lift a foot that the phase has not asked for: the phase goes there."""
    feet[actor, leg, SHARE] = max(feet[actor, leg, SHARE], LEAST_SHARE)
    walk[actor, PHASE] = within_one(
        middle_of_swing(table, at, leg) - walk[actor, SIGN] * HALF * feet[actor, leg, SHARE]
    )
    _lift(feet, actor, leg, ZERO)


@inlined
def _advance_swings(plan, feet, actor, gait, dt):
    """Move on the feet in the air. Returns how many these are, and the one that has come furthest."""
    _, _, _, rate, duty = gait
    share, follow = swing_share_of(plan, rate, duty), min(dt / SHARE_SECONDS, ONE)
    step = swing_rate_of(plan, rate, duty) * dt
    swinging, leader = 0, 0
    for leg in range(feet.shape[1]):
        feet[actor, leg, SHARE] += (share - feet[actor, leg, SHARE]) * follow
        if feet[actor, leg, SWING] < ONE:
            feet[actor, leg, SWING] = min(feet[actor, leg, SWING] + step, ONE)
            if swinging == 0 or feet[actor, leg, SWING] > feet[actor, leader, SWING]:
                leader = leg
            swinging += 1
    return swinging, leader


@inlined
def _advance_phase(table, plan, walk, feet, actor, gait, swinging, leader, dt):
    """Move the phase on: with the foot that swings, else as the speed asks."""
    _, _, at, rate, duty = gait
    sign = walk[actor, SIGN]
    if swinging == 1:
        along = (feet[actor, leader, SWING] - HALF) * feet[actor, leader, SHARE]
        phase = middle_of_swing(table, at, leader) + sign * along
    else:
        share = feet[actor, leader, SHARE] if swinging > 1 else ONE
        phase = walk[actor, PHASE] + sign * dt * (swing_rate_of(plan, rate, duty) * share if swinging > 1 else rate)
    walk[actor, PHASE] = within_one(phase)


@inlined
def _lift_feet(table, plan, walk, feet, actor, gait):
    """Lift the feet whose time has come; a biped that walks has one in the air at a time."""
    _, _, at, _, duty = gait
    for leg in range(feet.shape[1]):
        if feet[actor, leg, SWING] < ONE:
            continue
        along = walk[actor, SIGN] * wrapped(walk[actor, PHASE] - middle_of_swing(table, at, leg))
        share = feet[actor, leg, SHARE]
        if not -HALF * share <= along < -LATE * share:
            continue
        if feet.shape[1] != 2 or duty < HALF or feet[actor, 1 - leg, SWING] >= ONE:
            _lift(feet, actor, leg, along / share + HALF)


@inlined
def _clip_phase(table, plan, walk, feet, actor, gait):
    """Phase at which the clips' feet do what the gait's do: of a biped linear between their landing and leaving."""
    _, _, at, _, duty = gait
    phase, clip_half = walk[actor, PHASE], HALF * (ONE - duty)
    if feet.shape[1] != 2 or (feet[actor, 0, SWING] < ONE and feet[actor, 1, SWING] < ONE):
        return phase
    for leg in range(2):
        if feet[actor, leg, SWING] < ONE:
            return (
                middle_of_swing(table, at, leg) + walk[actor, SIGN] * (TWO * feet[actor, leg, SWING] - ONE) * clip_half
            )
    first, second = middle_of_swing(table, at, 0), middle_of_swing(table, at, 1)
    before = 0 if within_one(phase - first) < within_one(phase - second) else 1
    middle, other = (first, second) if before == 0 else (second, first)
    length, half = within_one(other - middle), HALF * feet[actor, before, SHARE]
    free = length - half - HALF * feet[actor, 1 - before, SHARE]
    passed = (within_one(phase - middle) - half) / free if free > LEAST_RATE else HALF
    return middle + clip_half + min(max(passed, ZERO), ONE) * (length - TWO * clip_half)


@inlined
def _show(table, plan, walk, feet, actor, size, gait, is_stepping, dt):
    """What the clips are to show: their phase follows the gait's, or time where the body stands; and their mix."""
    aside, onward, _, rate, _ = gait
    wanted, shown = _clip_phase(table, plan, walk, feet, actor, gait), walk[actor, SHOWN]
    moved = wrapped(wanted - walk[actor, WANTED])
    moved = moved if abs(moved) < JUMP + TWO * rate * dt else ZERO
    behind, most = wrapped(wanted - shown - moved), CHASE_MOST * dt
    moved += min(max(behind * min(CHASE * dt, ONE), -most), most)
    active = ONE if is_stepping else min(rate / RESTING, ONE)
    walk[actor, SHOWN] = within_one(shown + active * moved + (ONE - active) * np.float32(plan.idle_rate) * dt)
    walk[actor, WANTED] = within_one(wanted)
    scale = np.float32(plan.unit) / size
    speed, slow = np.sqrt(aside * aside + onward * onward) * scale, np.float32(plan.walk_speed)
    if ZERO < speed < slow:
        scale *= np.sqrt(slow / speed)
    walk[actor, ASIDE] = scale * aside
    walk[actor, ONWARD] = scale * (abs(onward) if plan.reverses else onward)
    walk[actor, LEAN] = min(max(onward * walk[actor, TURN] / GRAVITY, -MOST_LEAN), MOST_LEAN)


@inlined
def settled(calm, dt):
    """How far one who stands has settled, dt later."""
    return min(calm + dt / SETTLING, ONE)


@inlined
def _settle(walk, actor, dt):
    """Settle where the body stands; who goes does so with their mind on it."""
    calm = walk[actor, CALM]
    walk[actor, CALM] = settled(calm, dt) if walk[actor, UNEASY] < ZERO else max(calm - dt / STIRRING, ZERO)


@inlined
def _set_times(plan, feet, actor, leg, rate, duty):
    """How long swings take at these speeds, and half of what comes between."""
    feet[actor, leg, SECONDS] = ONE / swing_rate_of(plan, rate, duty)
    feet[actor, leg, REST] = HALF * (ONE - swing_share_of(plan, rate, duty)) / max(rate, LEAST_RATE)


@inlined
def _furthest(walk, feet, actor):
    """How far [m] the foot that stands furthest off is from the root."""
    most = ZERO
    for leg in range(feet.shape[1]):
        x, z = walk[actor, X] - feet[actor, leg, TO], walk[actor, Z] - feet[actor, leg, TO + 1]
        most = max(most, x * x + z * z if feet[actor, leg, SWING] >= ONE else ZERO)
    return np.sqrt(most)


@inlined
def advance_gait(table, plan, walk, feet, actor, size, led, dt):
    """Advance a body's gait by dt, whose root and speeds are where they now are; feet get their times.

    `led`: the cycles a second at which it goes on, NaN = as the speed asks; and the phase at which it should be, NaN =
    any.

    Returns the gait, and sine and cosine of what the body faces.
    """
    sine, cosine = unit_of(walk[actor, FACES])
    aside, onward, at, rate, duty = gait_of(table, plan, walk, actor, size, sine, cosine)
    hurried = FASTEST * rate
    rate = rate if np.isnan(led[0]) else led[0]
    if _furthest(walk, feet, actor) > BEHIND * size * np.float32(plan.leg_length):
        rate = max(rate, hurried)
    gait = aside, onward, at, rate, duty
    swinging, leader = _advance_swings(plan, feet, actor, gait, dt)
    _advance_phase(table, plan, walk, feet, actor, gait, swinging, leader, dt)
    if swinging == 0:
        if plan.reverses and abs(onward) > max(abs(aside), SETTLED):
            walk[actor, SIGN] = ONE if onward > ZERO else -ONE
        leg = _step_unasked(table, plan, walk, feet, actor, size, gait, (sine, cosine), led[1], dt)
        if leg >= 0:
            _begin_step(table, plan, walk, feet, actor, leg, at)
    _lift_feet(table, plan, walk, feet, actor, gait)
    is_stepping = False
    for leg in range(feet.shape[1]):
        _set_times(plan, feet, actor, leg, rate, duty)
        is_stepping = is_stepping or feet[actor, leg, SWING] < ONE
    _show(table, plan, walk, feet, actor, size, gait, is_stepping, dt)
    _settle(walk, actor, dt)
    return gait, sine, cosine


@inlined
def aim_foot(table, plan, feet, actor, leg, size, at, root, wide):
    """Lead a foot in the air to where it is to stand, beside the root [x, z, yaw, sine, cosine] as it will then be.

    A foot that has just left the ground and would hardly step stays.
    """
    x, z, yaw, sine, cosine = root
    stand_x, stand_z, stand_yaw = neutral_foot(table, plan, at, leg, size, yaw, sine, cosine, wide)
    stand_x, stand_z = stand_x + x, stand_z + z
    if feet[actor, leg, FRESH] > ZERO:
        feet[actor, leg, FRESH] = ZERO
        off_x, off_z = stand_x - feet[actor, leg, FROM], stand_z - feet[actor, leg, FROM + 1]
        near, off_yaw = (
            NEAR_PLACE * size * np.float32(plan.leg_length),
            turned_by(stand_yaw - feet[actor, leg, FROM + 2]),
        )
        if off_x * off_x + off_z * off_z < near * near and abs(off_yaw) < NEAR_YAW:
            feet[actor, leg, SWING] = ONE
            return
    if feet[actor, leg, SWING] < AIMED:
        feet[actor, leg, TO], feet[actor, leg, TO + 1] = stand_x, stand_z
        # The shorter way round from where the foot stood.
        feet[actor, leg, TO + 2] = feet[actor, leg, FROM + 2] + turned_by(stand_yaw - feet[actor, leg, FROM + 2])


@inlined
def lead_feet(table, plan, walk, feet, actor, size, gait, sine, cosine):
    """Lead the feet in the air to where the root will be, as fast as it goes and turns now.

    Who goes onward and swerves a little is not taken to swerve on.
    """
    aside, onward, at, _, _ = gait
    wide, both = room_aside(table, plan, gait, size), abs(aside) + abs(onward)
    lasting = aside * abs(aside) / both if both > ZERO else ZERO
    vx, vz = onward * sine + lasting * cosine, onward * cosine - lasting * sine
    for leg in range(feet.shape[1]):
        if feet[actor, leg, SWING] >= ONE:
            continue
        later, turn_later = horizons(feet, actor, leg)
        turn = min(max(walk[actor, TURN] * turn_later, -WIDEST_TURN), WIDEST_TURN)
        half_sine, half_cosine = unit_of(HALF * turn)
        go_x, go_z = vx * later, vz * later
        x = walk[actor, X] + go_x * half_cosine + go_z * half_sine
        z = walk[actor, Z] + go_z * half_cosine - go_x * half_sine
        turn_sine, turn_cosine = unit_of(turn)
        new_sine, new_cosine = sine * turn_cosine + cosine * turn_sine, cosine * turn_cosine - sine * turn_sine
        root = (x, z, walk[actor, FACES] + turn, new_sine, new_cosine)
        aim_foot(table, plan, feet, actor, leg, size, at, root, wide)


@inlined
def begin_gait(table, plan, walk, feet, actor, size, phase):
    """Begin anew at a phase, as if the body had always gone as it now does."""
    sine, cosine = unit_of(walk[actor, FACES])
    walk[actor, SIGN] = ONE
    walk[actor, PHASE] = walk[actor, SHOWN] = phase
    gait = gait_of(table, plan, walk, actor, size, sine, cosine)
    _, _, at, rate, duty = gait
    walk[actor, UNEASY] = ZERO if rate > RESTING else -ONE
    walk[actor, CALM] = ONE if walk[actor, UNEASY] < ZERO else ZERO
    cycle, share = ONE / max(rate, LEAST_RATE), swing_share_of(plan, rate, duty)
    wide = room_aside(table, plan, gait, size)
    for leg in range(feet.shape[1]):
        since = wrapped(phase - middle_of_swing(table, at, leg) - HALF)  # cycles since the middle of its stance
        along = wrapped(since - HALF)
        is_swinging = abs(along) < HALF * share
        feet[actor, leg, SHARE], feet[actor, leg, FRESH] = share, ZERO
        _set_times(plan, feet, actor, leg, rate, duty)
        feet[actor, leg, SWING] = along / share + HALF if is_swinging else ONE
        x, z, yaw = neutral_foot(table, plan, at, leg, size, walk[actor, FACES], sine, cosine, wide)
        back = (along + HALF) * cycle if is_swinging else since * cycle
        feet[actor, leg, FROM] = x + walk[actor, X] - walk[actor, VX] * back
        feet[actor, leg, FROM + 1] = z + walk[actor, Z] - walk[actor, VZ] * back
        feet[actor, leg, FROM + 2] = yaw
        ahead = cycle if is_swinging else ZERO
        feet[actor, leg, TO] = feet[actor, leg, FROM] + walk[actor, VX] * ahead
        feet[actor, leg, TO + 1] = feet[actor, leg, FROM + 1] + walk[actor, VZ] * ahead
        feet[actor, leg, TO + 2] = yaw
    walk[actor, WANTED] = within_one(_clip_phase(table, plan, walk, feet, actor, gait))
    if rate > RESTING:
        walk[actor, SHOWN] = walk[actor, WANTED]
    _show(table, plan, walk, feet, actor, size, gait, False, ZERO)
