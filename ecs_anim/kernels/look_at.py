"""Looking at targets, for a chunk of actors, eight at a time; `ecs_anim.ik.look_at` is the readable form."""

import numpy as np
from numba import njit

from ecs_anim.ik.look_at import BEHIND, NEAR, STRAIGHT
from ecs_anim.kernels import inlined, kernel, maker
from ecs_anim.kernels.angles import angle_of, unit_of
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.matrices import move_joints, origin_in, read_matrix, read_origin
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, GAZE, LOOK_CHAIN, LOOK_SETTINGS, OUT_3D, PLACEMENT, REAL, void
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
from ecs_anim.simd import (
    borrow,
    clamp,
    gather,
    gather3,
    gather4,
    keep_alive,
    maximum,
    minimum,
    pad_rows,
    pointer,
    rows_at,
    scatter4,
    select,
)

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
    flat = np.sqrt(maximum(straight * straight + rise * rise - rise_wanted * rise_wanted, ZERO))
    pitch = angle_of(rise_wanted * straight - flat * rise, flat * straight + rise_wanted * rise)
    yaw = angle_of(left * flat - ahead * aside, ahead * flat + left * aside)
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


@njit(inline="always")
def into_model(target, translation, rotation, scale, rows):
    """Targets of eight actors, from the world to their model space."""
    of_rows = rows * 3
    away = subtract(gather3(target, of_rows, 0), gather3(translation, of_rows, 0))
    x, y, z, w = gather4(rotation, rows * 4, 0)
    size = gather(scale, rows, 0)
    size = select(size == ZERO, ZERO, ONE / size)
    return scaled(turned_back(quaternion_rotation(x, y, z, w), away), size)


@inlined
def looks(weight, turns, goals, actor):
    """Whether an actor looks; who does not forgets their turn."""
    if weight[actor] == ZERO:
        for column in range(4):
            turns[actor, column] = goals[actor, column] = ZERO
    return weight[actor] != ZERO


@maker
def _list_lookers(weight, turns, goals):
    """Rows of actors who look, for blocks of eight, and how many they are."""
    rows, count = np.empty(weight.shape[0] + 7, np.int64), 0
    for actor in range(weight.shape[0]):
        rows[count] = actor
        count += looks(weight, turns, goals, actor)
    pad_rows(rows, count)
    return rows, count


@inlined
def look_eight(origin, matrix, move, model, starts, chain, manner, wanted, remembered):
    """Turn the chains of eight actors to what they aim at in their model spaces.

    origin, matrix and move find, read and move joints; chain, manner: of `chain_of` and `looking_manner`; wanted:
    what they aim at, and weights; remembered: turns and goals of the `LookState`. Returns what they remember now.
    """
    joints, share, limit, own_forward, own_up, owned, start, last = chain
    (limits, furthest, decay), (aim, w), (turn, goal) = manner, wanted, remembered
    head = matrix(model, starts, joints[last])
    forward = _direction(head, own_forward)
    level = _level_of(forward, _direction(head, own_up))

    yaw, pitch = _goal(limits, level, forward, origin_in(head), aim, goal[0], goal[1])
    body_yaw = _approach(turn[0], goal[0], yaw, furthest, decay)
    body_pitch = _approach(turn[1], goal[1], pitch, furthest, decay)

    pivot = origin(model, starts, joints[0])
    position, yaw_now, pitch_now = pivot, w * ZERO, w * ZERO
    for i in range(last):
        yaw_now = yaw_now + clamp(share[i] * w * body_yaw, limit[2 * i])
        pitch_now = pitch_now + clamp(share[i] * w * body_pitch, limit[2 * i + 1])
        following = origin(model, starts, joints[i + 1])
        rotated = _rotation(level, yaw_now, pitch_now)
        move(model, starts, owned, start[i], start[i + 1], rotated, pivot, position)
        position = add(position, turned(rotated, subtract(following, pivot)))
        pivot = following

    head_yaw, head_pitch = _goal(limits, level, forward, position, aim, goal[2], goal[3])
    own_yaw = _approach(turn[2], goal[2], head_yaw, furthest, decay)
    own_pitch = _approach(turn[3], goal[3], head_pitch, furthest, decay)
    yaw_now = yaw_now + clamp(w * own_yaw - yaw_now, limit[2 * last])
    pitch_now = pitch_now + clamp(w * own_pitch - pitch_now, limit[2 * last + 1])
    rotated = _rotation(level, yaw_now, pitch_now)
    move(model, starts, owned, start[last], start[last + 1], rotated, pivot, position)
    return (body_yaw, body_pitch, own_yaw, own_pitch), (yaw, pitch, head_yaw, head_pitch)


@inlined
def read_gaze(memory, rows):
    """What actors remember of their looks: turns and goals; memory: of the `LookState`, flat."""
    at = rows * 4
    return gather4(memory[0], at, 0), gather4(memory[1], at, 0)


@inlined
def put_gaze(memory, rows, remembered):
    """Write what `read_gaze` reads."""
    at = rows * 4
    scatter4(memory[0], at, 0, *remembered[0])
    scatter4(memory[1], at, 0, *remembered[1])


@inlined
def chain_of(chain):
    """What `look_eight` takes of a `LookChain`, flat, and the number of the last joint."""
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
def looking_manner(settings, dt):
    """Limits [rad], how far turns go in dt seconds at most, and what is then left of the rest."""
    limits = np.float32(settings.max_yaw), np.float32(settings.max_pitch), np.float32(settings.release)
    return limits, np.float32(settings.speed * dt), np.float32(exp(-dt / settings.seconds))


@kernel(void(LOOK_CHAIN, LOOK_SETTINGS, FLOATS_2D, PLACEMENT, FLOATS, REAL, GAZE, OUT_3D))
def look_at(chain, settings, target, placement, weight, dt, state, out_model):
    """Turn each actor's chain towards its target, dt seconds after the last step.

    target [chunk, 3] [m], world space; weight [chunk], 0 leaves an actor as it is, and forgets its turn; writes the
    `LookState` and out_model [>= chunk, joint_count, 12], model matrices.
    """
    targets, translation, rotation, scale = (
        pointer(target),
        pointer(placement[0]),
        pointer(placement[1]),
        pointer(placement[2]),
    )
    weights, memory, model = pointer(weight), (pointer(state[0]), pointer(state[1])), pointer(out_model)
    own, manner, width = chain_of(chain), looking_manner(settings, dt), 12 * out_model.shape[1]
    listed, count = _list_lookers(borrow(weight), borrow(state[0]), borrow(state[1]))
    lookers = borrow(listed)
    for first in range(0, count, 8):
        rows = rows_at(lookers, first)
        aim, w = into_model(targets, translation, rotation, scale, rows), gather(weights, rows, 0)
        starts, remembered = rows * width, read_gaze(memory, rows)
        remembered = look_eight(read_origin, read_matrix, move_joints, model, starts, own, manner, (aim, w), remembered)
        put_gaze(memory, rows, remembered)
    keep_alive(listed)
