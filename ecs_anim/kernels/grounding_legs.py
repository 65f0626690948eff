"""Helpers of stages that move pelvises and legs, so that the ankles reach their goals. The pelvis follows the lower
foot. The law of cosines gives the angles of hip and knee. The leg bends in the plane of the animation.
"""

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.frames import move_both, origin_of_both
from ecs_anim.kernels.grounding_plans import foot_turn
from ecs_anim.kernels.grounding_probes import MEMORY
from ecs_anim.kernels.vectors import (
    about,
    across,
    add,
    after,
    along,
    between_frames,
    cross,
    dot,
    scaled,
    subtract,
    turned,
    unit,
)
from ecs_anim.simd import broadcast, broadcast_like, gather_each, maximum, minimum, not_nan, scatter, select

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
NONE = np.float32(np.nan)
STRAIGHT = np.float32(0.9985)  # greatest extension of a leg, in leg lengths
FOLDED = np.float32(1e-3)  # least distance from hip to ankle minus the difference of thigh and shank, in leg lengths
HIP, KNEE, ANKLE, TOES = range(4)  # columns of `LegArrays.joints`
BENT = np.float32(0.05)  # least sine of the forward bend of a knee
# If the sine of the animated bend is below VAGUE, BENT applies. Above 2 VAGUE, only the animation counts.
VAGUE = np.float32(0.15)


@inlined
def overstretch(height, level, longest):
    """Return how far a hip must move down for a distance to the ankle of at most `longest`. `height` is the hip's
    height above the ankle's goal, and `level` is their squared horizontal distance.
    """
    squared = longest * longest - level
    return select(squared > ZERO, maximum(height - np.sqrt(maximum(squared, ZERO)), ZERO), ZERO)


@inlined
def bend_leg(hip, knee, ankle, goal, left):
    """Bend a leg so that the ankle moves to `goal`, or as near as possible. Return the positions of knee and ankle, and
    the rotations of thigh and shank. The knee stays in the plane of the animated bend. A straight leg bends about the
    axis `left`. The shank first rotates with the thigh, and then about the normal of the plane.
    """
    thigh, shank = subtract(knee, hip), subtract(ankle, knee)
    upper, lower = np.sqrt(dot(thigh, thigh)), np.sqrt(dot(shank, shank))
    thigh, shank = scaled(thigh, ONE / upper), scaled(shank, ONE / lower)
    normal = cross(thigh, shank)
    sine, cosine = np.sqrt(dot(normal, normal)), dot(thigh, shank)
    side = unit(across(left, thigh))
    vague = maximum(minimum(TWO - sine / VAGUE, ONE), ZERO)  # 1 if the bend is too small to define a plane
    normal = unit(along(normal, side, vague * maximum(BENT - dot(normal, side), ZERO)))
    line = subtract(goal, hip)
    distance, nearest = np.sqrt(dot(line, line)), abs(upper - lower) + FOLDED * (upper + lower)
    line = _either(distance > FOLDED * nearest, scaled(line, ONE / distance), thigh)
    distance = minimum(maximum(distance, nearest), STRAIGHT * (upper + lower))
    new_normal = unit(across(normal, line))
    new_cosine = (distance * distance - upper * upper - lower * lower) / (TWO * upper * lower)
    new_sine = np.sqrt(maximum(ONE - new_cosine * new_cosine, ZERO))
    ahead = (upper + lower * new_cosine) / distance
    out = np.sqrt(maximum(ONE - ahead * ahead, ZERO))  # for a folded leg, more precise than the sine
    new_thigh = along(scaled(line, ahead), cross(line, new_normal), out)
    thigh_turn = between_frames(thigh, normal, new_thigh, new_normal)
    more = about(new_normal, new_sine * cosine - new_cosine * sine, new_cosine * cosine + new_sine * sine)
    return along(hip, new_thigh, upper), along(hip, line, distance), thigh_turn, after(more, thigh_turn)


@inlined
def _either(mask, a, b):
    """Return vector `a` in lanes where the mask is true, and vector `b` in all other lanes."""
    return select(mask, a[0], b[0]), select(mask, a[1], b[1]), select(mask, a[2], b[2])


@inlined
def leg_joint(pair, legs, leg, part):
    """Return the position of one leg joint of each of sixteen actors. `part` is HIP, KNEE, ANKLE or TOES."""
    return origin_of_both(pair, legs.joints[4 * leg + part])


@inlined
def _move_part(pair, legs, leg, part, rotation, pivot, goal):
    """Rotate a leg joint, and all joints that move with it, about `pivot`. Then move `pivot` to `goal`."""
    at = 5 * leg + part
    move_both(pair, legs.owned, legs.owned_start[at], legs.owned_start[at + 1], rotation, pivot, goal)


@inlined
def carry_leg(pair, legs, leg, goal, ahead, foot_rotation, toe_rotation):
    """Move one ankle of each of sixteen actors as near to `goal` as possible, and rotate the foot and the toes. `legs`
    is the `LegArrays` with pointers. The knee of a straight leg bends towards `ahead`, the foot's direction x, z.
    """
    hip, knee = leg_joint(pair, legs, leg, HIP), leg_joint(pair, legs, leg, KNEE)
    ankle, left = leg_joint(pair, legs, leg, ANKLE), (ahead[1], broadcast_like(ZERO, ahead[0]), -ahead[0])
    new_knee, new_ankle, thigh_turn, shank_turn = bend_leg(hip, knee, ankle, goal, left)
    if legs.joints[4 * leg + TOES] >= 0:
        toes = leg_joint(pair, legs, leg, TOES)
        new_toes = add(new_ankle, turned(foot_rotation, subtract(toes, ankle)))
        _move_part(pair, legs, leg, TOES, toe_rotation, toes, new_toes)
    _move_part(pair, legs, leg, HIP, thigh_turn, hip, hip)
    _move_part(pair, legs, leg, KNEE, shank_turn, knee, new_knee)
    _move_part(pair, legs, leg, ANKLE, foot_rotation, ankle, new_ankle)


@inlined
def move_leg(pair, legs, leg, plan):
    """Move one leg of each of sixteen actors to its `Plan`."""
    foot = foot_turn(plan.ahead_x, plan.ahead_z, plan.roll, plan.pitch)
    toes = foot_turn(plan.ahead_x, plan.ahead_z, plan.roll, plan.toe_pitch)
    carry_leg(pair, legs, leg, (plan.x, plan.y, plan.z), (plan.ahead_x, plan.ahead_z), foot, toes)


@inlined
def _own_step(memory, is_near, moved, dt):
    """Return the sudden part [m] of each actor's vertical movement, such as a step onto a kerb, and the actor's last
    two vertical speeds. On a walkable slope, the sudden part is the difference from a movement with the median of the
    last three vertical speeds: a single small step does not change the median. A steeper movement is sudden as a whole.
    """
    x, y, z = moved
    last, before = memory
    walks = is_near & (y * y <= x * x + z * z) & (broadcast(dt) > ZERO)
    speed = y / (dt if dt > ZERO else ONE)
    known = not_nan(last)
    earlier, first = select(known, last, speed), select(known, before, speed)
    now = select(walks, speed, select(is_near, last, NONE)), select(walks, earlier, before)
    median = maximum(minimum(speed, earlier), minimum(maximum(speed, earlier), first))
    return select(walks, y - median * dt, y), now


@inlined
def follow_ground(walkers, rows, stance, target, length):
    """Return the vertical shift of the pelvis [m], which approaches `target` exponentially and smooths sudden steps. A
    new actor, or one that has moved farther than its leg length, gets `target`. The state of the pelvis stores the
    position, the shift, the remaining part of sudden steps, and the last two vertical speeds.
    """
    memory, at, dt, decay = walkers.state.pelvis, rows * MEMORY, walkers.dt, walkers.pelvis_decay
    x, y, z, before, left, last, earlier = gather_each(memory, at, 0, MEMORY)
    moved = subtract((stance.x, stance.y, stance.z), (x, y, z))
    is_near = dot(moved, moved) < length * length  # also false for NaN
    step, (last, earlier) = _own_step((last, earlier), is_near, moved, dt)
    rest = select(is_near, (left - step) * decay, ZERO)
    shift = select(is_near, target + (before - target) * decay, target)
    scatter(memory, at, 0, (stance.x, stance.y, stance.z, shift, rest, last, earlier))
    return shift + rest
