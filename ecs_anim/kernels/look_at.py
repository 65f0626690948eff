"""The stage that turns actors to their targets, sixteen at a time; `ecs_anim.ik.look_at` is the readable form."""

from typing import NamedTuple

import numpy as np

from ecs_anim.ik.look_at import BEHIND, NEAR, STRAIGHT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.angles import angle_of, unit_of
from ecs_anim.kernels.blocks import last_eight, pair_of, rows_of
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.frame_pairs import move_both, origin_of_both, read_frames
from ecs_anim.kernels.matrices import origin_in
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, GAZE, LOOK_CHAIN, LOOK_SETTINGS, OUT_BOOLS, PLACEMENT, REAL, void
from ecs_anim.kernels.vectors import (
    add,
    along,
    between_frames,
    cross,
    dot,
    quaternion_rotation,
    scaled,
    subtract,
    turned,
    turned_back,
    unit,
)
from ecs_anim.runtime.records import Placement
from ecs_anim.simd import clamp, combine, gather, gather3, gather4, maximum, minimum, pointer, scatter4, select, split

ZERO = np.float32(0)
ONE = np.float32(1)
TWO = np.float32(2)
THREE = np.float32(3)
FULL = np.float32(2 * np.pi)
TINY = np.float32(1e-30)
INFINITY = np.float32(np.inf)
LEAST_LEVEL = np.float32(STRAIGHT)
NEARBY = np.float32(NEAR)
BACK = np.float32(np.pi - BEHIND)


@inlined
def _direction(matrix, axis):
    """A joint's own axis in model space."""
    x, y, z = matrix
    return unit((dot(x, axis), dot(y, axis), dot(z, axis)))


@inlined
def _level_of(forward, up):
    """What is ahead of heads, at right angles to the model's up axis."""
    ears = cross(forward, up)
    upright = ONE + up[1]
    x, z = upright * ears[2] + forward[0], forward[2] - upright * ears[0]
    length = np.sqrt(x * x + z * z)
    is_there = length >= LEAST_LEVEL
    return select(is_there, x / length, ZERO), ZERO, select(is_there, z / length, ONE)


@inlined
def _angles(level, forward, away):
    """Yaw and pitch that take the forward axis to the direction of `away`."""
    side = (level[2], ZERO, -level[0])
    ahead, left = dot(away, level), dot(away, side)
    rise_wanted = away[1] / maximum(np.sqrt(dot(away, away)), TINY)
    straight, aside, rise = dot(forward, level), dot(forward, side), forward[1]
    level_length = np.sqrt(maximum(straight * straight + rise * rise - rise_wanted * rise_wanted, ZERO))
    pitch = angle_of(rise_wanted * straight - level_length * rise, level_length * straight + rise_wanted * rise)
    yaw = angle_of(left * level_length - ahead * aside, ahead * level_length + left * aside)
    return yaw, pitch


@inlined
def _goal(limits, level, forward, position, aim, last_yaw, last_pitch):
    """Yaw and pitch that point heads at their targets, within limits; as before where a target cannot be seen."""
    max_yaw, max_pitch, release = limits
    away = subtract(aim, position)
    distance = np.sqrt(dot(away, away))
    is_seen = (distance < INFINITY) & (distance > NEARBY * np.sqrt(dot(position, position)))
    yaw, pitch = _angles(level, forward, away)
    crosses = (yaw * last_yaw < ZERO) & (abs(yaw) > BACK)
    yaw = select(crosses, yaw + select(last_yaw > ZERO, FULL, -FULL), yaw)
    past = maximum(abs(yaw) - max_yaw, abs(pitch) - max_pitch)
    t = minimum(maximum(ONE - past / release, ZERO), ONE)
    share = t * t * (THREE - TWO * t)
    return (
        select(is_seen, share * clamp(yaw, max_yaw), last_yaw),
        select(is_seen, share * clamp(pitch, max_pitch), last_pitch),
    )


@inlined
def _approach(turn, last_goal, goal, furthest, decay):
    """Angles that follow their goals' movement, while what lies between them fades."""
    ahead = turn + clamp(goal - last_goal, furthest)
    return turn + clamp(goal + (ahead - goal) * decay - turn, furthest)


@inlined
def _rotation(level, yaw, pitch):
    """The rotation of a pitch, then a yaw."""
    side = (level[2], ZERO, -level[0])
    sine, cosine = unit_of(yaw)
    new_level = along(scaled(level, cosine), side, sine)
    new_side = along(scaled(side, cosine), level, -sine)
    rise, straight = unit_of(pitch)
    level_part = scaled(new_level, straight)
    return between_frames(level, side, (level_part[0], level_part[1] + rise, level_part[2]), new_side)


@inlined
def _into_model(target, translation, rotation, scale, rows):
    """Targets of eight actors, from the world to their model space."""
    of_rows = rows * 3
    away = subtract(gather3(target, of_rows, 0), gather3(translation, of_rows, 0))
    x, y, z, w = gather4(rotation, rows * 4, 0)
    size = gather(scale, rows, 0)
    size = select(size == ZERO, ZERO, ONE / size)
    return scaled(turned_back(quaternion_rotation(x, y, z, w), away), size)


@kernel(void(FLOATS, GAZE, OUT_BOOLS))
def choose_lookers(weight, state, out_looks):
    """Write whether each actor looks [chunk]; one with weight 0 does not, and forgets its turn."""
    turns, goals = state
    for actor in range(weight.shape[0]):
        out_looks[actor] = weight[actor] != ZERO
        if not out_looks[actor]:
            for column in range(4):
                turns[actor, column] = goals[actor, column] = ZERO


@inlined
def _look(pair, chain, manner, wanted, remembered):
    """Turn the chains of sixteen actors to what they aim at in their model spaces.

    chain, manner: of `_chain_of` and `_manner`; wanted: what they aim at, and weights; remembered: turns and goals of
    the `LookState`. Returns what they remember now.
    """
    joints, share, limit, own_forward, own_up, owned, start, last = chain
    (limits, furthest, decay), (aim, w), (turn, goal) = manner, wanted, remembered
    head = read_frames(pair, joints[last])
    forward = _direction(head, own_forward)
    level = _level_of(forward, _direction(head, own_up))

    yaw, pitch = _goal(limits, level, forward, origin_in(head), aim, goal[0], goal[1])
    body_yaw = _approach(turn[0], goal[0], yaw, furthest, decay)
    body_pitch = _approach(turn[1], goal[1], pitch, furthest, decay)

    pivot = origin_of_both(pair, joints[0])
    position, yaw_now, pitch_now = pivot, w * ZERO, w * ZERO
    for i in range(last):
        yaw_now = yaw_now + clamp(share[i] * w * body_yaw, limit[2 * i])
        pitch_now = pitch_now + clamp(share[i] * w * body_pitch, limit[2 * i + 1])
        following = origin_of_both(pair, joints[i + 1])
        rotated = _rotation(level, yaw_now, pitch_now)
        move_both(pair, owned, start[i], start[i + 1], rotated, pivot, position)
        position = add(position, turned(rotated, subtract(following, pivot)))
        pivot = following

    head_yaw, head_pitch = _goal(limits, level, forward, position, aim, goal[2], goal[3])
    own_yaw = _approach(turn[2], goal[2], head_yaw, furthest, decay)
    own_pitch = _approach(turn[3], goal[3], head_pitch, furthest, decay)
    yaw_now = yaw_now + clamp(w * own_yaw - yaw_now, limit[2 * last])
    pitch_now = pitch_now + clamp(w * own_pitch - pitch_now, limit[2 * last + 1])
    rotated = _rotation(level, yaw_now, pitch_now)
    move_both(pair, owned, start[last], start[last + 1], rotated, pivot, position)
    return (body_yaw, body_pitch, own_yaw, own_pitch), (yaw, pitch, head_yaw, head_pitch)


@inlined
def _read_gaze(memory, rows):
    """What actors remember of their looks: turns and goals; memory: of the `LookState`, flat."""
    at = rows * 4
    return gather4(memory[0], at, 0), gather4(memory[1], at, 0)


@inlined
def _put_gaze(memory, rows, remembered):
    """Write what `_read_gaze` reads."""
    at = rows * 4
    scatter4(memory[0], at, 0, *remembered[0])
    scatter4(memory[1], at, 0, *remembered[1])


@inlined
def _chain_of(chain):
    """Return the arrays of a `LookChain` as pointers, and the number of the last joint."""
    return (
        pointer(chain.joints),
        pointer(chain.share),
        pointer(chain.limit),
        pointer(chain.forward),
        pointer(chain.up),
        pointer(chain.owned),
        pointer(chain.owned_start),
        chain.joints.shape[0] - 1,
    )


@inlined
def _manner(settings, dt):
    """Limits [rad], how far turns go in dt seconds at most, and what is then left of the rest."""
    limits = np.float32(settings.max_yaw), np.float32(settings.max_pitch), np.float32(settings.release)
    return limits, np.float32(settings.speed * dt), np.float32(exp(-dt / settings.seconds))


class LookAt(NamedTuple):
    """Arguments of the stage `look_at`."""

    blocks: BLOCKS
    chain: LOOK_CHAIN
    settings: LOOK_SETTINGS
    target: FLOATS_2D  # [chunk, 3] [m], world space
    placement: PLACEMENT
    weight: FLOATS  # [chunk]
    dt: REAL  # [s]
    gaze: GAZE


@stage(LookAt)
def look_at(own, first, end, frame):
    """Turn chains of joints towards their targets, and write what gazes remember."""
    chain, manner, last = _chain_of(own.chain), _manner(own.settings, own.dt), last_eight(first, end)
    memory = pointer(own.gaze[0]), pointer(own.gaze[1])
    for number in range(0, last + 8, 16):
        one, other = rows_of(own.blocks.rows, first, number, last)
        wanted = combine(_wanted(own, one), _wanted(own, other))
        remembered = combine(_read_gaze(memory, one), _read_gaze(memory, other))
        now = split(_look(pair_of(own.blocks.frames, frame, number, last), chain, manner, wanted, remembered))
        _put_gaze(memory, one, now[0])
        _put_gaze(memory, other, now[1])


@inlined
def _wanted(own, rows):
    """Return the targets of eight actors in their model spaces, and their weights."""
    placement = Placement(*own.placement)
    translation, rotation, scale = pointer(placement.translation), pointer(placement.rotation), pointer(placement.scale)
    return _into_model(pointer(own.target), translation, rotation, scale, rows), gather(pointer(own.weight), rows, 0)
