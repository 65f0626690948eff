"""The stage that moves feet to the footholds of their footsteps on flat ground, sixteen actors at a time."""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim import simd
from ecs_anim.body.state import FOOT_WIDTH, LEAN, WALK_WIDTH, WEIGHT
from ecs_anim.kernels import foot_goals, inlined
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.frames import last_eight, move_both, pair_of, raise_both, read_frames, rows_of
from ecs_anim.kernels.grounding_legs import ANKLE, HIP, carry_leg, leg_joint
from ecs_anim.kernels.grounding_plans import sole_of
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import BODY, GAIT_PLAN, LEGS, OUT, OUT_3D, PLACEMENT
from ecs_anim.kernels.vectors import about, along, dot, subtract

ZERO, ONE = np.float32(0), np.float32(1)
# Lengths are in leg lengths.
LOWEST, LOWEST_ON_STAIRS = np.float32(0.14), np.float32(0.2)  # largest downward movement of the pelvis
SOFT = np.float32(0.02)  # range in which a leg in the air becomes straight
HARD = np.float32(1e-4)  # range in which a planted leg becomes straight
SLIGHT = np.float32(1e-3)  # a lean with a smaller sine is negligible


@inlined
def _bend_leg_to(pair, legs, leg, goal):
    """Bend one leg of each of sixteen actors so that the ankle moves as near to the `FootGoal` as possible. The
    distance from the hip approaches its limit smoothly, from SOFT (foot in the air) or HARD (on the ground) leg lengths
    before the limit. The foot pitches and turns. The toes only turn.
    """
    hip, length = leg_joint(pair, legs, leg, HIP), legs.length[leg]
    line = subtract((goal.x, goal.y, goal.z), hip)
    distance, longest = np.sqrt(dot(line, line)), foot_goals.REACH * length
    ease = simd.maximum(goal.loose * SOFT, HARD) * length
    limited = -foot_goals.greater(-distance, -longest, ease)  # a smooth minimum of both distances
    # If the goal is at the hip, the quotient is 0 / 0. Then `select` returns 1.
    share = simd.select(distance > longest - ease, limited / distance, ONE)
    foot = foot_goals.pitched_and_turned(goal.sine, goal.cosine, goal.ahead_x, goal.ahead_z, goal.pitch)
    zero, one = simd.broadcast_like(ZERO, goal.sine), simd.broadcast_like(ONE, goal.sine)
    toes = (goal.cosine, zero, goal.sine, zero, one, zero, -goal.sine, zero, goal.cosine)  # a rotation about +Y
    carry_leg(pair, legs, leg, along(hip, line, share), (goal.ahead_x, goal.ahead_z), foot, toes)


@inlined
def _place(pair, walker, sine, off, floor):
    """Move bodies to their walking positions, and lean them to the left by the angle with the sine `sine`."""
    rotation = about((walker.ahead_x, ZERO, walker.ahead_z), -sine, np.sqrt(ONE - sine * sine))
    root = (simd.broadcast_like(ZERO, sine), floor, simd.broadcast_like(ZERO, sine))
    move_both(pair, walker.legs.pelvis, 0, walker.carried, rotation, root, (off[0], floor, off[1]))


class Walkers(NamedTuple):
    """Values that are equal for all actors of a stage."""

    legs: Any  # `LegArrays` as pointers
    leg_count: Any
    carried: Any  # number of joints that the pelvis carries
    ahead_x: Any  # forward direction of the model
    ahead_z: Any


@inlined
def _step_both(pair, walker, feet, one, other, body, goals):
    """Move the feet of sixteen walking actors to their footsteps, and write the goals of the feet to `goals`. The
    footsteps are at the offsets `one` and `other` in `feet`.
    """
    legs, (frame, weight, lean) = walker.legs, body
    lean, off_x, off_z = weight * lean, weight * frame.off[0], weight * frame.off[1]
    is_off = (abs(lean) > SLIGHT) | (off_x * off_x + off_z * off_z > SLIGHT * SLIGHT)
    if simd.any_true(is_off):
        off = simd.select(is_off, off_x, ZERO), simd.select(is_off, off_z, ZERO)
        _place(pair, walker, simd.select(is_off, lean, ZERO), off, frame.floor)
    drop, lowest = simd.broadcast_like(ZERO, weight), simd.broadcast_like(LOWEST, weight)
    for leg in range(walker.leg_count):
        hip, ankle = leg_joint(pair, legs, leg, HIP), read_frames(pair, legs.joints[4 * leg + ANKLE])
        heel, ball = sole_of(legs.contacts, leg)
        step = simd.combine(foot_goals.foot_of(feet, one, leg), foot_goals.foot_of(feet, other, leg))
        goal = foot_goals.goal_of(ankle, hip, heel, ball, legs.length[leg], step, frame, weight)
        on_stairs = simd.not_nan(step.heights[1])
        if simd.any_true(on_stairs):
            lowest = simd.select(on_stairs, LOWEST_ON_STAIRS, lowest)
            goal = foot_goals.on_treads(goal, step, frame, weight)
        foot_goals.put_goal(goals, leg, goal)
        drop = foot_goals.lower_for(drop, hip, legs.length[leg], goal)
    raise_both(pair, legs.pelvis, walker.carried, -(weight * simd.minimum(drop, lowest * legs.length[0])))
    for leg in range(walker.leg_count):
        _bend_leg_to(pair, legs, leg, foot_goals.read_goal(goals, leg))


@inlined
def _body_of(rows, walk, placement, floor):
    """Return the `Frames` (positions and velocities), the weights and the leans of eight actors."""
    at = rows * WALK_WIDTH
    weight, lean = simd.gather(walk, at, WEIGHT), simd.gather(walk, at, LEAN)
    return foot_goals.walking_frames(placement, rows, walk, at, floor), weight, lean


class StepFeet(NamedTuple):
    """Arguments of the stage `step_feet`."""

    blocks: BLOCKS
    plan: GAIT_PLAN
    legs: LEGS
    body: BODY
    placement: PLACEMENT
    goals: OUT  # [goals_size(leg count)], memory
    asked: OUT_3D  # [chunk, leg, 3], pin weights of heel, ball and leg, 0 to 1


@stage(StepFeet)
def step_feet(own, first, end, frame):
    """Move pelvises and legs so that the feet follow the footsteps of the bodies on flat ground. For sixteen actors at
    a time, the stage moves and leans the bodies, computes the goals of the feet, lowers pelvises for short legs, and
    bends the legs.
    """
    leg_count, (sine, cosine) = own.legs.joints.shape[0], sin_cos(own.plan.facing)
    carried = own.legs.pelvis.shape[0]
    walker = Walkers(simd.pointer(own.legs), leg_count, carried, np.float32(sine), np.float32(cosine))
    body, placement = simd.pointer(own.body), simd.pointer(own.placement)
    goals, asked, floor = simd.pointer(own.goals), simd.pointer(own.asked), np.float32(own.plan.floor)
    width, last = FOOT_WIDTH * leg_count, last_eight(first, end)
    for number in range(0, last + 8, 16):
        one, other = rows_of(own.blocks.rows, first, number, last)
        bodies = simd.combine(_body_of(one, body.walk, placement, floor), _body_of(other, body.walk, placement, floor))
        pair = pair_of(own.blocks.frames, frame, number, last)
        _step_both(pair, walker, body.feet, one * width, other * width, bodies, goals)
        for leg in range(leg_count):
            goal = foot_goals.read_goal(goals, leg)
            asked_of_one, asked_of_other = simd.split((goal.heel, goal.ball, goal.needed))
            simd.scatter(asked, one * (3 * leg_count), 3 * leg, asked_of_one)
            simd.scatter(asked, other * (3 * leg_count), 3 * leg, asked_of_other)
