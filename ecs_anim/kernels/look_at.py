"""Looking at targets, for a chunk of actors; `ecs_anim.ik.look_at` is the readable form."""

import numpy as np
from numba import njit

from ecs_anim.ik.look_at import BEHIND, NEAR, STRAIGHT
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import arctan2, exp, sin_cos
from ecs_anim.kernels.lanes import borrowed
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, GAZE, LOOK_CHAIN, LOOK_SETTINGS, OUT_3D, PLACEMENT, REAL, void
from ecs_anim.kernels.vectors import (
    add,
    along,
    between_frames,
    cross,
    dot,
    move_joints,
    origin_of,
    placed,
    quaternion_rotation,
    scaled,
    subtract,
    turned,
    turned_back,
    unit,
)

ZERO = np.float32(0)
ONE = np.float32(1)
TWO = np.float32(2)
THREE = np.float32(3)
FULL = np.float32(2 * np.pi)
LEAST = np.float32(1e-30)
LEAST_LEVEL = np.float32(STRAIGHT)
NEARBY = np.float32(NEAR)
BACK = np.float32(np.pi - BEHIND)


@inlined
def _clipped(value, most):
    return min(max(value, -most), most)


@inlined
def _direction(model, joint, axis):
    """A joint's own axis in model space."""
    return unit(subtract(placed(model, joint, axis), origin_of(model, joint)))


@helper
def _level_of(forward, up):
    """What is ahead of a head, at right angles to the model's up axis."""
    ears = cross(forward, up)
    upright = ONE + up[1]
    x, z = upright * ears[2] + forward[0], forward[2] - upright * ears[0]
    length = np.sqrt(x * x + z * z)
    if length < LEAST_LEVEL:
        return ZERO, ZERO, ONE
    return x / length, ZERO, z / length


@helper
def _angles(level, forward, away):
    """Yaw and pitch that take the forward axis to the direction of `away`."""
    side = (level[2], ZERO, -level[0])
    ahead, left = dot(away, level), dot(away, side)
    rise_wanted = away[1] / max(np.sqrt(dot(away, away)), LEAST)
    straight, aside, rise = dot(forward, level), dot(forward, side), forward[1]
    flat = np.sqrt(max(straight * straight + rise * rise - rise_wanted * rise_wanted, ZERO))
    pitch = arctan2(rise_wanted * straight - flat * rise, flat * straight + rise_wanted * rise)
    yaw = arctan2(left * flat - ahead * aside, ahead * flat + left * aside)
    return np.float32(yaw), np.float32(pitch)


@helper
def _goal(max_yaw, max_pitch, release, level, forward, position, target, last_yaw, last_pitch):
    """Yaw and pitch that point the head at the target, within the limits; as before where it cannot be seen."""
    away = subtract(target, position)
    distance = np.sqrt(dot(away, away))
    if not (np.isfinite(distance) and distance > NEARBY * np.sqrt(dot(position, position))):
        return last_yaw, last_pitch
    yaw, pitch = _angles(level, forward, away)
    if yaw * last_yaw < ZERO and abs(yaw) > BACK:
        yaw += FULL if last_yaw > ZERO else -FULL
    past = max(abs(yaw) - max_yaw, abs(pitch) - max_pitch)
    t = min(max(ONE - past / release, ZERO), ONE)
    share = t * t * (THREE - TWO * t)
    return share * _clipped(yaw, max_yaw), share * _clipped(pitch, max_pitch)


@helper
def _approach(turn, last_goal, goal, most, keep):
    """An angle that follows its goal's movement, while what lies between them fades."""
    ahead = turn + _clipped(goal - last_goal, most)
    return turn + _clipped(goal + (ahead - goal) * keep - turn, most)


@njit(inline="always")
def _sin_cos(angle):
    sine, cosine = sin_cos(angle)
    return np.float32(sine), np.float32(cosine)


@helper
def _rotation(level, yaw, pitch):
    """The rotation of a pitch, then a yaw."""
    side = (level[2], ZERO, -level[0])
    sine, cosine = _sin_cos(yaw)
    new_level = along(scaled(level, cosine), side, sine)
    new_side = along(scaled(side, cosine), level, -sine)
    rise, straight = _sin_cos(pitch)
    level_part = scaled(new_level, straight)
    return between_frames(level, side, (level_part[0], level_part[1] + rise, level_part[2]), new_side)


@njit(inline="always")
def _into_model(target, translation, rotation, scale, actor):
    """An actor's target, from the world to its model space."""
    away = (
        target[actor, 0] - translation[actor, 0],
        target[actor, 1] - translation[actor, 1],
        target[actor, 2] - translation[actor, 2],
    )
    turn = quaternion_rotation(rotation[actor, 0], rotation[actor, 1], rotation[actor, 2], rotation[actor, 3])
    size = ONE / scale[actor] if scale[actor] != ZERO else ZERO
    return scaled(turned_back(turn, away), size)


@kernel(void(LOOK_CHAIN, LOOK_SETTINGS, FLOATS_2D, PLACEMENT, FLOATS, REAL, GAZE, OUT_3D))
def look_at(chain, settings, target, placement, weight, dt, state, out_model):
    """Turn each actor's chain towards its target, dt seconds after the last step.

    target [chunk, 3] [m], world space; weight [chunk], 0 leaves an actor as it is, and forgets its turn; writes the
    `LookState` and out_model [>= chunk, joint_count, 12], model matrices.
    """
    joints, share, limit = borrowed(chain.joints), borrowed(chain.share), borrowed(chain.limit)
    own_forward, own_up = borrowed(chain.forward), borrowed(chain.up)
    owned, start = borrowed(chain.owned), borrowed(chain.owned_start)
    translation, rotation, scale = borrowed(placement[0]), borrowed(placement[1]), borrowed(placement[2])
    turns, goals, models = borrowed(state[0]), borrowed(state[1]), borrowed(out_model)
    max_yaw, max_pitch = np.float32(settings.max_yaw), np.float32(settings.max_pitch)
    release, most = np.float32(settings.release), np.float32(settings.speed * dt)
    keep = np.float32(exp(-dt / settings.seconds))
    last = joints.shape[0] - 1
    for actor in range(weight.shape[0]):
        w = weight[actor]
        turn, goal, model = turns[actor], goals[actor], models[actor]
        if w == ZERO:
            turn[:] = ZERO
            goal[:] = ZERO
            continue
        aim = _into_model(target, translation, rotation, scale, actor)
        forward = _direction(model, joints[last], own_forward)
        level = _level_of(forward, _direction(model, joints[last], own_up))

        seen_from = origin_of(model, joints[last])
        yaw, pitch = _goal(max_yaw, max_pitch, release, level, forward, seen_from, aim, goal[0], goal[1])
        turn[0], turn[1] = _approach(turn[0], goal[0], yaw, most, keep), _approach(turn[1], goal[1], pitch, most, keep)
        goal[0], goal[1] = yaw, pitch

        position = origin_of(model, joints[0])
        yaw, pitch = ZERO, ZERO
        for i in range(last):
            yaw += _clipped(share[i] * w * turn[0], limit[i, 0])
            pitch += _clipped(share[i] * w * turn[1], limit[i, 1])
            pivot, following = origin_of(model, joints[i]), origin_of(model, joints[i + 1])
            rotated = _rotation(level, yaw, pitch)
            move_joints(model, owned, start[i], start[i + 1], rotated, pivot, position)
            position = add(position, turned(rotated, subtract(following, pivot)))

        new_yaw, new_pitch = _goal(max_yaw, max_pitch, release, level, forward, position, aim, goal[2], goal[3])
        turn[2] = _approach(turn[2], goal[2], new_yaw, most, keep)
        turn[3] = _approach(turn[3], goal[3], new_pitch, most, keep)
        goal[2], goal[3] = new_yaw, new_pitch
        yaw += _clipped(w * turn[2] - yaw, limit[last, 0])
        pitch += _clipped(w * turn[3] - pitch, limit[last, 1])
        pivot = origin_of(model, joints[last])
        move_joints(model, owned, start[last], start[last + 1], _rotation(level, yaw, pitch), pivot, position)
