"""The stage that turns actors towards targets, sixteen actors at a time. See `ecs_anim.ik.look_at` for the method."""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim.ik.look_at import BEHIND, NEAR, STRAIGHT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.angles import angle_of, unit_of
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.frames import last_eight, move_both, origin_in, origin_of_both, pair_of, read_frames, rows_of
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, GAZE, LOOK_CHAIN, LOOK_SETTINGS, OUT_BOOLS, PLACEMENT, REAL, void
from ecs_anim.kernels.vectors import (
    add,
    along,
    between_frames,
    cross,
    dot,
    eased,
    quaternion_rotation,
    scaled,
    subtract,
    turned,
    turned_back,
    unit,
)
from ecs_anim.simd import clamp, combine, gather, gather_each, maximum, pointer, scatter, select, split

ZERO, ONE, TWO, THREE = np.float32(0), np.float32(1), np.float32(2), np.float32(3)
FULL, TINY, INFINITY = np.float32(2 * np.pi), np.float32(1e-30), np.float32(np.inf)
LEAST_LEVEL, NEARBY, BACK = np.float32(STRAIGHT), np.float32(NEAR), np.float32(np.pi - BEHIND)


@inlined
def _direction(matrix, axis):
    """Return the direction of a joint's axis in model space. `axis` is in the joint's coordinate frame."""
    x, y, z = matrix
    return unit((dot(x, axis), dot(y, axis), dot(z, axis)))


@inlined
def _level_of(forward, up):
    """Return the horizontal forward directions of heads, from the axes `forward` and `up`, as unit vectors."""
    ears = cross(forward, up)
    upright = ONE + up[1]
    x, z = upright * ears[2] + forward[0], forward[2] - upright * ears[0]
    length = np.sqrt(x * x + z * z)
    is_there = length >= LEAST_LEVEL
    return select(is_there, x / length, ZERO), ZERO, select(is_there, z / length, ONE)


@inlined
def _angles(level, forward, away):
    """Return the yaw and the pitch that rotate the direction `forward` to the direction of the vector `away`."""
    side = (level[2], ZERO, -level[0])
    ahead, left = dot(away, level), dot(away, side)
    rise_wanted = away[1] / maximum(np.sqrt(dot(away, away)), TINY)
    straight, aside, rise = dot(forward, level), dot(forward, side), forward[1]
    level_length = np.sqrt(maximum(straight * straight + rise * rise - rise_wanted * rise_wanted, ZERO))
    pitch = angle_of(rise_wanted * straight - level_length * rise, level_length * straight + rise_wanted * rise)
    yaw = angle_of(left * level_length - ahead * aside, ahead * level_length + left * aside)
    return yaw, pitch


@inlined
def _goal(manner, level, forward, position, aim, last_yaw, last_pitch):
    """Return the yaw and the pitch towards a target within the ranges of the head. If the target is too near or not
    finite, return the last goal.
    """
    away = subtract(aim, position)
    distance = np.sqrt(dot(away, away))
    is_seen = (distance < INFINITY) & (distance > NEARBY * np.sqrt(dot(position, position)))
    yaw, pitch = _angles(level, forward, away)
    crosses = (yaw * last_yaw < ZERO) & (abs(yaw) > BACK)
    yaw = select(crosses, yaw + select(last_yaw > ZERO, FULL, -FULL), yaw)
    past = maximum(abs(yaw) - manner.max_yaw, abs(pitch) - manner.max_pitch)
    share = eased(ONE - past / manner.release)
    yaw, pitch = share * clamp(yaw, manner.max_yaw), share * clamp(pitch, manner.max_pitch)
    return select(is_seen, yaw, last_yaw), select(is_seen, pitch, last_pitch)


@inlined
def _approach(manner, turn, last_goal, goal):
    """Return the angle `turn` [rad] after a time step. The angle follows `goal`, and the difference decays."""
    ahead = turn + clamp(goal - last_goal, manner.furthest)
    return turn + clamp(goal + (ahead - goal) * manner.decay - turn, manner.furthest)


@inlined
def _rotation(level, yaw, pitch):
    """Return the rotation that consists of a pitch, followed by a yaw."""
    side = (level[2], ZERO, -level[0])
    sine, cosine = unit_of(yaw)
    new_level = along(scaled(level, cosine), side, sine)
    new_side = along(scaled(side, cosine), level, -sine)
    rise, straight = unit_of(pitch)
    level_part = scaled(new_level, straight)
    return between_frames(level, side, (level_part[0], level_part[1] + rise, level_part[2]), new_side)


@inlined
def _target_of(own, placement, rows):
    """Return the targets of eight actors in the actors' model spaces, and the weights of their gazes."""
    target = gather_each(pointer(own.target), rows * 3, 0, 3)
    away = subtract(target, gather_each(placement.translation, rows * 3, 0, 3))
    x, y, z, w = gather_each(placement.rotation, rows * 4, 0, 4)
    size = gather(placement.scale, rows, 0)
    target = scaled(turned_back(quaternion_rotation(x, y, z, w), away), select(size == ZERO, ZERO, ONE / size))
    return target, gather(pointer(own.weight), rows, 0)


@kernel(void(FLOATS, GAZE, OUT_BOOLS))
def choose_lookers(weight, gaze, out_looks):
    """Write to out_looks [chunk] which actors have a gaze weight. Reset the gazes of all other actors."""
    for actor in range(weight.shape[0]):
        out_looks[actor] = weight[actor] != ZERO
        if not out_looks[actor]:
            for column in range(4):
                gaze.turn[actor, column] = gaze.goal[actor, column] = ZERO


@inlined
def _look(pair, chain, last, manner, wanted, gaze):
    """Turn the chains of sixteen actors to their targets, and return the new gazes. Each joint of the `LookChain`
    before the last one, the head, rotates by a share of the body's yaw and pitch. The head rotates by the rest,
    measured from its new position. `wanted` contains targets in model space, and the weights of the gazes.
    """
    (aim, weight), (body_yaw, body_pitch, head_yaw, head_pitch) = wanted, gaze.turn
    last_body_yaw, last_body_pitch, last_head_yaw, last_head_pitch = gaze.goal
    head = read_frames(pair, chain.joints[last])
    forward = _direction(head, chain.forward)
    level = _level_of(forward, _direction(head, chain.up))

    body_goal = _goal(manner, level, forward, origin_in(head), aim, last_body_yaw, last_body_pitch)
    body_yaw = _approach(manner, body_yaw, last_body_yaw, body_goal[0])
    body_pitch = _approach(manner, body_pitch, last_body_pitch, body_goal[1])

    pivot = origin_of_both(pair, chain.joints[0])
    position, yaw, pitch = pivot, weight * ZERO, weight * ZERO
    for i in range(last):
        yaw = yaw + clamp(chain.share[i] * weight * body_yaw, chain.limit[2 * i])
        pitch = pitch + clamp(chain.share[i] * weight * body_pitch, chain.limit[2 * i + 1])
        following = origin_of_both(pair, chain.joints[i + 1])
        rotation = _rotation(level, yaw, pitch)
        move_both(pair, chain.owned, chain.owned_start[i], chain.owned_start[i + 1], rotation, pivot, position)
        position = add(position, turned(rotation, subtract(following, pivot)))
        pivot = following

    head_goal = _goal(manner, level, forward, position, aim, last_head_yaw, last_head_pitch)
    head_yaw = _approach(manner, head_yaw, last_head_yaw, head_goal[0])
    head_pitch = _approach(manner, head_pitch, last_head_pitch, head_goal[1])
    yaw = yaw + clamp(weight * head_yaw - yaw, chain.limit[2 * last])
    pitch = pitch + clamp(weight * head_pitch - pitch, chain.limit[2 * last + 1])
    rotation = _rotation(level, yaw, pitch)
    move_both(pair, chain.owned, chain.owned_start[last], chain.owned_start[last + 1], rotation, pivot, position)
    return Gaze((body_yaw, body_pitch, head_yaw, head_pitch), (*body_goal, *head_goal))


@inlined
def _gaze_of(gaze, rows):
    """Return the stored gazes of eight actors. `gaze` is the `LookState`, with pointers in place of arrays."""
    return Gaze(gather_each(gaze.turn, rows * 4, 0, 4), gather_each(gaze.goal, rows * 4, 0, 4))


@inlined
def _put_gaze(gaze, rows, now):
    """Write the gazes `now` of eight actors to the `LookState`."""
    scatter(gaze.turn, rows * 4, 0, now.turn)
    scatter(gaze.goal, rows * 4, 0, now.goal)


class Gaze(NamedTuple):
    """Gazes of actors, as lanes: yaw and pitch of the body, then yaw and pitch of the head [rad]."""

    turn: Any
    goal: Any  # goals of these angles in the last step


class Manner(NamedTuple):
    """Limits and speeds of gazes in a simulation step."""

    max_yaw: Any  # [rad], largest yaw of the head from the animated pose
    max_pitch: Any  # [rad]
    release: Any  # [rad], range beyond the limits in which the gaze returns to the direction ahead
    furthest: Any  # [rad], largest change of an angle per step
    decay: Any  # factor on the distance to a goal in a step


@inlined
def _manner(settings, dt):
    limits = np.float32(settings.max_yaw), np.float32(settings.max_pitch), np.float32(settings.release)
    return Manner(*limits, np.float32(settings.speed * dt), np.float32(exp(-dt / settings.seconds)))


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
    """Turn chains of joints to their targets, and write the new gazes to the `LookState`."""
    chain, manner, last = pointer(own.chain), _manner(own.settings, own.dt), last_eight(first, end)
    gaze, placement = pointer(own.gaze), pointer(own.placement)
    head = own.chain.joints.shape[0] - 1
    for number in range(0, last + 8, 16):
        one, other = rows_of(own.blocks.rows, first, number, last)
        wanted = combine(_target_of(own, placement, one), _target_of(own, placement, other))
        before = combine(_gaze_of(gaze, one), _gaze_of(gaze, other))
        pair = pair_of(own.blocks.frames, frame, number, last)
        now = split(_look(pair, chain, head, manner, wanted, before))
        _put_gaze(gaze, one, now[0])
        _put_gaze(gaze, other, now[1])
