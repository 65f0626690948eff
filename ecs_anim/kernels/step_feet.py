"""The stage that brings feet to where their steps are, on flat ground, sixteen actors at a time."""

from typing import NamedTuple

import numpy as np

from ecs_anim.body.state import FOOT_WIDTH, LEAN, WALK_WIDTH, WEIGHT, BodyState
from ecs_anim.kernels import inlined
from ecs_anim.kernels.blocks import last_eight, pair_of, rows_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.foot_goals import (
    AHEAD,
    GOAL,
    LOOSE,
    NEEDED,
    PITCH,
    REACH,
    TOUCH,
    TURN,
    foot_of,
    foot_step_turn,
    goal_of,
    greater,
    lower_for,
    set_goal,
    told,
    told_three,
    walking_frames,
)
from ecs_anim.kernels.frame_pairs import move_both, origin_of_both, raise_both, read_frames
from ecs_anim.kernels.grounding_legs import bend_leg
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import BODY, GAIT_PLAN, LEGS, OUT, OUT_3D, PLACEMENT
from ecs_anim.kernels.vectors import about, add, along, dot, subtract, turned
from ecs_anim.runtime.records import Placement
from ecs_anim.simd import any_true, broadcast_like, combine, gather, load, maximum, minimum, pointer, scatter, select

ZERO, ONE = np.float32(0), np.float32(1)
# Lengths are shares of the leg's.
LOWEST = np.float32(0.14)  # that the pelvis comes down by at most
SOFT = np.float32(0.02)  # over which a leg in the air comes to its full stretch
HARD = np.float32(1e-4)  # and a leg that stands
SLIGHT = np.float32(1e-3)  # sine of a lean that is none


@inlined
def _move_foot(pair, legs, leg, goals):
    """Bring a leg to its goal, or as near as it gets; `legs` as `legs_of` gives them."""
    joints, _, lengths, owned, owned_start, _ = legs
    own, begin, length = 4 * leg, 5 * leg, lengths[leg]
    hip, knee = origin_of_both(pair, joints[own]), origin_of_both(pair, joints[own + 1])
    ankle, at = origin_of_both(pair, joints[own + 2]), (hip[0], goal_of(leg))
    goal, ahead_x, ahead_z = told_three(goals, at, GOAL), told(goals, at, AHEAD), told(goals, at, AHEAD + 1)
    line = subtract(goal, hip)
    distance, longest = np.sqrt(dot(line, line)), REACH * length
    ease = maximum(told(goals, at, LOOSE) * SOFT, HARD) * length
    share = select(distance > longest - ease, -greater(-distance, -longest, ease) / distance, ONE)
    goal = along(hip, line, share)
    left = (ahead_z, broadcast_like(ZERO, ahead_x), -ahead_x)
    new_knee, new_ankle, thigh_turn, shank_turn = bend_leg(hip, knee, ankle, goal, left)
    sine, cosine = told(goals, at, TURN), told(goals, at, TURN + 1)
    turn = foot_step_turn(sine, cosine, ahead_x, ahead_z, told(goals, at, PITCH))
    if joints[own + 3] >= 0:
        toe = origin_of_both(pair, joints[own + 3])
        new_toe = add(new_ankle, turned(turn, subtract(toe, ankle)))
        none, one = broadcast_like(ZERO, sine), broadcast_like(ONE, sine)
        yaw = (cosine, none, sine, none, one, none, -sine, none, cosine)
        move_both(pair, owned, owned_start[begin + 3], owned_start[begin + 4], yaw, toe, new_toe)
    move_both(pair, owned, owned_start[begin], owned_start[begin + 1], thigh_turn, hip, hip)
    move_both(pair, owned, owned_start[begin + 1], owned_start[begin + 2], shank_turn, knee, new_knee)
    move_both(pair, owned, owned_start[begin + 2], owned_start[begin + 3], turn, ankle, new_ankle)


@inlined
def _place(pair, carried, sine, facing, off, floor):
    """Bring joints to where the body is, and lean them to the left about the ground below; `sine` of the angle."""
    rotation = about((facing[0], ZERO, facing[1]), -sine, np.sqrt(ONE - sine * sine))
    root = (broadcast_like(ZERO, sine), floor, broadcast_like(ZERO, sine))
    move_both(pair, carried[0], 0, carried[1], rotation, root, (off[0], floor, off[1]))


@inlined
def _step_both(pair, walker, steps, body, goals):
    """Bring the feet of sixteen walking actors to their steps, and write the goal of each foot to `goals`.

    walker: what `legs_of` gives, joints of the pelvis and how many, and what `walking_sides` gives; steps: of
    `BodyState`, flat, and where the rows of eight actors and of eight others begin; body: `Frames`, weights and leans.
    """
    (legs, carried, facing), (feet, one, other), (frame, weight, lean) = walker, steps, body
    joints, points, lengths, _, _, leg_count = legs
    lean, off_x, off_z = weight * lean, weight * frame.off[0], weight * frame.off[1]
    is_off = (abs(lean) > SLIGHT) | (off_x * off_x + off_z * off_z > SLIGHT * SLIGHT)
    if any_true(is_off):
        lean, off = select(is_off, lean, ZERO), (select(is_off, off_x, ZERO), select(is_off, off_z, ZERO))
        _place(pair, carried, lean, facing, off, frame.floor)
    drop = broadcast_like(ZERO, weight)
    for leg in range(leg_count):
        own, sole, at = 4 * leg, 6 * leg, (weight, goal_of(leg))
        hip, ankle = origin_of_both(pair, joints[own]), read_frames(pair, joints[own + 2])
        heel = points[sole], points[sole + 1], points[sole + 2]
        ball = points[sole + 3], points[sole + 4], points[sole + 5]
        step = combine(foot_of(feet, one, FOOT_WIDTH * leg), foot_of(feet, other, FOOT_WIDTH * leg))
        set_goal(ankle, hip, heel, ball, lengths[leg], step, frame, weight, goals, at[1])
        drop = lower_for(drop, hip, lengths[leg], goals, at)
    raise_both(pair, carried[0], carried[1], -(weight * minimum(drop, LOWEST * lengths[0])))
    for leg in range(leg_count):
        _move_foot(pair, legs, leg, goals)


@inlined
def asked_at(leg, contact):
    """Where goals have how surely a step has heel (0), ball (1) or the whole foot (2) on the ground."""
    return goal_of(leg) + 16 * (NEEDED if contact == 2 else TOUCH + contact)


@inlined
def legs_of(legs):
    """Return the arrays of `LegArrays` as pointers, and the number of legs."""
    arrays = (
        pointer(legs.joints),
        pointer(legs.contacts),
        pointer(legs.length),
        pointer(legs.owned),
        pointer(legs.owned_start),
    )
    return (*arrays, legs.joints.shape[0])


@inlined
def walking_sides(plan):
    """What is ahead of who walks, x and z in model space."""
    sine, cosine = sin_cos(plan.facing)
    return np.float32(sine), np.float32(cosine)


class StepFeet(NamedTuple):
    """Arguments of the stage `step_feet`."""

    blocks: BLOCKS
    plan: GAIT_PLAN
    legs: LEGS
    body: BODY
    placement: PLACEMENT
    goals: OUT  # [goal_of(leg count)], room
    asked: OUT_3D  # [chunk, leg, 3], how surely steps have heels, balls and feet on the ground, 0 to 1


@stage(StepFeet)
def step_feet(own, first, end, frame):
    """Move pelvis and legs, on flat ground, so that feet are where the bodies' steps are."""
    legs, carried, facing = (
        legs_of(own.legs),
        (pointer(own.legs.pelvis), own.legs.pelvis.shape[0]),
        walking_sides(own.plan),
    )
    body, placement, floor = BodyState(*own.body), Placement(*own.placement), np.float32(own.plan.floor)
    walk, feet = pointer(body.walk), pointer(body.feet)
    places = pointer(placement.translation), pointer(placement.rotation), pointer(placement.scale)
    goals, asked, width, last = pointer(own.goals), pointer(own.asked), FOOT_WIDTH * legs[5], last_eight(first, end)
    for number in range(0, last + 8, 16):
        one, other = rows_of(own.blocks.rows, first, number, last)
        body = combine(_body_of(one, walk, places, floor), _body_of(other, walk, places, floor))
        steps = feet, one * width, other * width
        _step_both(pair_of(own.blocks.frames, frame, number, last), (legs, carried, facing), steps, body, goals)
        for leg in range(legs[5]):
            for contact in range(3):
                at, goal = 3 * leg + contact, asked_at(leg, contact)
                scatter(asked, one * (3 * legs[5]), at, load(goals, goal))
                scatter(asked, other * (3 * legs[5]), at, load(goals, goal + (8 if number < last else 0)))


@inlined
def _body_of(rows, walk, places, floor):
    """Where actors are and how fast, their weights and leans."""
    at = rows * WALK_WIDTH
    return walking_frames(places, rows, walk, at, floor), gather(walk, at, WEIGHT), gather(walk, at, LEAN)
