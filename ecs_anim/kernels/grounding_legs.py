"""Moving pelvis and legs so that ankles get where they should be: helpers, inlined into stages.

The pelvis follows the lower foot; hip and knee bend by the law of cosines, in the plane that the animation bends
them in.
"""

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.frame_pairs import move_both, origin_of_both
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
STRAIGHT = np.float32(0.9985)  # of a leg's length, the most that it is stretched
FOLDED = np.float32(1e-3)  # of a leg's length, the least distance from hip to ankle beyond that of its segments
HIP, KNEE, ANKLE, TOES = range(4)  # columns of `LegArrays.joints`
BENT = np.float32(0.05)  # sine of the angle by which a knee is taken to be bent forwards at least,
VAGUE = np.float32(0.15)  # where the animation has it bent less than this; from twice that on the animation tells


@inlined
def overstretch(height, level, longest):
    """How far a hip must come down so that the leg need not stretch beyond `longest`.

    It is `height` above the ankle's goal; `level` is the square of their distance on the level.
    """
    squared = longest * longest - level
    return select(squared > ZERO, maximum(height - np.sqrt(maximum(squared, ZERO)), ZERO), ZERO)


@inlined
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
    side = unit(across(left, thigh))
    vague = maximum(minimum(TWO - sine / VAGUE, ONE), ZERO)  # how little the animation tells
    normal = unit(along(normal, side, vague * maximum(BENT - dot(normal, side), ZERO)))
    line = subtract(goal, hip)
    distance, nearest = np.sqrt(dot(line, line)), abs(upper - lower) + FOLDED * (upper + lower)
    line = _either(distance > FOLDED * nearest, scaled(line, ONE / distance), thigh)
    distance = minimum(maximum(distance, nearest), STRAIGHT * (upper + lower))
    new_normal = unit(across(normal, line))
    new_cosine = (distance * distance - upper * upper - lower * lower) / (TWO * upper * lower)
    new_sine = np.sqrt(maximum(ONE - new_cosine * new_cosine, ZERO))
    ahead = (upper + lower * new_cosine) / distance
    out = np.sqrt(maximum(ONE - ahead * ahead, ZERO))  # precise in a folded leg too, where the sine is not
    new_thigh = along(scaled(line, ahead), cross(line, new_normal), out)
    thigh_turn = between_frames(thigh, normal, new_thigh, new_normal)
    more = about(new_normal, new_sine * cosine - new_cosine * sine, new_cosine * cosine + new_sine * sine)
    return along(hip, new_thigh, upper), along(hip, line, distance), thigh_turn, after(more, thigh_turn)


@inlined
def _either(mask, a, b):
    """Of two vectors."""
    return select(mask, a[0], b[0]), select(mask, a[1], b[1]), select(mask, a[2], b[2])


@inlined
def leg_joint(pair, legs, leg, part):
    """Return where a joint of a leg is, of sixteen actors; part: HIP to ANKLE."""
    return origin_of_both(pair, legs.joints[4 * leg + part])


@inlined
def _move_part(pair, legs, leg, part, rotation, pivot, goal):
    """Rotate the joints that move with a joint of a leg about a point, and carry that point to a goal."""
    at = 5 * leg + part
    move_both(pair, legs.owned, legs.owned_start[at], legs.owned_start[at + 1], rotation, pivot, goal)


@inlined
def carry_leg(pair, legs, leg, goal, ahead, foot_rotation, toe_rotation):
    """Bring an ankle of sixteen actors to a goal, or as near as the leg gets, and rotate foot and toes.

    legs: `LegArrays` as pointers; ahead: where the foot points, x and z. A straight leg bends to that side.
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
    """Carry out the `Plan` of a leg of sixteen actors."""
    foot = foot_turn(plan.ahead_x, plan.ahead_z, plan.roll, plan.pitch)
    toes = foot_turn(plan.ahead_x, plan.ahead_z, plan.roll, plan.toe_pitch)
    carry_leg(pair, legs, leg, (plan.x, plan.y, plan.z), (plan.ahead_x, plan.ahead_z), foot, toes)


@inlined
def _own_step(memory, is_near, moved, dt):
    """How far [m] actors that moved went up at once: a step, not a slope that they walk up; and their last two speeds.

    All of it where that was steeper than anybody walks, else what is beyond the median of the last three speeds up,
    which a single small step does not move. An actor that is not near begins anew.
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
    """Return how far [m] the pelvis is shifted: it follows `target` exponentially, and sudden steps of the actor too.

    An actor that has not been here before, or comes from farther away than its leg is long, is shifted at once.
    The pelvis remembers the actor's place, the shift, the rest of the actor's own steps, and its last two speeds up.
    """
    memory, at, dt, decay = walkers.state.pelvis, rows * MEMORY, walkers.dt, walkers.pelvis_decay
    x, y, z, before, left, last, earlier = gather_each(memory, at, 0, MEMORY)
    moved = subtract((stance.x, stance.y, stance.z), (x, y, z))
    is_near = dot(moved, moved) < length * length  # false for NaN
    step, (last, earlier) = _own_step((last, earlier), is_near, moved, dt)
    rest = select(is_near, (left - step) * decay, ZERO)
    shift = select(is_near, target + (before - target) * decay, target)
    scatter(memory, at, 0, (stance.x, stance.y, stance.z, shift, rest, last, earlier))
    return shift + rest
