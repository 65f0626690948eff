"""Moving pelvis and legs of a chunk of actors so that their ankles get where they should be.

The pelvis follows the lower foot; hip and knee bend by the law of cosines, in the plane that the animation bends
them in.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.foot_contacts import SUPPORT
from ecs_anim.kernels.grounding_plans import FOOT, GOAL, SHIFT, SIDE, TOE, UP
from ecs_anim.kernels.grounding_probes import actor_rotation, grounding_strength
from ecs_anim.kernels.legs import leg_length
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, FLOATS_3D, GROUNDING, LEGS, OUT_2D, OUT_3D, REAL, void
from ecs_anim.kernels.vectors import (
    across,
    add,
    along,
    between_frames,
    cross,
    dot,
    move_joints,
    origin_of,
    scaled,
    subtract,
    turned,
    turned_back,
    unit,
)

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
STRAIGHT = np.float32(0.9985)  # of a leg's length, the most that it is stretched
FOLDED = np.float32(1e-3)  # of a leg's length, the least distance from hip to ankle beyond that of its segments
BENT = np.float32(0.05)  # sine of the knee's angle below which the animation does not tell where the knee points
FASTMATH = {"contract", "arcp", "nsz"}


@njit(inline="always")
def _vector(values, at):
    return values[at], values[at + 1], values[at + 2]


@njit(inline="always")
def _rotation(values, at):
    return (
        values[at], values[at + 1], values[at + 2], values[at + 3], values[at + 4], values[at + 5], values[at + 6],
        values[at + 7], values[at + 8],
    )  # fmt: skip


@njit(inline="always")
def _overstretch(hip, goal, up, longest):
    """How far a hip must come down so that the leg need not stretch beyond `longest`."""
    apart = subtract(hip, goal)
    height = dot(apart, up)
    level = dot(apart, apart) - height * height
    room = longest * longest - level
    return max(height - np.sqrt(room), ZERO) if room > ZERO else ZERO


@njit(inline="always")
def _bend(hip, knee, ankle, goal, side):
    """Where knee and ankle go, and how thigh and shank turn, to bring the ankle to `goal` or as near as the leg gets.

    The knee stays in the plane that the animation bends it in; a straight leg bends about `side`.
    """
    thigh, shank = subtract(knee, hip), subtract(ankle, knee)
    upper, lower = np.sqrt(dot(thigh, thigh)), np.sqrt(dot(shank, shank))
    thigh, shank = scaled(thigh, ONE / upper), scaled(shank, ONE / lower)
    normal = cross(thigh, shank)
    missing = max(BENT - np.sqrt(dot(normal, normal)), ZERO)
    normal = along(normal, side, missing)
    line = subtract(goal, hip)
    distance = np.sqrt(dot(line, line))
    line = scaled(line, ONE / distance)
    distance = min(max(distance, abs(upper - lower) + FOLDED * (upper + lower)), STRAIGHT * (upper + lower))
    goal = along(hip, line, distance)
    new_normal = unit(across(normal, line))
    ahead = (upper * upper - lower * lower + distance * distance) / (TWO * distance)
    out = np.sqrt(max(upper * upper - ahead * ahead, ZERO))
    new_knee = along(along(hip, line, ahead), cross(line, new_normal), out)
    new_thigh = scaled(subtract(new_knee, hip), ONE / upper)
    new_shank = scaled(subtract(goal, new_knee), ONE / lower)
    thigh_turn = between_frames(thigh, unit(across(normal, thigh)), new_thigh, new_normal)
    shank_turn = between_frames(shank, unit(across(normal, shank)), new_shank, new_normal)
    return new_knee, goal, thigh_turn, shank_turn


@njit(inline="always")
def _move_leg(row, legs_joints, owned, owned_start, leg, plan):
    """Carry out one leg's plan."""
    hip, knee, ankle = (
        origin_of(row, legs_joints[leg, 0]),
        origin_of(row, legs_joints[leg, 1]),
        origin_of(row, legs_joints[leg, 2]),
    )
    new_knee, new_ankle, thigh_turn, shank_turn = _bend(hip, knee, ankle, _vector(plan, GOAL), _vector(plan, SIDE))
    foot_turn = _rotation(plan, FOOT)
    if legs_joints[leg, 3] >= 0:
        toe = origin_of(row, legs_joints[leg, 3])
        new_toe = add(new_ankle, turned(foot_turn, subtract(toe, ankle)))
        move_joints(row, owned, owned_start[leg, 3], owned_start[leg, 4], _rotation(plan, TOE), toe, new_toe)
    move_joints(row, owned, owned_start[leg, 0], owned_start[leg, 1], thigh_turn, hip, hip)
    move_joints(row, owned, owned_start[leg, 1], owned_start[leg, 2], shank_turn, knee, new_knee)
    move_joints(row, owned, owned_start[leg, 2], owned_start[leg, 3], foot_turn, ankle, new_ankle)


@njit(inline="always")
def _follow(memory, place, target, length, decay):
    """How far [m] the pelvis is shifted now: it follows `target` exponentially, and a sudden step of the actor too.

    memory [5]: the actor's place at the last step, the shift, what is left of the actor's own step up or down. An
    actor that has not been here before, or comes from further away than its leg is long, is shifted at once.
    """
    x, y, z = place[0] - memory[0], place[1] - memory[1], place[2] - memory[2]
    if x * x + y * y + z * z < length * length:  # false for NaN
        if y * y > x * x + z * z:  # steeper than anybody walks: a step, not a slope
            memory[4] -= y
        memory[3] = target + (memory[3] - target) * decay
        memory[4] *= decay
    else:
        memory[3], memory[4] = target, ZERO
    memory[0], memory[1], memory[2] = place[0], place[1], place[2]
    return memory[3] + memory[4]


@njit(inline="always")
def _shift_joints(row, joints, shift):
    for i in range(joints.shape[0]):
        j = uint64(joints[i])
        row[j, 3] += shift[0]
        row[j, 7] += shift[1]
        row[j, 11] += shift[2]


@njit(
    void(GROUNDING, LEGS, FLOATS_3D, FLOATS_3D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, REAL, OUT_2D, OUT_3D),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
)
def move_legs(settings, legs, plan, pin, translation, rotation, scale, weight, dt, out_pelvis, out_model):
    """Move pelvis and legs of a chunk's model matrices.

    plan [chunk, leg, PLAN_WIDTH]; pin [chunk, leg, 3]; translation [chunk, 3] [m]; rotation [chunk, 4]; scale, weight
    [chunk]; dt [s]; out_pelvis [chunk, 5] [m], what the pelvis remembers; out_model [>= chunk, joint, 12].
    """
    joints, owned, owned_start, pelvis = legs.joints, legs.owned, legs.owned_start, legs.pelvis
    decay = np.float32(np.exp(-dt / settings.pelvis_seconds))
    for actor in range(scale.shape[0]):
        strength = grounding_strength(settings, translation, weight, actor)
        if strength <= ZERO:
            continue
        row, size = out_model[actor], scale[actor]
        up = turned_back(actor_rotation(rotation, actor), UP)
        lower, length = plan[actor, 0, SHIFT] * pin[actor, 0, SUPPORT], leg_length(row, joints, 0)
        for leg in range(1, joints.shape[0]):
            lower = min(lower, plan[actor, leg, SHIFT] * pin[actor, leg, SUPPORT])
        shift = strength * _follow(out_pelvis[actor], translation[actor], size * lower, size * length, decay) / size
        for leg in range(joints.shape[0]):
            hip = along(origin_of(row, joints[leg, 0]), up, shift)
            longest = STRAIGHT * leg_length(row, joints, leg)
            missing = _overstretch(hip, _vector(plan[actor, leg], GOAL), up, longest)
            shift -= strength * pin[actor, leg, SUPPORT] * missing
        _shift_joints(row, pelvis, scaled(up, shift))
        for leg in range(joints.shape[0]):
            _move_leg(row, joints, owned, owned_start, leg, plan[actor, leg])
