"""Bodies that stand shift their weight from leg to leg, and look about: a function of who they are, and of the time.

An actor's time is cut into stretches, a little longer or shorter than others'; for each of them a pose is drawn, which
they take up as it begins and then hold.
"""

from typing import NamedTuple

import numpy as np

from ecs_anim.body.state import CALM, WEIGHT
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.angles import unit_of
from ecs_anim.kernels.blocks import lanes_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.frames import frame_origin, move_frames
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import COUNT, FLOATS_2D, GAIT_PLAN, LEGS, LONGS, LOOK_CHAIN, OUT_2D, REAL, void
from ecs_anim.kernels.vectors import about, add, after, along, scaled, subtract, turned
from ecs_anim.simd import gather4, pointer, rows_at

ZERO, HALF, ONE, TWO, THREE = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2), np.float32(3)
PART = 2.0**-32  # of 1, that a hash of 32 bits counts
SHIFT_SEED, GLANCE_SEED, PITCH_SEED = 1, 2, 3
SHIFT_STRETCH, GLANCE_STRETCH = 9.0, 4.0  # [s], for a quarter less or more
SHIFT_SECONDS, GLANCE_SECONDS = 1.6, 0.7  # in which a pose is taken up
LEAST_SHIFT, BOTH = np.float32(0.4), np.float32(0.2)  # of the widest shift; how often both legs carry as much
ASIDE, ROLL = np.float32(0.055), np.float32(0.075)  # lengths of a leg, and sine, that the hips shift and tilt at most
UPRIGHT = np.float32(1.25)  # of the hips' tilt, that the spine bends back
AHEAD, SLIGHT = np.float32(0.35), np.float32(0.06)  # how often people look ahead, and then past it by [rad] at most
LEAST_YAW, WIDEST_YAW, WIDEST_PITCH = np.float32(0.2), np.float32(0.85), np.float32(0.14)  # [rad]


@helper
def _stretch(seed, name, now, seconds):
    """Which of an actor's stretches of time it is, and how far it has gone [s]."""
    length = seconds * (0.75 + HALF * hashed(seed, name, 0) * PART)
    at = now / length + 1.0 + hashed(seed, name, 1) * PART
    whole = np.floor(at)
    return int(whole), (at - whole) * length


@inlined
def _drawn(seed, name, number):
    """A number from 0 to 1 of a stretch."""
    return np.float32(hashed(seed, name, number + 2) * PART)


@inlined
def _between(before, after, since, seconds):
    """A pose on its way to another one (Flash and Hogan 1985)."""
    t = np.float32(min(since / seconds, 1.0))
    return before + (after - before) * t * t * t * (np.float32(10) - t * (np.float32(15) - np.float32(6) * t))


@helper
def _shift_of(name, number):
    """To which leg the weight goes, and how far: -1 to 1, the left being 1."""
    drawn = _drawn(SHIFT_SEED, name, number)
    if drawn < BOTH:
        return ZERO
    size = LEAST_SHIFT + (ONE - LEAST_SHIFT) * (drawn - BOTH) / (ONE - BOTH)
    return size if number & 1 else -size


@helper
def _yaw_of(name, number):
    """Where to look, to the left [rad]: ahead, or to one side and seldom far."""
    drawn = _drawn(GLANCE_SEED, name, number)
    if drawn < AHEAD:
        return SLIGHT * (TWO * drawn / AHEAD - ONE)
    side = TWO * (drawn - AHEAD) / (ONE - AHEAD) - ONE
    yaw = LEAST_YAW + (WIDEST_YAW - LEAST_YAW) * side * side
    return yaw if side > ZERO else -yaw


@helper
def _poise(name, now):
    """How far the weight is shifted, -1 to 1, and where the head is turned [rad], of an actor at a time [s]."""
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
    """A rotation, then a turn to the left [rad]."""
    sine, cosine = unit_of(angle)
    return (
        cosine * m[0] + sine * m[6],
        cosine * m[1] + sine * m[7],
        cosine * m[2] + sine * m[8],
        m[3],
        m[4],
        m[5],
        cosine * m[6] - sine * m[0],
        cosine * m[7] - sine * m[1],
        cosine * m[8] - sine * m[2],
    )


@inlined
def _shift_hips(frames, legs, pelvis, left, ahead, shift):
    """Carry all above the feet to the side of the leg that stands; the other hip sinks."""
    joints, lengths, _ = legs
    middle = scaled(add(frame_origin(frames, joints[0]), frame_origin(frames, joints[4])), HALF)
    goal = along(middle, left, ASIDE * lengths[0] * shift)
    move_frames(frames, pelvis[0], 0, pelvis[1], _rotation(ahead, ROLL * shift), middle, goal)


@inlined
def _bend_back(frames, chain, left, ahead, shift, yaw, pitch):
    """Hold the spine upright over tilted hips, and turn neck and head."""
    joints, shares, owned, start, last = chain
    upright = _rotation(ahead, -UPRIGHT * ROLL * shift)
    pivot, share = frame_origin(frames, joints[0]), ZERO
    position = pivot
    for number in range(last + 1):
        share += shares[number]
        turn = _after_yaw(after(_rotation(left, share * pitch), upright), share * yaw)
        following = frame_origin(frames, joints[min(number + 1, last)])
        move_frames(frames, owned, start[number], start[number + 1], turn, pivot, position)
        position = add(position, turned(turn, subtract(following, pivot)))
        pivot = following


@inlined
def _spine(chain):
    """A chain from the spine to the head, flat, and the number of the last joint."""
    return (
        pointer(chain.joints),
        pointer(chain.share),
        pointer(chain.owned),
        pointer(chain.owned_start),
        chain.joints.shape[0] - 1,
    )


@inlined
def _sides(plan):
    """To the left of who stands, and ahead, in model space."""
    sine, cosine = sin_cos(plan.facing)
    x, z = np.float32(sine), np.float32(cosine)
    return (z, ZERO, -x), (x, ZERO, z)


@kernel(void(GAIT_PLAN, COUNT, LONGS, REAL, FLOATS_2D, OUT_2D))
def take_poises(plan, leg_count, ids, now, walk, out_poise):
    """How far weights are shifted, and heads turned and raised [rad], `now` [s]; last, 1 of who stands at ease, else 0.

    ids [chunk]; walk [chunk, WALK_WIDTH], of `BodyState`; out_poise [chunk, 4].
    """
    for actor in range(ids.shape[0]):
        calm, weight = walk[actor, CALM], walk[actor, WEIGHT]
        out_poise[actor, 3] = ONE if plan.poise and calm > ZERO and weight > ZERO else ZERO
        if out_poise[actor, 3] > ZERO:
            calm = np.float32(plan.poise) * weight * calm * calm * (THREE - TWO * calm)
            shift, yaw, pitch = _poise(ids[actor], now)
            shift = shift if leg_count == 2 else ZERO
            out_poise[actor, 0], out_poise[actor, 1], out_poise[actor, 2] = calm * shift, calm * yaw, calm * pitch


class StandAtEase(NamedTuple):
    """Arguments of the stage `stand_at_ease`."""

    blocks: BLOCKS
    plan: GAIT_PLAN
    legs: LEGS
    chain: LOOK_CHAIN  # from the spine to the head, or of no joints
    poises: FLOATS_2D  # [chunk, 4], of `take_poises`


@stage(StandAtEase)
def stand_at_ease(own, first, end, frame):
    """Shift the weight of standing actors and turn their heads. The stage of steps puts their feet back."""
    legs = pointer(own.legs.joints), pointer(own.legs.length), own.legs.joints.shape[0]
    pelvis, sides = (pointer(own.legs.pelvis), own.legs.pelvis.shape[0]), _sides(own.plan)
    poises, chain = pointer(own.poises), _spine(own.chain)
    for begin in range(first, end, 8):
        poise = gather4(poises, rows_at(own.blocks.rows, begin) * 4, 0)
        lanes = lanes_of(own.blocks.frames, frame + (begin - first) // 8)
        if legs[2] == 2:
            _shift_hips(lanes, legs, pelvis, *sides, poise[0])
        if chain[4] >= 0:
            _bend_back(lanes, chain, *sides, *poise[:3])
