"""What bends one actor's chain: the steps of `ecs_anim.ik`, each joint visited once a sweep.

A turn of a joint moves all below it. Going up, a sweep keeps only where that leaves the effector; going down, it
carries the product of all turns so far along.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ik.arrays import BALL, FREE, HINGE
from ecs_anim.ik.ccd import MOST
from ecs_anim.ik.steps import IN_LINE, SHAKE
from ecs_anim.kernels import helper
from ecs_anim.kernels.joint_limits import clamp_ball, clamp_hinge
from ecs_anim.kernels.rotations import about, from_to, inverse, normalized, perpendicular, product, rotated
from ecs_anim.kernels.vectors import add, cross, dot, scaled, subtract

IDENTITY = (0.0, 0.0, 0.0, 1.0)
PI = np.pi
ROOT, MIDDLE = np.int64(0), np.int64(1)  # as literals they would be compiled apart
SIN_MOST, COS_MOST = np.sin(MOST / 2), np.cos(MOST / 2)
SMALL = 1e-6  # lengths of a chain that a radian costs a hinge of a two-bone chain


class Bent(NamedTuple):
    """An actor's chain while it is bent, as `ecs_anim.ik.chain.Bend`; all arrays float64 but `kinds`."""

    points: NDArray[np.float64]  # [n, 3]
    turns: NDArray[np.float64]  # [n - 1, 4]
    steps: NDArray[np.float64]  # [n - 1, 4], what a sweep up turned each joint by
    wanted: NDArray[np.float64]  # [n, 3], where FABRIK lays the joints backwards
    lengths: NDArray[np.float64]  # [n - 1]
    frames: NDArray[np.float64]  # [n - 1, 4]
    rest_frames: NDArray[np.float64]  # [n - 1, 4]
    kinds: NDArray[np.int32]  # [n - 1]
    axes: NDArray[np.float64]  # [n - 1, 3]
    angles: NDArray[np.float64]  # [n - 1, 3]


@helper
def point(points, i):
    return points[i, 0], points[i, 1], points[i, 2]


@helper
def set_point(points, i, v):
    points[i, 0], points[i, 1], points[i, 2] = v


@helper
def rotation(turns, i):
    return turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3]


@helper
def set_rotation(turns, i, q):
    turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3] = q


@helper
def apart(a, b):
    """The distance of two points."""
    way = subtract(a, b)
    return np.sqrt(dot(way, way))


@helper
def limit_frame(bent, joint):
    """The frame that a joint's limit holds in."""
    rest = rotation(bent.rest_frames, joint)
    return product(rotation(bent.turns, joint - 1), rest) if joint > 0 else rest


@helper
def allowed(bent, joint, q):
    """What the joint's limit leaves of a further turn q."""
    kind = bent.kinds[joint]
    if kind == FREE:
        return q
    frame = limit_frame(bent, joint)
    now = product(rotation(bent.turns, joint), rotation(bent.frames, joint))
    change = product(inverse(frame), product(q, now))
    axis, (swing, low, high) = point(bent.axes, joint), point(bent.angles, joint)
    clamped = clamp_ball(change, axis, swing, low, high) if kind == BALL else clamp_hinge(change, axis, low, high)
    return normalized(product(product(frame, clamped), inverse(now)))


@helper
def aim(bent, joint, end, goal):
    """The allowed turn that brings `end` nearest to the direction of `goal`, seen from the joint."""
    if bent.kinds[joint] == HINGE:
        return aim_about(bent, joint, rotated(limit_frame(bent, joint), point(bent.axes, joint)), end, goal)
    pivot = point(bent.points, joint)
    return allowed(bent, joint, from_to(subtract(end, pivot), subtract(goal, pivot)))


@helper
def aim_about(bent, joint, axis, end, goal):
    """As `aim`, by a turn about a unit axis."""
    pivot = point(bent.points, joint)
    a, b = subtract(end, pivot), subtract(goal, pivot)
    angle = np.arctan2(dot(axis, cross(a, b)), dot(a, b) - dot(axis, a) * dot(axis, b))
    return allowed(bent, joint, about(axis, angle))


@helper
def moved_by(bent, joint, q, end):
    """Where a turn of a joint takes a point."""
    pivot = point(bent.points, joint)
    return add(pivot, rotated(q, subtract(end, pivot)))


@helper
def turn(bent, joint, q):
    """Turn a joint, and all below it, about where it is."""
    for i in range(joint, bent.turns.shape[0]):
        set_rotation(bent.turns, i, normalized(product(q, rotation(bent.turns, i))))
        set_point(bent.points, i + 1, moved_by(bent, joint, q, point(bent.points, i + 1)))


@helper
def bring_inside(bent):
    """All joints inside their limits, the root first."""
    for joint in range(bent.turns.shape[0]):
        if bent.kinds[joint] != FREE:
            turn(bent, joint, allowed(bent, joint, IDENTITY))


@helper
def _step_if_nearer(bent, joint, q, end, target):
    """Turn a joint on the way up if that brings the effector nearer; returns where the effector is."""
    tried = moved_by(bent, joint, q, end)
    if apart(tried, target) < apart(end, target):
        set_rotation(bent.steps, joint, product(q, rotation(bent.steps, joint)))
        set_rotation(bent.turns, joint, normalized(product(q, rotation(bent.turns, joint))))
        return tried
    return end


@helper
def _limited_step(bent, joint, end, target):
    """Turn a joint with a limit on the way up, a ball first about its bone; returns where the effector is."""
    set_rotation(bent.steps, joint, IDENTITY)
    if bent.kinds[joint] == BALL:
        now = product(rotation(bent.turns, joint), rotation(bent.frames, joint))
        twist = aim_about(bent, joint, rotated(now, point(bent.axes, joint)), end, target)
        end = _step_if_nearer(bent, joint, twist, end, target)
    return _step_if_nearer(bent, joint, aim(bent, joint, end, target), end, target)


@helper
def _at_most(q):
    """A turn, or one about the same axis by as much as a joint turns in a sweep."""
    if q[3] >= COS_MOST:
        return q
    share = SIN_MOST / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    return q[0] * share, q[1] * share, q[2] * share, COS_MOST


@helper
def sweep_ccd(bent, target):
    """Cyclic coordinate descent, once from the last joint that turns to the root."""
    count = bent.turns.shape[0]
    end = point(bent.points, count)
    for joint in range(count - 1, -1, -1):
        if bent.kinds[joint] == FREE:
            pivot = point(bent.points, joint)
            way = subtract(end, pivot)
            q = _at_most(from_to(way, subtract(target, pivot)))
            end = add(pivot, rotated(q, way))
            set_rotation(bent.steps, joint, q)
            set_rotation(bent.turns, joint, product(q, rotation(bent.turns, joint)))
        else:
            end = _limited_step(bent, joint, end, target)
    _carry_down(bent)


@helper
def _carry_down(bent):
    """After a sweep up: each joint's turn, and where the joints are, by the steps of all joints above."""
    carried = IDENTITY
    before = at = point(bent.points, ROOT)
    for joint in range(bent.turns.shape[0]):
        set_rotation(bent.turns, joint, normalized(product(carried, rotation(bent.turns, joint))))
        carried = normalized(product(carried, rotation(bent.steps, joint)))
        following = point(bent.points, joint + 1)
        at = add(at, rotated(carried, subtract(following, before)))
        set_point(bent.points, joint + 1, at)
        before = following


@helper
def lay_out(bent):
    """Each link from the root on towards the point wanted next, as near as the limits allow."""
    carried = IDENTITY
    before = point(bent.points, ROOT)
    for joint in range(bent.turns.shape[0]):
        following = point(bent.points, joint + 1)
        end = add(point(bent.points, joint), rotated(carried, subtract(following, before)))
        set_rotation(bent.turns, joint, product(carried, rotation(bent.turns, joint)))
        q = aim(bent, joint, end, point(bent.wanted, joint + 1))
        set_rotation(bent.turns, joint, normalized(product(q, rotation(bent.turns, joint))))
        set_point(bent.points, joint + 1, moved_by(bent, joint, q, end))
        carried = normalized(product(q, carried))
        before = following


@helper
def sweep_fabrik(bent, target):
    """Forward and backward reaching, once from the target to the root and out again."""
    last = bent.turns.shape[0]
    set_point(bent.wanted, last, target)
    for up in range(last):
        joint = last - 1 - up
        base = point(bent.wanted, joint + 1)
        way = subtract(point(bent.points, joint), base)
        size = np.sqrt(dot(way, way))
        share = bent.lengths[joint] / size if size > 0 else 0.0
        set_point(bent.wanted, joint, add(base, scaled(way, share)))
    lay_out(bent)


@helper
def reach_out(bent, target, tolerance):
    """Lay the chain along the line to a target that is too far or too near; returns whether it was."""
    lengths = bent.lengths
    longest, total = np.argmax(lengths), np.sum(lengths)
    root = point(bent.points, ROOT)
    line = subtract(target, root)
    away = np.sqrt(dot(line, line))
    far = away >= total - tolerance / 2
    if not far and away > 2 * lengths[longest] - total + tolerance / 2:
        return False
    if away == 0:
        line = subtract(point(bent.points, longest + 1), point(bent.points, longest))
    size = np.sqrt(dot(line, line))
    line = scaled(line, 1 / size if size > 0 else 0.0)
    set_point(bent.wanted, ROOT, root)
    for joint in range(lengths.shape[0]):
        sign = 1.0 if far or joint == longest else -1.0
        base = point(bent.wanted, joint)
        set_point(bent.wanted, joint + 1, add(base, scaled(line, sign * lengths[joint])))
    lay_out(bent)
    return True


@helper
def perpendicular_or_zero(v):
    """Some direction at right angles to v; none if v has none."""
    return perpendicular(v) if dot(v, v) > 0 else (0.0, 0.0, 0.0)


@helper
def closing_axis(bent, joint):
    """What a joint bends about."""
    if bent.kinds[joint] == HINGE:
        return rotated(limit_frame(bent, joint), point(bent.axes, joint))
    pivot = point(bent.points, joint)
    above, below = subtract(pivot, point(bent.points, ROOT)), subtract(point(bent.points, bent.turns.shape[0]), pivot)
    normal = cross(above, below)
    size, aa, bb = dot(normal, normal), dot(above, above), dot(below, below)
    if size <= IN_LINE * IN_LINE * aa * bb:
        return perpendicular_or_zero(above if aa > bb else below)
    return scaled(normal, 1 / np.sqrt(size))


@helper
def closing_angles(bent, joint, axis, target):
    """The angle of the chain's extreme, and how far on either side of it the effector is as far out as the target.

    Third, what is then left to the target once the root aims without limits. See `ecs_anim.ik.steps.closing_angle`.
    """
    root, pivot = point(bent.points, ROOT), point(bent.points, joint)
    above, below = subtract(pivot, root), subtract(point(bent.points, bent.turns.shape[0]), pivot)
    along = scaled(axis, dot(axis, below))
    constant = dot(above, above) + dot(below, below) + 2 * dot(above, along)
    cosine, sine = 2 * dot(above, subtract(below, along)), 2 * dot(above, cross(axis, below))
    reach, away = np.sqrt(cosine * cosine + sine * sine), apart(target, root)
    share = min(max((away * away - constant) / reach, -1.0), 1.0) if reach > 0 else 1.0
    left = abs(np.sqrt(max(constant + reach * share, 0.0)) - away)
    return np.arctan2(sine, cosine), np.arccos(share), left


@helper
def wrapped(angle):
    """The same angle from -pi to pi."""
    return angle - 2 * PI if angle >= PI else angle + 2 * PI if angle < -PI else angle


@helper
def left_when_closed(bent, joint, axis, angle, target):
    """What the limits leave of the distance when a joint is turned and the root aims."""
    q = allowed(bent, joint, about(axis, angle))
    end = moved_by(bent, joint, q, point(bent.points, bent.turns.shape[0]))
    return apart(moved_by(bent, ROOT, aim(bent, ROOT, end, target), end), target)


@helper
def turn_and_aim(bent, joint, axis, angle, target):
    """Turn a joint, then aim the root."""
    turn(bent, joint, allowed(bent, joint, about(axis, angle)))
    turn(bent, ROOT, aim(bent, ROOT, point(bent.points, bent.turns.shape[0]), target))


@helper
def close(bent, limited, target, tolerance):
    """The closing step at the joint, and to the side, that costs least; see `ecs_anim.ik.steps.close`."""
    best, best_angle, best_axis, least = 0, 0.0, (0.0, 0.0, 0.0), np.inf
    now = apart(point(bent.points, bent.turns.shape[0]), target)
    for joint in range(1, bent.turns.shape[0]):
        axis = closing_axis(bent, joint)
        middle, aside, left = closing_angles(bent, joint, axis, target)
        for side in (-1.0, 1.0):
            angle = wrapped(middle + side * aside)
            if limited:
                left = left_when_closed(bent, joint, axis, angle, target)
            cost = left + tolerance * abs(angle)
            if cost < least and left < now:
                best, best_angle, best_axis, least = joint, angle, axis, cost
    if best > 0:
        turn_and_aim(bent, best, best_axis, best_angle, target)


@helper
def shake(bent):
    """Curl the chain; see `ecs_anim.ik.steps.shake`."""
    for joint in range(bent.turns.shape[0]):
        if bent.kinds[joint] == HINGE:
            side = 1.0 if bent.angles[joint, 1] + bent.angles[joint, 2] >= 0 else -1.0
            axis = scaled(rotated(limit_frame(bent, joint), point(bent.axes, joint)), side)
        else:
            axis = perpendicular_or_zero(subtract(point(bent.points, joint + 1), point(bent.points, joint)))
        turn(bent, joint, allowed(bent, joint, about(axis, SHAKE)))


@helper
def bend_two(bent, target):
    """The analytic solution for two links; see `ecs_anim.ik.two_bone`."""
    axis = closing_axis(bent, MIDDLE)
    middle, aside, left = closing_angles(bent, MIDDLE, axis, target)
    angle = wrapped(middle + aside)
    if bent.kinds[1] == HINGE:
        other = wrapped(middle - aside)
        size = SMALL * (bent.lengths[0] + bent.lengths[1])
        left = left_when_closed(bent, MIDDLE, axis, angle, target) + size * abs(angle)
        if left_when_closed(bent, MIDDLE, axis, other, target) + size * abs(other) < left:
            angle = other
    turn_and_aim(bent, MIDDLE, axis, angle, target)
