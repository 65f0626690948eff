"""Footholds on stairs: each foot of a walking body lands on one tread. The bodies have aimed their feet as on flat
ground. Near a flight, the kernel moves each foothold to the tread after the tread of the other foot. Positions `s` are
measured uphill along the flight, see `ecs_anim.body.treads`.
"""

import numpy as np

from ecs_anim.body.movers import PATH
from ecs_anim.body.state import FROM, FROM_HEIGHT, LASTS, LED, SECONDS, SWING, TO, TO_HEIGHT, VX, VZ
from ecs_anim.body.treads import BASE, FOOT_X, FOOT_Z, GOING, HALF, RISER, RISERS, UP_X, UP_Z
from ecs_anim.ik.legs import BALL, HEEL
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.types import BODY, FLOATS, FLOATS_3D, INTS, PLACEMENT, REAL, TREADS, void

ZERO, HALF_OF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
UNKNOWN = np.float32(np.nan)
# Length of a shoe behind the ball and in front of the ball, as shares of the distance from heel to ball.
BACK, FRONT = np.float32(1.32), np.float32(0.30)
BREADTH = np.float32(0.05)  # [m], half of the width of a shoe
CLEAR = np.float32(0.004)  # [m], least distance between a shoe and a riser
NEAR = np.float32(0.9)  # [m]; a flight affects bodies at most this far from its ends
ASIDE = np.float32(0.3)  # [m]; a flight affects bodies at most this far beside it
MARGIN = np.float32(0.01)  # [m], larger than the rounding errors of distances to flights
FAR = np.float32(np.inf)
ABOVE = np.float32(1.0)  # [m], largest distance between a root and the slope of its flight
OTHER_STOREY = ABOVE + np.float32(0.1)  # [m]; a root this far below or above a flight is on another storey
WALKS = np.float32(0.12)  # [m/s], least speed along a flight of a body that takes one step for each tread
DECIDED = np.float32(0.1)  # share of a swing; after it, the tread of a foothold is fixed
STARTED = np.float32(0.3)  # share of a swing; a quick swing can begin after DECIDED, but not after STARTED
REACHES = np.float32(0.35)  # share of the next tread that a foothold must reach
STEPS_UP = np.float32(0.65)  # a foothold less than STEPS_UP - REACHES treads before the first riser moves to tread 0
# In leg lengths: height of the hip of a standing body above the ankle, greatest downward movement of the pelvis in a
# step, and greatest extension of a leg.
STANDS_AT, LOWERS, EXTENDS = np.float32(0.975), np.float32(0.11), np.float32(0.99)
LOWEST = np.float32(0.14)  # [leg lengths], greatest downward movement of the pelvis in a stance
ANKLE = np.float32(0.3)  # distance from the middle of a shoe to the ankle, as a share of the distance from heel to ball
STANCE = np.float32(1.5)  # least time of a stance beside the other foot on a tread, relative to the time of a swing
SAME = np.float32(0.06)  # [m]; a standing body makes no shorter step
# The cadence follows the going. Largest part of the cadence that corrects the root's position between the feet, and the
# part for an error of one tread.
CORRECTS, GAIN = np.float32(0.3), np.float32(0.7)
# Distances from the lower end and from the upper end of a flight up to which the cadence follows the going, in treads.
BELOW_FOOT, BEYOND_TOP = ONE, TWO
SLOWEST = np.float32(0.15)  # [m/s], least speed along a flight at which the cadence follows the going
SOON = np.float32(0.25)  # [s], time for which the slope below the root is predicted
LEAST_SQUARE, SOONEST = np.float32(1e-6), np.float32(1e-3)  # [(m/s)^2], divisor; [s], least time until a foot lifts


@inlined
def _beyond(u):
    """Return the mean value of max(x, 0) over the interval from u - 1 to u + 1."""
    part = min(max(u + ONE, ZERO), TWO)
    return HALF_OF * HALF_OF * part * part + max(u - ONE, ZERO)


@inlined
def _slope(own, s):
    """Return the height [m] of the slope through the treads' middles, rounded at its ends over one tread."""
    u = s / own[GOING] + HALF_OF
    return own[BASE] + own[RISER] * (_beyond(u) - _beyond(u - own[RISERS]))


@inlined
def _along(own, x, z):
    """Return the position of a point along a flight [m], and its distance [m] from the flight's middle line."""
    x, z = x - own[FOOT_X], z - own[FOOT_Z]
    return x * own[UP_X] + z * own[UP_Z], x * own[UP_Z] - z * own[UP_X]


@helper
def _box_around(flights):
    """Return the least and the greatest x and z [m] of the places that are near any flight."""
    low_x = low_z = FAR
    high_x = high_z = -FAR
    for number in range(flights.shape[0]):
        own = flights[number]
        middle = HALF_OF * (own[RISERS] - ONE) * own[GOING]
        along, aside = middle + NEAR + MARGIN, own[HALF] + ASIDE + MARGIN
        x, z = own[FOOT_X] + middle * own[UP_X], own[FOOT_Z] + middle * own[UP_Z]
        wide = along * abs(own[UP_X]) + aside * abs(own[UP_Z])
        deep = along * abs(own[UP_Z]) + aside * abs(own[UP_X])
        low_x, high_x = min(low_x, x - wide), max(high_x, x + wide)
        low_z, high_z = min(low_z, z - deep), max(high_z, z + deep)
    return low_x, high_x, low_z, high_z


@helper
def _flight_near(flights, x, y, z):
    """Return the flight at x, y, z [m], or -1. `y` is the height of the ground below the root."""
    best, nearest = -1, ABOVE
    for number in range(flights.shape[0]):
        own = flights[number]
        up = y - own[BASE]
        if up < -OTHER_STOREY or up > own[RISERS] * own[RISER] + OTHER_STOREY:
            continue  # faster than the tests below
        s, aside = _along(own, x, z)
        length = (own[RISERS] - ONE) * own[GOING]
        if abs(aside) > own[HALF] + ASIDE or s < -NEAR or s > length + NEAR:
            continue
        away = abs(y - _slope(own, s))
        if away < nearest:
            best, nearest = number, away
    return best


@inlined
def _shoe(own, yaw, length):
    """Return the distances [m] along a flight from the shoe's middle to its ball, and to its end."""
    sine, cosine = sin_cos(yaw)
    along = np.float32(sine) * own[UP_X] + np.float32(cosine) * own[UP_Z]
    across = np.float32(np.sqrt(max(ONE - along * along, ZERO)))
    half = HALF_OF * (BACK + FRONT) * length * abs(along) + BREADTH * across
    return along * length * HALF_OF * (BACK - FRONT), half


@inlined
def _tread_at(own, s):
    """Return the number of the tread at a position."""
    return min(max(np.floor(s / own[GOING]), -ONE), own[RISERS] - ONE)


@inlined
def _height_of(own, tread):
    return own[BASE] + (tread + ONE) * own[RISER]


@inlined
def _next_tread(own, s, other, way):
    """Return the tread on which a foot at the position `s` lands. `other` is the tread of the other foot. `way` is 1
    uphill, -1 downhill, and 0 for a standing body.
    """
    own_tread = _tread_at(own, s)
    if way == ZERO:
        return min(max(own_tread, other - ONE), other + ONE)
    further = (s / own[GOING] - HALF_OF - other) * way
    if way > ZERO and other == -ONE:
        further = s / own[GOING] + STEPS_UP  # a foot near the first riser steps up
    if way < ZERO and other == own[RISERS] - ONE:
        further = (s / own[GOING] - HALF_OF - other) * way - HALF_OF  # a foot near the last nosing stays on the floor
    following = min(max(other + way, -ONE), own[RISERS] - ONE)
    return following if further > REACHES else other


@inlined
def _on_tread(own, s, tread, half):
    """Return the position nearest to `s` at which the shoe touches no riser. It can protrude over the tread's edge."""
    low, high = tread * own[GOING] + half, (tread + ONE) * own[GOING] - half - CLEAR
    if tread < ZERO:
        return min(s, high)
    return max(s, low) if tread > own[RISERS] - np.float32(1.5) else min(max(s, low), high)


@inlined
def _is_reached(own, s, tread, root, leg_length):
    """Return whether a leg reaches an ankle position `s` on a tread below, with the root at the position `root`."""
    above = _slope(own, root) - _height_of(own, tread) + (STANDS_AT - LOWERS) * leg_length
    away, longest = s - root, EXTENDS * leg_length
    return above <= ZERO or above * above + away * away <= longest * longest


@inlined
def _seconds_left(own, along, height, leg_length, root):
    """Return the time [s] until the leg of a foot at the position `along` and the height `height` [m] is fully
    stretched, at the present speed of the root. `root` contains the position [m] and the speed [m/s] of the root along
    the flight.
    """
    s, speed = root
    behind = s - along
    above = _slope(own, s) - height + (STANDS_AT - LOWEST) * leg_length
    rise = _slope(own, s + speed * SOON) / SOON - _slope(own, s) / SOON
    square, forward = speed * speed + rise * rise, behind * speed + above * rise
    beyond = behind * behind + above * above - EXTENDS * EXTENDS * leg_length * leg_length
    return (np.sqrt(max(forward * forward - square * beyond, ZERO)) - forward) / max(square, LEAST_SQUARE)


@helper
def _step(own, feet, leg, other, lengths, way, root):
    """Move the foothold of one foot to a tread, and store the heights of its two footholds. `lengths` [m] are the
    distance from heel to ball, and the leg's length. `root` contains the position [m] and the speed [m/s] of the root
    along the flight.
    """
    length, leg_length = lengths
    foot = feet[leg]
    ball, half = _shoe(own, foot[TO + 2], length)
    s = _along(own, foot[TO], foot[TO + 1])[0] - ball
    if foot[SWING] >= ONE:
        foot[TO_HEIGHT] = foot[FROM_HEIGHT] = _height_of(own, _tread_at(own, s))
        return
    from_ball, _ = _shoe(own, foot[FROM + 2], length)
    before = _along(own, foot[FROM], foot[FROM + 1])[0] - from_ball
    foot[FROM_HEIGHT] = _height_of(own, _tread_at(own, before))
    stays = abs(foot[TO_HEIGHT] - foot[FROM_HEIGHT]) < HALF_OF * own[RISER]
    if foot[SWING] < (STARTED if stays else DECIDED) or np.isnan(foot[TO_HEIGHT]):
        other_ball, _ = _shoe(own, feet[other, TO + 2], length)
        stands = _tread_at(own, _along(own, feet[other, TO], feet[other, TO + 1])[0] - other_ball)
        tread = _next_tread(own, s, stands, way)
        landing = root[0] + root[1] * (ONE - foot[SWING]) * foot[SECONDS]
        ankle = _on_tread(own, s, tread, half) - way * ANKLE * length
        if tread < stands and not _is_reached(own, ankle, tread, landing, leg_length):
            tread = stands
        if way > ZERO and tread == stands and ZERO <= stands < own[RISERS] - ONE:
            # a foot beside the other foot must stand until the other foot has made a step
            along, height = _on_tread(own, s, tread, half) + ball, _height_of(own, tread)
            if _seconds_left(own, along, height, leg_length, (landing, root[1])) < STANCE * foot[SECONDS]:
                tread += ONE
    else:
        tread = np.round((foot[TO_HEIGHT] - own[BASE]) / own[RISER]) - ONE
    new_s = _on_tread(own, s, tread, half)
    foot[TO] += (new_s - s) * own[UP_X]
    foot[TO + 1] += (new_s - s) * own[UP_Z]
    foot[TO_HEIGHT] = _height_of(own, tread)
    if way == ZERO and foot[SWING] < DECIDED and abs(new_s - before) < SAME:
        foot[SWING], foot[TO_HEIGHT] = ONE, foot[FROM_HEIGHT]
        for axis in range(3):
            foot[TO + axis] = foot[FROM + axis]


@helper
def _cadence(own, walk, feet, s, length, way):
    """Return the cycles per second of a body that makes one footstep for each tread, or NaN. In the middle of a swing,
    the root must be above the foot that stands. A root that is ahead of this movement increases the result.
    """
    speed = abs(walk[VX] * own[UP_X] + walk[VZ] * own[UP_Z])
    across = abs(walk[VX] * own[UP_Z] - walk[VZ] * own[UP_X])
    is_near = -BELOW_FOOT < s / own[GOING] < own[RISERS] - ONE + BEYOND_TOP
    if speed < max(SLOWEST, across) or not is_near or feet.shape[0] != 2:
        return UNKNOWN
    rate = speed / (TWO * own[GOING])
    for leg in range(2):
        if feet[leg, SWING] < ONE and feet[1 - leg, SWING] >= ONE:
            ball, _ = _shoe(own, feet[1 - leg, TO + 2], length)
            stands = _along(own, feet[1 - leg, TO], feet[1 - leg, TO + 1])[0] - ball
            ahead = (s - stands) * way - speed * feet[leg, SECONDS] * (feet[leg, SWING] - HALF_OF)
            return rate * (ONE + min(max(GAIN * ahead / own[GOING], -CORRECTS), CORRECTS))
    return rate


@helper
def _forget(walk, feet):
    """Remove the heights of the footholds of a body that is not near a flight."""
    walk[LED] = UNKNOWN
    for leg in range(feet.shape[0]):
        feet[leg, FROM_HEIGHT] = feet[leg, TO_HEIGHT] = feet[leg, LASTS] = UNKNOWN


@kernel(void(TREADS, REAL, FLOATS_3D, FLOATS, INTS, PLACEMENT, BODY))
def step_on_treads(treads, floor, contacts, lengths, kind, placement, bodies):
    """Move the footholds of a chunk of bodies to `treads`, and the roots to the slopes of flights. `floor` [m] is the
    height of roots above the ground. `contacts` and `lengths` are columns of `LegArrays`. `kind` [chunk] states what
    moves each root. Writes the heights in the `Placement`, and the footholds, their heights and the cadence in the
    `BodyState`. Bodies on recorded paths do not change.
    """
    flights, translation, scale, floor = treads.flight, placement.translation, placement.scale, np.float32(floor)
    low_x, high_x, low_z, high_z = _box_around(flights)
    for actor in range(kind.shape[0]):
        walk, feet = bodies.walk[actor], bodies.feet[actor]
        x, z = translation[actor, 0], translation[actor, 2]
        number = -1
        if kind[actor] != PATH and low_x <= x <= high_x and low_z <= z <= high_z:
            number = _flight_near(flights, x, translation[actor, 1] - floor, z)
        if number < 0:
            if not np.isnan(walk[LED]) or not np.isnan(feet[0, TO_HEIGHT]):
                _forget(walk, feet)
            continue
        own = flights[number]
        s, _ = _along(own, x, z)
        translation[actor, 1] = _slope(own, s) + floor
        sole = contacts[0, BALL] - contacts[0, HEEL]
        length = np.float32(np.sqrt(np.sum(sole * sole))) * scale[actor]
        leg_length = lengths[0] * scale[actor]
        speed = walk[VX] * own[UP_X] + walk[VZ] * own[UP_Z]
        way = (ONE if speed > ZERO else -ONE) if abs(speed) > WALKS else ZERO
        for leg in range(feet.shape[0]):
            _step(own, feet, leg, (leg + 1) % feet.shape[0], (length, leg_length), way, (s, speed))
            stands, _ = _along(own, feet[leg, TO], feet[leg, TO + 1])
            seconds = max(_seconds_left(own, stands, feet[leg, TO_HEIGHT], leg_length, (s, speed)), SOONEST)
            feet[leg, LASTS] = UNKNOWN if way == ZERO else seconds
        walk[LED] = _cadence(own, walk, feet, s, length, way)
