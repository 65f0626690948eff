"""Footsteps of bodies: the phase of the gait, the next foot that leaves the ground, and the start of a gait. See
`gaits` for `Walker`, `table`, `plan` and `at`. Each foot in the air stores the progress of its swing, so the foot lands
even if the speed changes. The phase of the gait follows the swinging foot.
"""

import numpy as np

from ecs_anim.body import state as col
from ecs_anim.body.gait_plan import AHEAD, LEG, LEG_WIDTH, SIDE
from ecs_anim.body.state import FOOT_WIDTH
from ecs_anim.kernels import gaits, inlined
from ecs_anim.kernels.angles import turned_by, unit_of
from ecs_anim.kernels.gaits import LEAST_RATE, Gait, within_one, wrapped
from ecs_anim.simd import any_true, broadcast_like, clamp, maximum, minimum, not_nan, select

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
NONE, INFINITY = np.float32(-1), np.float32(np.inf)
# cycles per second and phase for a body that follows its speed: NaN = no wanted value
AS_ASKED = (np.float32(np.nan), np.float32(np.nan))
SHARE_SECONDS = np.float32(0.15)  # [s], time constant of a foot's share of the cycle
# Lengths are in leg lengths.
OFF_PLACE, OFF_YAW = np.float32(0.094), np.float32(0.44)  # and [rad]: largest errors of a foot on the ground
# [s], delay before a correction; the delay is divided by 1 + HASTE x speed
PATIENCE, HASTE = np.float32(0.33), np.float32(4.0)
SETTLED, SET_OFF = np.float32(0.07), np.float32(0.12)  # [m/s]: a slower body stands, a faster body walks
LEAST_SHARE = np.float32(0.2)  # least share of an extra footstep in the cycle
LATE = np.float32(0.25)  # latest lift of a foot before the middle of its swing, as a share of the swing
RESTING = np.float32(0.25)  # [1/s]; in a slower gait, clips advance with time
# [1/s] and cycles per second: rate and highest speed at which the shown phase catches up
CHASE, CHASE_MOST = np.float32(8.0), np.float32(1.2)
JUMP = np.float32(0.1)  # share of a cycle; a larger change of a phase is a jump
LEFT_BEHIND, ASKEW = np.float32(0.54), np.float32(1.5)  # largest distance behind the root; factor on sideways distances
QUICKEST = np.float32(5.0)  # highest number of swings per second
SLOWEST, SOONEST = np.float32(1e-6), np.float32(1e-3)  # [(m/s)^2], [s], least divisors
# [s], time in which the calm of a body grows to 1, and time in which it falls to 0
SETTLING, STIRRING = np.float32(2.0), np.float32(0.6)
GRAVITY, MOST_LEAN = np.float32(9.81), np.float32(0.15)  # [m/s^2]; largest sine of a lean
LEANING = np.float32(0.5)  # [s], time constant of the lean


@inlined
def _lift(feet, at, swing, is_lifted):
    """Begin the swing of a foot in the lanes of `is_lifted`. Store the swing, and the foothold that the foot leaves."""
    feet[at + col.SWING] = select(is_lifted, swing, feet[at + col.SWING])
    feet[at + col.FRESH] = select(is_lifted, ONE, feet[at + col.FRESH])
    for axis in range(3):
        feet[at + col.FROM + axis] = select(is_lifted, feet[at + col.TO + axis], feet[at + col.FROM + axis])


@inlined
def _worst_stand(plan, body, gait, looks):
    """Return the leg with the worst foothold, and the error of this foothold. At 1, the error is at its limit."""
    walk, feet = body.walk, body.feet
    vx, vz = walk[col.VX], walk[col.VZ]
    slack = HALF * np.sqrt(vx * vx + vz * vz) / maximum(gait.rate, LEAST_RATE)
    furthest = OFF_PLACE * body.size * np.float32(plan.leg_length) + slack
    leg_of, worst = broadcast_like(ZERO, vx), broadcast_like(ZERO, vx)
    for leg in range(body.legs):
        to = leg * FOOT_WIDTH + col.TO
        x, z, yaw = gaits.neutral_foot(body, leg, walk[col.FACES], looks[0], looks[1], ZERO)
        x, z = x + (walk[col.X] - feet[to]), z + (walk[col.Z] - feet[to + 1])
        off = maximum(np.sqrt(x * x + z * z) / furthest, abs(turned_by(yaw - feet[to + 2])) / OFF_YAW)
        leg_of = select(off > worst, np.float32(leg), leg_of)
        worst = maximum(worst, off)
    return leg_of, worst


@inlined
def _first_leg(body, is_aside):
    """Return the leg that begins a walk: the rearmost leg or, for sideways walking, the foremost leg."""
    walk, feet = body.walk, body.feet
    leg_of, furthest = broadcast_like(ZERO, walk[col.X]), broadcast_like(-INFINITY, walk[col.X])
    for leg in range(body.legs):
        to = leg * FOOT_WIDTH + col.TO
        behind = (walk[col.X] - feet[to]) * walk[col.VX] + (walk[col.Z] - feet[to + 1]) * walk[col.VZ]
        behind = select(is_aside, -behind, behind)
        leg_of = select(behind > furthest, np.float32(leg), leg_of)
        furthest = maximum(furthest, behind)
    return leg_of


@inlined
def _leg_in_step(body, phase):
    """Return the leg whose swing is nearest to a footstep that begins at `phase`."""
    leg_of, nearest = broadcast_like(ZERO, body.size), broadcast_like(ONE, body.size)
    for leg in range(body.legs):
        off = abs(wrapped(phase + HALF * LEAST_SHARE - gaits.middle_of_swing(body, leg)))
        leg_of = select(off < nearest, np.float32(leg), leg_of)
        nearest = minimum(nearest, off)
    return leg_of


@inlined
def _step_unasked(plan, body, gait, looks, asked, dt):
    """Return the leg of an extra footstep, or -1, and the new value of the column `UNEASY`, for a body with all feet on
    the ground. An extra footstep begins a walk or corrects a bad foothold. `UNEASY` is the time [s] for which a
    foothold has been bad, times its error. `looks` contains sine and cosine of the heading.
    """
    aside, onward, uneasy = gait.aside, gait.onward, body.walk[col.UNEASY]
    speed = np.sqrt(aside * aside + onward * onward) * np.float32(plan.unit) / body.size
    sets_off = (uneasy < ZERO) & (speed > SET_OFF)
    on_stairs = not_nan(body.walk[col.LED])
    is_aside = select(on_stairs, ZERO, abs(aside)) > abs(onward)
    first = _leg_in_step(body, asked) if not_nan(asked) else _first_leg(body, is_aside)
    leg, badly = _worst_stand(plan, body, gait, looks)
    leg = select(on_stairs, first, leg)  # a foremost foot that steps again would stay on its tread
    is_bad, since = badly > ONE, maximum(uneasy, ZERO) + dt * badly
    is_over = is_bad & (since * (ONE + HASTE * speed) >= PATIENCE)
    after = select(is_bad, since, select(speed < SETTLED, -ONE, broadcast_like(ZERO, speed)))
    return select(sets_off, first, select(is_over, leg, NONE)), select(sets_off | is_over, ZERO, after)


@inlined
def _begin_steps(body, leg_of):
    """Begin extra footsteps of the legs `leg_of` (-1 = no step): lift the feet, and set the phase of the gait."""
    walk, feet = body.walk, body.feet
    for leg in range(body.legs):
        at, begins = leg * FOOT_WIDTH, leg_of == np.float32(leg)
        share = maximum(feet[at + col.SHARE], LEAST_SHARE)
        feet[at + col.SHARE] = select(begins, share, feet[at + col.SHARE])
        phase = within_one(gaits.middle_of_swing(body, leg) - walk[col.SIGN] * HALF * share)
        walk[col.PHASE] = select(begins, phase, walk[col.PHASE])
        _lift(feet, at, ZERO, begins)


@inlined
def _advance_swings(plan, body, gait, dt):
    """Advance the swings of all feet in the air by dt. Return the number of these feet, then for the foot that has been
    in the air for the longest time: the progress of its swing, its share of the cycle, and the phase in its middle.
    """
    feet = body.feet
    share, follow = gaits.swing_share_of(plan, gait), minimum(dt / SHARE_SECONDS, ONE)
    step = gaits.swing_rate_of(plan, gait) * dt
    count = furthest = own_share = middle = broadcast_like(ZERO, share)
    for leg in range(body.legs):
        at = leg * FOOT_WIDTH
        feet[at + col.SHARE] = feet[at + col.SHARE] + (share - feet[at + col.SHARE]) * follow
        before = feet[at + col.SWING]
        flies, swing = before < ONE, minimum(before + step, ONE)
        feet[at + col.SWING] = select(flies, swing, before)
        leads = flies & ((count == ZERO) | (swing > furthest))
        furthest, own_share = select(leads, swing, furthest), select(leads, feet[at + col.SHARE], own_share)
        middle = select(leads, gaits.middle_of_swing(body, leg), middle)
        count = count + select(flies, broadcast_like(ONE, share), ZERO)
    return count, furthest, own_share, middle


@inlined
def _advance_phase(plan, body, gait, swings, dt):
    """Advance the gait's phase by dt. The phase follows a single foot in the air, else the rate of the gait."""
    count, furthest, share, middle = swings
    sign = body.walk[col.SIGN]
    by_foot = middle + sign * ((furthest - HALF) * share)
    rate = select(count > ONE, gaits.swing_rate_of(plan, gait) * share, gait.rate)
    body.walk[col.PHASE] = within_one(select(count == ONE, by_foot, body.walk[col.PHASE] + sign * dt * rate))


@inlined
def _lift_feet(body, gait):
    """Lift each foot whose phase of lift-off has come. A biped that walks lifts one foot at a time."""
    walk, feet = body.walk, body.feet
    for leg in range(body.legs):
        at = leg * FOOT_WIDTH
        share = feet[at + col.SHARE]
        along = walk[col.SIGN] * wrapped(walk[col.PHASE] - gaits.middle_of_swing(body, leg))
        lifts = (feet[at + col.SWING] >= ONE) & (along >= -HALF * share) & (along < -LATE * share)
        if body.legs == 2:
            lifts = lifts & ((gait.duty < HALF) | (feet[(1 - leg) * FOOT_WIDTH + col.SWING] >= ONE))
        _lift(feet, at, along / select(lifts, share, ONE) + HALF, lifts)


@inlined
def _clip_phase(body, gait):
    """Return the phase of the clips for the gait's feet. For bipeds, it is linear between landing and lift-off."""
    walk, feet, phase = body.walk, body.feet, body.walk[col.PHASE]
    if body.legs != 2:
        return phase
    first, second = gaits.middle_of_swing(body, 0), gaits.middle_of_swing(body, 1)
    one, other = feet[col.SWING], feet[FOOT_WIDTH + col.SWING]
    clip_half, flies = HALF * (ONE - gait.duty), one < ONE
    swing, own = select(flies, one, other), select(flies, first, second)
    of_swing = own + walk[col.SIGN] * (TWO * swing - ONE) * clip_half

    is_first = within_one(phase - first) < within_one(phase - second)
    middle, length = select(is_first, first, second), within_one(select(is_first, second - first, first - second))
    one_share, other_share = feet[col.SHARE], feet[FOOT_WIDTH + col.SHARE]
    half = HALF * select(is_first, one_share, other_share)
    free = length - half - HALF * select(is_first, other_share, one_share)
    is_there = free > LEAST_RATE
    passed = select(is_there, (within_one(phase - middle) - half) / select(is_there, free, ONE), HALF)
    between = middle + clip_half + minimum(maximum(passed, ZERO), ONE) * (length - TWO * clip_half)

    both, any_swings = flies & (other < ONE), flies | (other < ONE)
    return select(both, phase, select(any_swings, of_swing, between))


@inlined
def _show(plan, body, gait, is_stepping, dt):
    """Write the phase and the mix of clips. The phase follows the gait, or the time while a body stands."""
    walk, wanted, shown = body.walk, _clip_phase(body, gait), body.walk[col.SHOWN]
    moved = wrapped(wanted - walk[col.WANTED])
    moved = select(abs(moved) < JUMP + TWO * gait.rate * dt, moved, ZERO)
    behind = wrapped(wanted - shown - moved)
    moved = moved + clamp(behind * minimum(CHASE * dt, ONE), CHASE_MOST * dt)
    active = select(is_stepping, ONE, minimum(gait.rate / RESTING, ONE))
    walk[col.SHOWN] = within_one(shown + active * moved + (ONE - active) * np.float32(plan.idle_rate) * dt)
    walk[col.WANTED] = within_one(wanted)
    walk[col.LEAN] = walk[col.LEAN] + (_lean(body, gait) - walk[col.LEAN]) * (dt / (dt + LEANING))
    _mix(plan, body, gait)


@inlined
def _mix(plan, body, gait):
    """Write the speeds ahead and to the left that select the mix of clips."""
    walk, aside, onward = body.walk, gait.aside, gait.onward
    scale = np.float32(plan.unit) / body.size
    speed, slow = np.sqrt(aside * aside + onward * onward) * scale, np.float32(plan.walk_speed)
    is_slow = (speed > ZERO) & (speed < slow)
    scale = select(is_slow, scale * np.sqrt(slow / select(is_slow, speed, ONE)), scale)
    walk[col.ASIDE] = scale * aside
    walk[col.ONWARD] = scale * select(plan.reverses, abs(onward), onward)


@inlined
def _lean(body, gait):
    """Return the sine of the angle by which a body leans to the left. A body leans only in long curves."""
    return clamp(gait.onward * body.walk[col.TURN] / GRAVITY, MOST_LEAN)


@inlined
def settled(calm, dt):
    """Return the new calm, 0 to 1, of a body that stands for dt seconds. The calm grows while a body stands."""
    return minimum(calm + dt / SETTLING, ONE)


@inlined
def _settle(walk, dt):
    """Advance the calm of bodies by dt [s]. The calm grows while a body stands, and falls while the body walks."""
    calm = walk[col.CALM]
    walk[col.CALM] = select(walk[col.UNEASY] < ZERO, settled(calm, dt), maximum(calm - dt / STIRRING, ZERO))


@inlined
def _set_times(plan, body, gait):
    """Write the times [s] of a swing and of half a stance for a body. Return whether a foot is in the air."""
    seconds = ONE / gaits.swing_rate_of(plan, gait)
    rest = HALF * (ONE - gaits.swing_share_of(plan, gait)) / maximum(gait.rate, LEAST_RATE)
    least_swing = broadcast_like(ONE, rest)
    for leg in range(body.legs):
        at = leg * FOOT_WIDTH
        body.feet[at + col.SECONDS], body.feet[at + col.REST] = seconds, rest
        least_swing = minimum(least_swing, body.feet[at + col.SWING])
    return least_swing < ONE


@inlined
def _seconds_left(plan, body, gait, leg, looks):
    """Return the time [s] until a foot is almost too far away for its leg. `looks`: sine, cosine of the heading."""
    at, column, (sine, cosine) = leg * FOOT_WIDTH, LEG + leg * LEG_WIDTH, looks
    x, z = body.walk[col.X] - body.feet[at + col.TO], body.walk[col.Z] - body.feet[at + col.TO + 1]
    aside = ASKEW * (x * cosine - z * sine + body.size * body.row[column + SIDE])
    onward = x * sine + z * cosine + body.size * body.row[column + AHEAD]
    to_side, reach = ASKEW * gait.aside, LEFT_BEHIND * body.size * np.float32(plan.leg_length)
    square = maximum(to_side * to_side + gait.onward * gait.onward, SLOWEST)
    along, beyond = aside * to_side + onward * gait.onward, aside * aside + onward * onward - reach * reach
    return maximum((np.sqrt(maximum(along * along - square * beyond, ZERO)) - along) / square, SOONEST)


@inlined
def _rate_needed(plan, body, gait, looks):
    """Return the cycles per second with which each foot lifts before its leg is fully stretched, at the present speed.
    So a body that starts at full speed first makes short and quick footsteps. `looks` contains sine and cosine of the
    heading.
    """
    walk, feet = body.walk, body.feet
    needed = broadcast_like(ZERO, gait.rate)
    for leg in range(body.legs):
        at = leg * FOOT_WIDTH
        late = LATE * feet[at + col.SHARE]
        along = walk[col.SIGN] * wrapped(walk[col.PHASE] - gaits.middle_of_swing(body, leg))
        to_go = maximum(within_one(-late - along) - late, ZERO)
        seconds, on_stairs = _seconds_left(plan, body, gait, leg, looks), feet[at + col.LASTS]
        own = to_go / select(on_stairs < seconds, on_stairs, seconds)
        needed = maximum(needed, select(feet[at + col.SWING] >= ONE, own, ZERO))
    return minimum(needed, QUICKEST * (ONE - gait.duty))


@inlined
def _turn_back(body, gait, stands):
    """Reverse the walking clip for bodies that walk backwards."""
    goes = stands & (abs(gait.onward) > maximum(abs(gait.aside), SETTLED))
    sign = select(gait.onward > ZERO, broadcast_like(ONE, gait.onward), -ONE)
    body.walk[col.SIGN] = select(goes, sign, body.walk[col.SIGN])


@inlined
def advance_gait(table, plan, body, led, dt):
    """Advance a body's gait by dt, after the root and the speeds in `body`. `led` contains the wanted cycles per second
    (NaN: from the speed) and the wanted phase (NaN: any). Without a wanted phase, the cycles can be faster, so that a
    foot lifts before its leg is fully stretched. Writes the times of the feet. Return the gait, and sine and cosine of
    the heading.
    """
    walk, (sine, cosine) = body.walk, unit_of(body.walk[col.FACES])
    gait = gaits.gait_of(table, plan, body, sine, cosine)
    rate, needed = select(not_nan(led[0]), led[0], gait.rate), _rate_needed(plan, body, gait, (sine, cosine))
    rate = select(not_nan(led[0] + led[1]), rate, maximum(rate, needed))
    gait = Gait(gait.aside, gait.onward, rate, gait.duty)
    swings = _advance_swings(plan, body, gait, dt)
    _advance_phase(plan, body, gait, swings, dt)
    stands = swings[0] == ZERO
    if any_true(stands):
        if plan.reverses:
            _turn_back(body, gait, stands)
        leg, uneasy = _step_unasked(plan, body, gait, (sine, cosine), led[1], dt)
        walk[col.UNEASY] = select(stands, uneasy, walk[col.UNEASY])
        leg = select(stands, leg, NONE)
        if any_true(leg >= ZERO):
            _begin_steps(body, leg)
    _lift_feet(body, gait)
    _show(plan, body, gait, _set_times(plan, body, gait), dt)
    _settle(walk, dt)
    return gait, sine, cosine


@inlined
def begin_gait(table, plan, body, phase):
    """Begin the gait of one body at a phase. The feet stand as if the body had always had its present velocity."""
    walk, feet, (sine, cosine) = body.walk, body.feet, unit_of(body.walk[col.FACES])
    walk[col.SIGN], walk[col.PHASE], walk[col.SHOWN] = ONE, phase, phase
    gait = gaits.gait_of(table, plan, body, sine, cosine)
    walk[col.UNEASY] = ZERO if gait.rate > RESTING else -ONE
    walk[col.CALM] = ONE if walk[col.UNEASY] < ZERO else ZERO
    cycle, share = ONE / max(gait.rate, LEAST_RATE), gaits.swing_share_of(plan, gait)
    wide = gaits.room_aside(plan, body, gait)
    for leg in range(body.legs):
        at = leg * FOOT_WIDTH
        since = wrapped(phase - gaits.middle_of_swing(body, leg) - HALF)  # cycles since the middle of the leg's stance
        along = wrapped(since - HALF)
        is_swinging = abs(along) < HALF * share
        feet[at + col.SHARE], feet[at + col.FRESH] = share, ZERO
        feet[at + col.SWING] = along / share + HALF if is_swinging else ONE
        x, z, yaw = gaits.neutral_foot(body, leg, walk[col.FACES], sine, cosine, wide)
        back = (along + HALF) * cycle if is_swinging else since * cycle
        feet[at + col.FROM] = x + walk[col.X] - walk[col.VX] * back
        feet[at + col.FROM + 1] = z + walk[col.Z] - walk[col.VZ] * back
        ahead = cycle if is_swinging else ZERO
        feet[at + col.TO] = feet[at + col.FROM] + walk[col.VX] * ahead
        feet[at + col.TO + 1] = feet[at + col.FROM + 1] + walk[col.VZ] * ahead
        feet[at + col.FROM + 2] = feet[at + col.TO + 2] = yaw
    _set_times(plan, body, gait)
    walk[col.WANTED] = within_one(_clip_phase(body, gait))
    if gait.rate > RESTING:
        walk[col.SHOWN] = walk[col.WANTED]
    _show(plan, body, gait, False, ZERO)
    walk[col.LEAN] = _lean(body, gait)
