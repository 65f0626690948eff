"""Moving pelvis and legs of a chunk of actors so that their ankles get where they should be.

The pelvis follows the lower foot; hip and knee bend by the law of cosines, in the plane that the animation bends
them in.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.ik.foot_contacts import SUPPORT
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.grounding_plans import AHEAD, GOAL, PITCH, ROLL, SHIFT, TOE, foot_turn
from ecs_anim.kernels.grounding_probes import grounding_strength, moved_since
from ecs_anim.kernels.types import FLOATS, FLOATS_3D, GROUNDING, LEGS, OUT_2D, OUT_3D, PLACEMENT, REAL, void
from ecs_anim.kernels.vectors import (
    about,
    across,
    add,
    after,
    along,
    between_frames,
    cross,
    dot,
    move_joints,
    origin_of,
    scaled,
    subtract,
    turned,
    unit,
)

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
STRAIGHT = np.float32(0.9985)  # of a leg's length, the most that it is stretched
FOLDED = np.float32(1e-3)  # of a leg's length, the least distance from hip to ankle beyond that of its segments
BENT = np.float32(0.05)  # sine of the angle by which a knee is taken to be bent forwards at least,
VAGUE = np.float32(0.15)  # where the animation has it bent less than this; from twice that on the animation tells


@njit(inline="always")
def _overstretch(height, level, longest):
    """How far a hip must come down so that the leg need not stretch beyond `longest`.

    It is `height` above the ankle's goal; `level` is the square of their distance on the level.
    """
    squared = longest * longest - level
    return max(height - np.sqrt(squared), ZERO) if squared > ZERO else ZERO


@helper
def bend_leg(hip, knee, ankle, goal, left):
    """Where knee and ankle go, and how thigh and shank turn, to bring the ankle to `goal` or as near as the leg gets.

    The knee stays in the plane that the animation bends it in; a straight leg bends about `left`. The shank turns as
    the thigh does, and about the plane's normal by as much as the knee bends more.
    """
    thigh, shank = subtract(knee, hip), subtract(ankle, knee)
    upper, lower = np.sqrt(dot(thigh, thigh)), np.sqrt(dot(shank, shank))
    thigh, shank = scaled(thigh, ONE / upper), scaled(shank, ONE / lower)
    normal = cross(thigh, shank)
    sine, cosine = np.sqrt(dot(normal, normal)), dot(thigh, shank)
    if sine < TWO * VAGUE:
        side = unit(across(left, thigh))
        normal = along(normal, side, min(TWO - sine / VAGUE, ONE) * max(BENT - dot(normal, side), ZERO))
    normal = unit(normal)
    line = subtract(goal, hip)
    distance, nearest = np.sqrt(dot(line, line)), abs(upper - lower) + FOLDED * (upper + lower)
    line = scaled(line, ONE / distance) if distance > FOLDED * nearest else thigh
    distance = min(max(distance, nearest), STRAIGHT * (upper + lower))
    new_normal = unit(across(normal, line))
    new_cosine = (distance * distance - upper * upper - lower * lower) / (TWO * upper * lower)
    new_sine = np.sqrt(max(ONE - new_cosine * new_cosine, ZERO))
    ahead = (upper + lower * new_cosine) / distance
    out = np.sqrt(max(ONE - ahead * ahead, ZERO))  # precise in a folded leg too, where the sine is not
    new_thigh = along(scaled(line, ahead), cross(line, new_normal), out)
    thigh_turn = between_frames(thigh, normal, new_thigh, new_normal)
    more = about(new_normal, new_sine * cosine - new_cosine * sine, new_cosine * cosine + new_sine * sine)
    return along(hip, new_thigh, upper), along(hip, line, distance), thigh_turn, after(more, thigh_turn)


@helper
def _move_leg(row, joints, owned, owned_start, leg, plan):
    """Carry out one leg's plan."""
    hip, knee = origin_of(row, joints[leg, 0]), origin_of(row, joints[leg, 1])
    ankle, goal = origin_of(row, joints[leg, 2]), (plan[GOAL], plan[GOAL + 1], plan[GOAL + 2])
    ahead_x, ahead_z, roll = plan[AHEAD], plan[AHEAD + 1], plan[ROLL]
    left = (ahead_z, ZERO, -ahead_x)
    new_knee, new_ankle, thigh_turn, shank_turn = bend_leg(hip, knee, ankle, goal, left)
    turn = foot_turn(ahead_x, ahead_z, roll, plan[PITCH])
    if joints[leg, 3] >= 0:
        toe = origin_of(row, joints[leg, 3])
        new_toe = add(new_ankle, turned(turn, subtract(toe, ankle)))
        toe_turn = foot_turn(ahead_x, ahead_z, roll, plan[TOE])
        move_joints(row, owned, owned_start[leg, 3], owned_start[leg, 4], toe_turn, toe, new_toe)
    move_joints(row, owned, owned_start[leg, 0], owned_start[leg, 1], thigh_turn, hip, hip)
    move_joints(row, owned, owned_start[leg, 1], owned_start[leg, 2], shank_turn, knee, new_knee)
    move_joints(row, owned, owned_start[leg, 2], owned_start[leg, 3], turn, ankle, new_ankle)


@njit(inline="always")
def _own_step(memory, actor, x, y, z, dt):
    """How far [m] an actor that moved by x, y, z went up at once: a step, not a slope that it walks up.

    All of it where that was steeper than anybody walks, else what is beyond the median of its last three speeds up,
    which a single small step does not move.
    """
    if y * y > x * x + z * z or not dt > ZERO:
        return y
    speed, last, before = y / dt, memory[actor, 5], memory[actor, 6]
    if np.isnan(last):
        last = before = speed
    memory[actor, 5], memory[actor, 6] = speed, last
    return y - dt * max(min(speed, last), min(max(speed, last), before))


@inlined
def _follow(memory, translation, actor, target, length, decay, dt):
    """How far [m] the pelvis is shifted now: it follows `target` exponentially, and a sudden step of the actor too.

    memory [actor, 7]: the actor's place at the last step, the shift, what is left of the actor's own steps up or
    down, its last two speeds upwards. An actor that has not been here before, or comes from further away than its
    leg is long, is shifted at once.
    """
    x, y, z = moved_since(memory, translation, actor)
    shift, rest = target, ZERO
    if x * x + y * y + z * z < length * length:  # false for NaN
        rest = (memory[actor, 4] - _own_step(memory, actor, x, y, z, dt)) * decay
        shift = target + (memory[actor, 3] - target) * decay
    else:
        memory[actor, 5] = np.nan
    for axis in range(3):
        memory[actor, axis] = translation[actor, axis]
    memory[actor, 3], memory[actor, 4] = shift, rest
    return shift + rest


@kernel(void(GROUNDING, LEGS, FLOATS_3D, FLOATS_3D, PLACEMENT, FLOATS, REAL, OUT_2D, OUT_3D))
def move_legs(settings, legs, plan, pin, placement, weight, dt, out_pelvis, out_model):
    """Move pelvis and legs of a chunk's model matrices.

    plan [chunk, leg, PLAN_WIDTH]; pin [chunk, leg, 3]; weight [chunk]; dt [s]; out_pelvis [chunk, 7], what the pelvis
    remembers, of a `FootState`; out_model [>= chunk, joint, 12].
    """
    joints, _, lengths, owned, owned_start, pelvis = legs
    translation, _, scale = placement
    decay = np.float32(exp(-dt / settings.pelvis_seconds))
    for actor in range(scale.shape[0]):
        strength = grounding_strength(settings, translation, weight, actor)
        if strength <= ZERO:
            continue
        row, size = out_model[actor], scale[actor]
        lower = plan[actor, 0, SHIFT] * pin[actor, 0, SUPPORT]
        for leg in range(1, joints.shape[0]):
            lower = min(lower, plan[actor, leg, SHIFT] * pin[actor, leg, SUPPORT])
        shift = strength * _follow(out_pelvis, translation, actor, size * lower, size * lengths[0], decay, dt) / size
        for leg in range(joints.shape[0]):
            hip = origin_of(row, joints[leg, 0])
            x, z = hip[0] - plan[actor, leg, GOAL], hip[2] - plan[actor, leg, GOAL + 2]
            height = hip[1] + shift - plan[actor, leg, GOAL + 1]
            missing = _overstretch(height, x * x + z * z, STRAIGHT * lengths[leg])
            shift -= strength * pin[actor, leg, SUPPORT] * missing
        for i in range(pelvis.shape[0]):
            row[uint64(pelvis[i]), 7] += shift
        for leg in range(joints.shape[0]):
            _move_leg(row, joints, owned, owned_start, leg, plan[actor, leg])
