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
from ecs_anim.simd import broadcast, broadcast_like, gather4, maximum, minimum, not_nan, scatter4, select

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
NONE = np.float32(np.nan)
STRAIGHT = np.float32(0.9985)  # of a leg's length, the most that it is stretched
FOLDED = np.float32(1e-3)  # of a leg's length, the least distance from hip to ankle beyond that of its segments
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
def move_leg(frames, legs, leg, plan):
    """Carry out one leg's plans for sixteen actors.

    legs: joints, owned and owned_start of `LegArrays`, flat.
    """
    joints, owned, owned_start = legs
    goal_x, goal_y, goal_z, ahead_x, ahead_z, roll, pitch, toe_pitch = plan
    own, begin = 4 * leg, 5 * leg
    hip, knee = origin_of_both(frames, joints[own]), origin_of_both(frames, joints[own + 1])
    ankle, goal = origin_of_both(frames, joints[own + 2]), (goal_x, goal_y, goal_z)
    left = (ahead_z, broadcast_like(ZERO, ahead_x), -ahead_x)
    new_knee, new_ankle, thigh_turn, shank_turn = bend_leg(hip, knee, ankle, goal, left)
    turn = foot_turn(ahead_x, ahead_z, roll, pitch)
    if joints[own + 3] >= 0:
        toe = origin_of_both(frames, joints[own + 3])
        new_toe = add(new_ankle, turned(turn, subtract(toe, ankle)))
        toe_turn = foot_turn(ahead_x, ahead_z, roll, toe_pitch)
        move_both(frames, owned, owned_start[begin + 3], owned_start[begin + 4], toe_turn, toe, new_toe)
    move_both(frames, owned, owned_start[begin], owned_start[begin + 1], thigh_turn, hip, hip)
    move_both(frames, owned, owned_start[begin + 1], owned_start[begin + 2], shank_turn, knee, new_knee)
    move_both(frames, owned, owned_start[begin + 2], owned_start[begin + 3], turn, ankle, new_ankle)


@inlined
def _own_step(memory, is_near, moved, dt):
    """How far [m] actors that moved went up at once: a step, not a slope that they walk up; and their last two speeds.

    All of it where that was steeper than anybody walks, else what is beyond the median of the last three speeds up,
    which a single small step does not move. Who is not near begins anew.
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
def follow_ground(memory, rows, place, target, length, decay, dt):
    """How far [m] the pelvis is shifted now: it follows `target` exponentially, and a sudden step of the actor too.

    memory [actor, MEMORY]: the actor's place at the last step, the shift, what is left of the actor's own steps up or
    down, its last two speeds upwards. An actor that has not been here before, or comes from further away than its
    leg is long, is shifted at once.
    """
    at = rows * MEMORY
    x, y, z, before = gather4(memory, at, 0)
    _, left, last, earlier = gather4(memory, at, 3)
    moved = subtract(place, (x, y, z))
    is_near = dot(moved, moved) < length * length  # false for NaN
    step, (last, earlier) = _own_step((last, earlier), is_near, moved, dt)
    rest = select(is_near, (left - step) * decay, ZERO)
    shift = select(is_near, target + (before - target) * decay, target)
    scatter4(memory, at, 0, *place, shift)
    scatter4(memory, at, 3, shift, rest, last, earlier)
    return shift + rest
