"""Idle movement: bodies at rest shift their weight from leg to leg, and look around. The movement depends only on an
actor's id and on the time. Each actor has its own intervals of time. At the start of an interval, the body moves to the
random pose of the interval, and keeps this pose until the end.
"""

from typing import NamedTuple

import numpy as np

from ecs_anim.body.state import CALM, WEIGHT
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.angles import unit_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.frames import last_eight, move_both, origin_of_both, pair_of, rows_of
from ecs_anim.kernels.grounding_legs import HIP, leg_joint
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import COUNT, FLOATS_2D, GAIT_PLAN, LEGS, LONGS, LOOK_CHAIN, OUT_2D, REAL, void
from ecs_anim.kernels.vectors import about, add, after, along, scaled, subtract, turned
from ecs_anim.simd import combine, gather_each, pointer

ZERO, HALF, ONE, TWO, THREE = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2), np.float32(3)
PART = 2.0**-32  # converts a 32-bit hash to the range from 0 to 1
SHIFT_SEED, GLANCE_SEED, PITCH_SEED = 1, 2, 3
SHIFT_STRETCH, GLANCE_STRETCH = 9.0, 4.0  # [s], mean length of intervals; the lengths vary by a quarter
SHIFT_SECONDS, GLANCE_SECONDS = 1.6, 0.7  # [s], time to reach the pose of an interval
# smallest shift, as a share of the largest shift; share of intervals without a shift
LEAST_SHIFT, BOTH = np.float32(0.4), np.float32(0.2)
ASIDE = np.float32(0.055)  # largest shift of the hips, in leg lengths
ROLL = np.float32(0.075)  # [rad], largest tilt of the hips
UPRIGHT = np.float32(1.25)  # roll of the spine divided by the hips' tilt; above 1, the spine leans to the other side
AHEAD, SLIGHT = np.float32(0.35), np.float32(0.06)  # share of intervals with a gaze ahead, and its largest yaw [rad]
LEAST_YAW, WIDEST_YAW, WIDEST_PITCH = np.float32(0.2), np.float32(0.85), np.float32(0.14)  # [rad]


@helper
def _stretch(seed, name, now, seconds):
    """Return the number of an actor's interval at the time `now` [s], and the time [s] since its start."""
    length = seconds * (0.75 + HALF * hashed(seed, name, 0) * PART)
    at = now / length + 1.0 + hashed(seed, name, 1) * PART
    whole = np.floor(at)
    return int(whole), (at - whole) * length


@inlined
def _drawn(seed, name, number):
    return np.float32(hashed(seed, name, number + 2) * PART)


@inlined
def _between(before, after, since, seconds):
    """Return a value between `before` and `after` with minimum jerk (Flash and Hogan 1985), `since` of `seconds`."""
    t = np.float32(min(since / seconds, 1.0))
    return before + (after - before) * t * t * t * (np.float32(10) - t * (np.float32(15) - np.float32(6) * t))


@helper
def _shift_of(name, number):
    """Return the shift of an actor's weight in an interval, -1 to 1. At 1, the left leg carries the weight."""
    drawn = _drawn(SHIFT_SEED, name, number)
    if drawn < BOTH:
        return ZERO
    size = LEAST_SHIFT + (ONE - LEAST_SHIFT) * (drawn - BOTH) / (ONE - BOTH)
    return size if number & 1 else -size


@helper
def _yaw_of(name, number):
    """Return the yaw [rad] of an actor's gaze to the left in an interval: almost ahead, or clearly to a side."""
    drawn = _drawn(GLANCE_SEED, name, number)
    if drawn < AHEAD:
        return SLIGHT * (TWO * drawn / AHEAD - ONE)
    side = TWO * (drawn - AHEAD) / (ONE - AHEAD) - ONE
    yaw = LEAST_YAW + (WIDEST_YAW - LEAST_YAW) * side * side
    return yaw if side > ZERO else -yaw


@helper
def _poise(name, now):
    """Return an actor's idle pose at time `now` [s]: shift of weight, -1 to 1, and yaw and pitch of the head [rad]."""
    number, since = _stretch(SHIFT_SEED, name, now, SHIFT_STRETCH)
    shift = _between(_shift_of(name, number - 1), _shift_of(name, number), since, SHIFT_SECONDS)
    number, since = _stretch(GLANCE_SEED, name, now, GLANCE_STRETCH)
    yaw = _between(_yaw_of(name, number - 1), _yaw_of(name, number), since, GLANCE_SECONDS)
    before, after = _drawn(PITCH_SEED, name, number - 1), _drawn(PITCH_SEED, name, number)
    pitch = WIDEST_PITCH * (TWO * _between(before, after, since, GLANCE_SECONDS) - ONE)
    return shift, yaw, pitch


@inlined
def _rotation(axis, angle):
    sine, cosine = unit_of(angle)
    return about(axis, sine, cosine)


@inlined
def _after_yaw(m, angle):
    """Return the rotation that first rotates by m, and then by `angle` [rad] to the left."""
    (sine, cosine), x, z = unit_of(angle), m[0:3], m[6:9]
    return (*along(scaled(x, cosine), z, sine), *m[3:6], *along(scaled(z, cosine), x, -sine))


@inlined
def _shift_hips(pair, legs, carried, left, ahead, shift):
    """Move the hips and the upper body sideways over the supporting leg, and tilt the hips."""
    middle = scaled(add(leg_joint(pair, legs, 0, HIP), leg_joint(pair, legs, 1, HIP)), HALF)
    goal = along(middle, left, ASIDE * legs.length[0] * shift)
    move_both(pair, legs.pelvis, 0, carried, _rotation(ahead, ROLL * shift), middle, goal)


@inlined
def _turn_spine(pair, chain, last, left, ahead, poise):
    """Rotate the joints of the `LookChain` from spine to head, which compensate the tilt of the hips and turn towards
    the gaze. All joints have an equal roll, opposite to the tilt. Each joint adds its share of yaw and pitch to the
    joints before it. `left` and `ahead` are unit vectors of the model. `poise` contains the columns of `take_poises` as
    lanes.
    """
    (shift, yaw, pitch, _), total_share = poise, ZERO
    roll = _rotation(ahead, -UPRIGHT * ROLL * shift)
    old_place = new_place = origin_of_both(pair, chain.joints[0])
    for number in range(last + 1):
        total_share += chain.share[number]
        rotation = _after_yaw(after(_rotation(left, total_share * pitch), roll), total_share * yaw)
        next_place = origin_of_both(pair, chain.joints[min(number + 1, last)])  # not used after the last joint
        owned = chain.owned_start[number], chain.owned_start[number + 1]
        move_both(pair, chain.owned, *owned, rotation, old_place, new_place)
        new_place = add(new_place, turned(rotation, subtract(next_place, old_place)))
        old_place = next_place


@inlined
def _sides(plan):
    """Return two unit vectors: the direction to the left of the model, and its forward direction."""
    sine, cosine = sin_cos(plan.facing)
    x, z = np.float32(sine), np.float32(cosine)
    return (z, ZERO, -x), (x, ZERO, z)


@kernel(void(REAL, COUNT, LONGS, REAL, FLOATS_2D, OUT_2D))
def take_poises(strength, leg_count, ids, now, walk, out_poise):
    """Write the idle poses of a chunk's actors at time `now` [s] to out_poise [chunk, 4]: shift of weight, yaw and
    downward pitch of the head [rad], and 1 if the actor has an idle pose, else 0. `strength` is `GaitPlan.poise`.
    `walk` [chunk, WALK_WIDTH] is the array of `BodyState`.
    """
    for actor in range(ids.shape[0]):
        calm, weight = walk[actor, CALM], walk[actor, WEIGHT]
        out_poise[actor, 3] = ONE if strength and calm > ZERO and weight > ZERO else ZERO
        if out_poise[actor, 3] > ZERO:
            calm = np.float32(strength) * weight * calm * calm * (THREE - TWO * calm)
            shift, yaw, pitch = _poise(ids[actor], now)
            shift = shift if leg_count == 2 else ZERO
            out_poise[actor, 0], out_poise[actor, 1], out_poise[actor, 2] = calm * shift, calm * yaw, calm * pitch


class StandAtEase(NamedTuple):
    """Arguments of the stage `stand_at_ease`."""

    blocks: BLOCKS
    plan: GAIT_PLAN
    legs: LEGS
    chain: LOOK_CHAIN  # from the spine to the head; can be empty
    poises: FLOATS_2D  # [chunk, 4], from `take_poises`


@stage(StandAtEase)
def stand_at_ease(own, first, end, frame):
    """Shift the weight of standing actors, and turn their heads. The stage `step_feet` then puts the feet back."""
    legs, chain, poises, (left, ahead) = pointer(own.legs), pointer(own.chain), pointer(own.poises), _sides(own.plan)
    carried, head, last = own.legs.pelvis.shape[0], own.chain.joints.shape[0] - 1, last_eight(first, end)
    for number in range(0, last + 8, 16):
        one, other = rows_of(own.blocks.rows, first, number, last)
        poise = combine(gather_each(poises, one * 4, 0, 4), gather_each(poises, other * 4, 0, 4))
        pair = pair_of(own.blocks.frames, frame, number, last)
        if own.legs.joints.shape[0] == 2:
            _shift_hips(pair, legs, carried, left, ahead, poise[0])
        if head >= 0:
            _turn_spine(pair, chain, head, left, ahead, poise)
