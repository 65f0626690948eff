"""Bringing the feet of a chunk of actors to where their steps are, on flat ground, eight actors at a time."""

import numpy as np

from ecs_anim.body.state import FOOT_WIDTH, LEAN, WALK_WIDTH, WEIGHT
from ecs_anim.kernels import inlined, kernel, maker
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
from ecs_anim.kernels.grounding_legs import bend_leg
from ecs_anim.kernels.matrices import move_joints, raise_joints, read_matrix, read_origin
from ecs_anim.kernels.types import BODY, FLOATS, FLOATS_3D, GAIT_PLAN, LEGS, OUT_3D, PLACEMENT, void
from ecs_anim.kernels.vectors import about, add, along, dot, subtract, turned
from ecs_anim.simd import (
    any_true,
    broadcast_like,
    gather,
    keep_alive,
    load,
    maximum,
    minimum,
    pad_rows,
    pointer,
    rows_at,
    scatter,
    select,
)

ZERO, ONE = np.float32(0), np.float32(1)
# Lengths are shares of the leg's.
LOWEST = np.float32(0.14)  # that the pelvis comes down by at most
SOFT = np.float32(0.02)  # over which a leg in the air comes to its full stretch
HARD = np.float32(1e-4)  # and a leg that stands
SLIGHT = np.float32(1e-3)  # sine of a lean that is none


@inlined
def _move_foot(origin, move, model, starts, legs, leg, goals):
    """Bring a leg to its goal, or as near as it gets; `legs`, `origin` and `move` as for `step_eight`."""
    joints, _, lengths, owned, owned_start, _ = legs
    own, begin, length = 4 * leg, 5 * leg, lengths[leg]
    hip, knee = origin(model, starts, joints[own]), origin(model, starts, joints[own + 1])
    ankle, at = origin(model, starts, joints[own + 2]), (hip[0], goal_of(leg))
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
        toe = origin(model, starts, joints[own + 3])
        new_toe = add(new_ankle, turned(turn, subtract(toe, ankle)))
        none, one = broadcast_like(ZERO, sine), broadcast_like(ONE, sine)
        yaw = (cosine, none, sine, none, one, none, -sine, none, cosine)
        move(model, starts, owned, owned_start[begin + 3], owned_start[begin + 4], yaw, toe, new_toe)
    move(model, starts, owned, owned_start[begin], owned_start[begin + 1], thigh_turn, hip, hip)
    move(model, starts, owned, owned_start[begin + 1], owned_start[begin + 2], shank_turn, knee, new_knee)
    move(model, starts, owned, owned_start[begin + 2], owned_start[begin + 3], turn, ankle, new_ankle)


@inlined
def _place(move, model, starts, carried, sine, facing, off, floor):
    """Bring joints to where the body is, and lean them to the left about the ground below; `sine` of the angle."""
    rotation = about((facing[0], ZERO, facing[1]), -sine, np.sqrt(ONE - sine * sine))
    root = (broadcast_like(ZERO, sine), floor, broadcast_like(ZERO, sine))
    move(model, starts, carried[0], 0, carried[1], rotation, root, (off[0], floor, off[1]))


@inlined
def step_eight(origin, matrix, move, lift, foot, model, starts, walker, body, goals):
    """Bring the feet of eight actors who walk to their steps, and write what is asked of each to `goals`, flat.

    origin, matrix, move and lift find joints, read, move and raise them, and foot reads steps; walker: what `legs_of`
    gives, joints of the pelvis and how many, and what `walking_sides` gives; body: steps of `BodyState`, flat, where
    these actors' rows begin in them, their weights and leans, and `Frames`; goals: room for `goal_of` legs.
    """
    (legs, carried, facing), (feet, steps, weight, lean, frame) = walker, body
    joints, points, lengths, _, _, leg_count = legs
    lean, off_x, off_z = weight * lean, weight * frame.off[0], weight * frame.off[1]
    is_off = (abs(lean) > SLIGHT) | (off_x * off_x + off_z * off_z > SLIGHT * SLIGHT)
    if any_true(is_off):
        lean, off = select(is_off, lean, ZERO), (select(is_off, off_x, ZERO), select(is_off, off_z, ZERO))
        _place(move, model, starts, carried, lean, facing, off, frame.floor)
    drop = broadcast_like(ZERO, weight)
    for leg in range(leg_count):
        own, sole, at = 4 * leg, 6 * leg, (weight, goal_of(leg))
        hip, ankle = origin(model, starts, joints[own]), matrix(model, starts, joints[own + 2])
        heel = points[sole], points[sole + 1], points[sole + 2]
        ball = points[sole + 3], points[sole + 4], points[sole + 5]
        step = foot(feet, steps, FOOT_WIDTH * leg)
        set_goal(ankle, hip, heel, ball, lengths[leg], step, frame, weight, goals, at[1])
        drop = lower_for(drop, hip, lengths[leg], goals, at)
    lift(model, starts, carried[0], carried[1], -(weight * minimum(drop, LOWEST * lengths[0])))
    for leg in range(leg_count):
        _move_foot(origin, move, model, starts, legs, leg, goals)


@inlined
def asked_at(leg, contact):
    """Where goals have how surely a step has heel (0), ball (1) or the whole foot (2) on the ground."""
    return goal_of(leg) + 16 * (NEEDED if contact == 2 else TOUCH + contact)


@maker
def _list_walking(walk):
    """Rows of those who walk, for blocks of eight, and how many they are."""
    rows, count = np.empty(walk.shape[0] + 7, np.int64), 0
    for actor in range(walk.shape[0]):
        rows[count] = actor
        count += walk[actor, WEIGHT] > ZERO
    pad_rows(rows, count)
    return rows, count


@inlined
def legs_of(legs):
    """What `step_eight` takes of `LegArrays`."""
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


@kernel(void(FLOATS_3D, FLOATS, OUT_3D))
def pin_steps(asked, weight, out_pin):
    """Pin feet as the bodies' steps say, as far as these are what actors do.

    asked [chunk, leg, 3], of `step_feet`; weight [chunk], 0 to 1; out_pin [chunk, leg, 3], what the clips say.
    """
    for actor in range(weight.shape[0]):
        share = weight[actor]
        for leg in range(out_pin.shape[1]) if share > ZERO else range(0):  # of others nothing is asked
            for contact in range(3):
                own = out_pin[actor, leg, contact]
                out_pin[actor, leg, contact] = asked[actor, leg, contact] * share + own * (ONE - share)


@kernel(void(GAIT_PLAN, LEGS, BODY, PLACEMENT, OUT_3D, OUT_3D))
def step_feet(plan, legs, body, placement, out_asked, out_model):
    """Move pelvis and legs of a chunk's model matrices so that feet are where the bodies' steps are.

    body, placement: `BodyState` and `Placement`, the chunk's rows; out_asked [chunk, leg, 3], how surely steps have
    heels, balls and feet on the ground, 0 to 1; out_model [>= chunk, joint, 12].
    """
    leg_count, width = legs.joints.shape[0], 12 * out_model.shape[1]
    walker = legs_of(legs), (pointer(legs.pelvis), legs.pelvis.shape[0]), walking_sides(plan)
    own_body = pointer(body[0]), pointer(body[1])
    asked, model, lift = pointer(out_asked), pointer(out_model), np.float32(plan.floor)
    placed = pointer(placement[0]), pointer(placement[1]), pointer(placement[2])
    room = np.empty(goal_of(leg_count), np.float32)
    goals = pointer(room)
    walking, count = _list_walking(body[0])
    for first in range(0, count, 8):
        rows = rows_at(walking, first)
        starts, walks, steps = (
            rows * width,
            rows * WALK_WIDTH,
            rows * (FOOT_WIDTH * leg_count),
        )
        frame = walking_frames(placed, rows, own_body[0], walks, lift)
        weight, lean = gather(own_body[0], walks, WEIGHT), gather(own_body[0], walks, LEAN)
        step_eight(
            read_origin,
            read_matrix,
            move_joints,
            raise_joints,
            foot_of,
            model,
            starts,
            walker,
            (own_body[1], steps, weight, lean, frame),
            goals,
        )
        of_asked = rows * (3 * leg_count)
        for leg in range(leg_count):
            for contact in range(3):
                scatter(asked, of_asked, 3 * leg + contact, load(goals, asked_at(leg, contact)))
    keep_alive(room)
