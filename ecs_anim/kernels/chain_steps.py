"""Inverse kinematics of the chain of one actor: compiled versions of `ecs_anim.ik.steps`, `ccd`, `fabrik`, `two_bone`.
A CCD sweep goes up from the effector to the root, computes the rotation of each joint, and moves only the effector.
Then the sweep goes down, and applies to each joint the rotations of all joints above it.
"""

import numpy as np

from ecs_anim.ik.arrays import BALL, FREE, HINGE
from ecs_anim.ik.ccd import MOST
from ecs_anim.ik.steps import IN_LINE, SHAKE
from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.elementary import arccos, arctan2
from ecs_anim.kernels.joint_limits import clamp_ball, clamp_hinge
from ecs_anim.kernels.rotations import about, from_to, inverse, normalized, perpendicular, product, rotated
from ecs_anim.kernels.vectors import add, cross, dot, scaled, subtract
from ecs_anim.maths import elementary

IDENTITY = (0.0, 0.0, 0.0, 1.0)
PI = np.pi
ROOT, MIDDLE = np.int64(0), np.int64(1)  # typed constants, because numba would compile a helper for each literal
SIN_MOST, COS_MOST = float(elementary.sin(MOST / 2)), float(elementary.cos(MOST / 2))
SMALL = 1e-6  # cost of a radian in the hinge of a two-bone chain, as a share of the chain's length


# The state of a chain is one float64 array `bent` [n, WIDTH], with one row for each joint. The last row is the
# effector. The values are the values of `ecs_anim.ik.chain.Bend`. A tuple of arrays would make the
# compilation of helpers slow. Columns:
POINT, TURN = np.int64(0), np.int64(3)  # position [3], and rotation since the input pose [4]; a sweep changes both
KEPT = 7  # number of the first columns, which are restored when a sweep is undone
STEP = np.int64(7)  # rotation of the joint on the way up of a sweep [4]
WANTED = np.int64(11)  # position from the backward pass of FABRIK [3]
FRAME, REST_FRAME = np.int64(14), np.int64(18)  # [4] each; see `Bend`
AXIS, ANGLES = np.int64(22), np.int64(25)  # [3] each, see `ChainArrays`
LENGTH, KIND = 28, 29
WIDTH = 30


@inlined
def vector(bent, i, at):
    return bent[i, at], bent[i, at + 1], bent[i, at + 2]


@inlined
def set_vector(bent, i, at, v):
    bent[i, at], bent[i, at + 1], bent[i, at + 2] = v


@inlined
def quaternion(bent, i, at):
    return bent[i, at], bent[i, at + 1], bent[i, at + 2], bent[i, at + 3]


@inlined
def set_quaternion(bent, i, at, q):
    bent[i, at], bent[i, at + 1], bent[i, at + 2], bent[i, at + 3] = q


@helper
def effector(bent):
    """Return the position of the chain's last joint, the effector."""
    return vector(bent, bent.shape[0] - 1, POINT)


@helper
def apart(a, b):
    """Return the distance between two points."""
    way = subtract(a, b)
    return np.sqrt(dot(way, way))


@helper
def limit_frame(bent, joint):
    """Return the coordinate frame in which a joint's limit is given: the rest rotation, then the parent's rotation."""
    rest = quaternion(bent, joint, REST_FRAME)
    return product(quaternion(bent, joint - 1, TURN), rest) if joint > 0 else rest


@helper
def allowed(bent, joint, q):
    """Reduce the rotation q of a joint so that the joint stays within its limit. Return the reduced rotation."""
    kind = bent[joint, KIND]
    if kind == FREE:
        return q
    frame = limit_frame(bent, joint)
    now = product(quaternion(bent, joint, TURN), quaternion(bent, joint, FRAME))
    change = product(inverse(frame), product(q, now))
    axis, (swing, low, high) = vector(bent, joint, AXIS), vector(bent, joint, ANGLES)
    clamped = clamp_ball(change, axis, swing, low, high) if kind == BALL else clamp_hinge(change, axis, low, high)
    return normalized(product(product(frame, clamped), inverse(now)))


@helper
def aim(bent, joint, end, goal):
    """Return the rotation of a joint within its limit that points `end` at `goal` as closely as possible."""
    if bent[joint, KIND] == HINGE:
        return aim_about(bent, joint, rotated(limit_frame(bent, joint), vector(bent, joint, AXIS)), end, goal)
    pivot = vector(bent, joint, POINT)
    return allowed(bent, joint, from_to(subtract(end, pivot), subtract(goal, pivot)))


@helper
def aim_about(bent, joint, axis, end, goal):
    """Return the rotation about `axis`, within the joint's limit, that points `end` as well as possible at `goal`."""
    pivot = vector(bent, joint, POINT)
    a, b = subtract(end, pivot), subtract(goal, pivot)
    angle = arctan2(dot(axis, cross(a, b)), dot(a, b) - dot(axis, a) * dot(axis, b))
    return allowed(bent, joint, about(axis, angle))


@helper
def moved_by(bent, joint, q, end):
    """Return the position of the point `end` after the joint rotates by q."""
    pivot = vector(bent, joint, POINT)
    return add(pivot, rotated(q, subtract(end, pivot)))


@helper
def turn(bent, joint, q):
    """Rotate a joint, and all joints below it in the chain, by q about the position of the joint."""
    for i in range(joint, bent.shape[0] - 1):
        set_quaternion(bent, i, TURN, normalized(product(q, quaternion(bent, i, TURN))))
        set_vector(bent, i + 1, POINT, moved_by(bent, joint, q, vector(bent, i + 1, POINT)))


@helper
def bring_inside(bent):
    """Rotate each joint that is outside of its limit back into the limit. Begin with the root."""
    for joint in range(bent.shape[0] - 1):
        if bent[joint, KIND] != FREE:
            turn(bent, joint, allowed(bent, joint, IDENTITY))


@helper
def _step_if_nearer(bent, joint, q, end, target):
    """Rotate a joint by q if this moves the effector nearer to the target. Return the effector's position."""
    tried = moved_by(bent, joint, q, end)
    if apart(tried, target) < apart(end, target):
        set_quaternion(bent, joint, STEP, product(q, quaternion(bent, joint, STEP)))
        set_quaternion(bent, joint, TURN, normalized(product(q, quaternion(bent, joint, TURN))))
        return tried
    return end


@helper
def _limited_step(bent, joint, end, target):
    """Rotate a joint with a limit. A ball joint first twists about its bone. Return the effector's position."""
    set_quaternion(bent, joint, STEP, IDENTITY)
    if bent[joint, KIND] == BALL:
        now = product(quaternion(bent, joint, TURN), quaternion(bent, joint, FRAME))
        twist = aim_about(bent, joint, rotated(now, vector(bent, joint, AXIS)), end, target)
        end = _step_if_nearer(bent, joint, twist, end, target)
    return _step_if_nearer(bent, joint, aim(bent, joint, end, target), end, target)


@helper
def _at_most(q):
    """Limit the angle of the rotation q to the largest angle of a joint in one sweep."""
    if q[3] >= COS_MOST:
        return q
    share = SIN_MOST / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    return q[0] * share, q[1] * share, q[2] * share, COS_MOST


@helper
def sweep_ccd(bent, target):
    """Do one sweep of cyclic coordinate descent: from the last joint before the effector to the root, and back."""
    count = bent.shape[0] - 1
    end = effector(bent)
    for joint in range(count - 1, -1, -1):
        if bent[joint, KIND] == FREE:
            pivot = vector(bent, joint, POINT)
            way = subtract(end, pivot)
            q = _at_most(from_to(way, subtract(target, pivot)))
            end = add(pivot, rotated(q, way))
            set_quaternion(bent, joint, STEP, q)
            set_quaternion(bent, joint, TURN, product(q, quaternion(bent, joint, TURN)))
        else:
            end = _limited_step(bent, joint, end, target)
    _carry_down(bent)


@helper
def _carry_down(bent):
    """Do the way down of a CCD sweep: apply to each joint the rotations of all joints above this joint."""
    carried = IDENTITY
    before = at = vector(bent, ROOT, POINT)
    for joint in range(bent.shape[0] - 1):
        set_quaternion(bent, joint, TURN, normalized(product(carried, quaternion(bent, joint, TURN))))
        carried = normalized(product(carried, quaternion(bent, joint, STEP)))
        following = vector(bent, joint + 1, POINT)
        at = add(at, rotated(carried, subtract(following, before)))
        set_vector(bent, joint + 1, POINT, at)
        before = following


@helper
def lay_out(bent):
    """From the root on, rotate each link within its limits towards the position in `WANTED` of its end."""
    carried = IDENTITY
    before = vector(bent, ROOT, POINT)
    for joint in range(bent.shape[0] - 1):
        following = vector(bent, joint + 1, POINT)
        end = add(vector(bent, joint, POINT), rotated(carried, subtract(following, before)))
        set_quaternion(bent, joint, TURN, product(carried, quaternion(bent, joint, TURN)))
        q = aim(bent, joint, end, vector(bent, joint + 1, WANTED))
        set_quaternion(bent, joint, TURN, normalized(product(q, quaternion(bent, joint, TURN))))
        set_vector(bent, joint + 1, POINT, moved_by(bent, joint, q, end))
        carried = normalized(product(q, carried))
        before = following


@helper
def sweep_fabrik(bent, target):
    """Do one sweep of FABRIK: first a pass from the effector to the root, then a pass from the root to the effector."""
    last = bent.shape[0] - 1
    set_vector(bent, last, WANTED, target)
    for up in range(last):
        joint = last - 1 - up
        base = vector(bent, joint + 1, WANTED)
        way = subtract(vector(bent, joint, POINT), base)
        size = np.sqrt(dot(way, way))
        share = bent[joint, LENGTH] / size if size > 0 else 0.0
        set_vector(bent, joint, WANTED, add(base, scaled(way, share)))
    lay_out(bent)


@helper
def reach_out(bent, target, tolerance):
    """If the target is out of reach (farther than the chain is long, or nearer than one long link allows), rotate all
    links into the direction of the target, and return true.
    """
    longest, total = ROOT, 0.0
    for joint in range(bent.shape[0] - 1):
        total += bent[joint, LENGTH]
        if bent[joint, LENGTH] > bent[longest, LENGTH]:
            longest = np.int64(joint)
    root = vector(bent, ROOT, POINT)
    line = subtract(target, root)
    away = np.sqrt(dot(line, line))
    far = away >= total - tolerance / 2
    if not far and away > 2 * bent[longest, LENGTH] - total + tolerance / 2:
        return False
    if away == 0:
        line = subtract(vector(bent, longest + 1, POINT), vector(bent, longest, POINT))
    size = np.sqrt(dot(line, line))
    line = scaled(line, 1 / size if size > 0 else 0.0)
    set_vector(bent, ROOT, WANTED, root)
    for joint in range(bent.shape[0] - 1):
        sign = 1.0 if far or joint == longest else -1.0
        base = vector(bent, joint, WANTED)
        set_vector(bent, joint + 1, WANTED, add(base, scaled(line, sign * bent[joint, LENGTH])))
    lay_out(bent)
    return True


@helper
def perpendicular_or_zero(v):
    """Return a vector that is perpendicular to v, or zero if v is zero."""
    return perpendicular(v) if dot(v, v) > 0 else (0.0, 0.0, 0.0)


@helper
def closing_axis(bent, joint):
    """Return the axis about which the closing step rotates a joint. See `ecs_anim.ik.steps.closing_axis`."""
    if bent[joint, KIND] == HINGE:
        return rotated(limit_frame(bent, joint), vector(bent, joint, AXIS))
    pivot = vector(bent, joint, POINT)
    above, below = subtract(pivot, vector(bent, ROOT, POINT)), subtract(effector(bent), pivot)
    normal = cross(above, below)
    size, aa, bb = dot(normal, normal), dot(above, above), dot(below, below)
    if size <= IN_LINE * IN_LINE * aa * bb:
        return perpendicular_or_zero(above if aa > bb else below)
    return scaled(normal, 1 / np.sqrt(size))


@helper
def closing_angles(bent, joint, axis, target):
    """Return two angles and a distance for the closing step at a joint. See `ecs_anim.ik.steps.closing_angle`.

    - The first angle is the joint's rotation that moves the effector farthest from the root.
    - There are two solutions: two angles at which the effector is as far from the root as the target. The second angle
      is the difference between the first angle and each solution.
    - The distance is the remaining distance from the effector to the target, for a root without a limit.
    """
    root, pivot = vector(bent, ROOT, POINT), vector(bent, joint, POINT)
    above, below = subtract(pivot, root), subtract(effector(bent), pivot)
    along = scaled(axis, dot(axis, below))
    constant = dot(above, above) + dot(below, below) + 2 * dot(above, along)
    cosine, sine = 2 * dot(above, subtract(below, along)), 2 * dot(above, cross(axis, below))
    reach, away = np.sqrt(cosine * cosine + sine * sine), apart(target, root)
    share = min(max((away * away - constant) / reach, -1.0), 1.0) if reach > 0 else 1.0
    left = abs(np.sqrt(max(constant + reach * share, 0.0)) - away)
    return arctan2(sine, cosine), arccos(share), left


@helper
def wrapped(angle):
    """Wrap an angle [rad] to the range from -pi to pi."""
    return angle - 2 * PI if angle >= PI else angle + 2 * PI if angle < -PI else angle


@helper
def left_when_closed(bent, joint, axis, angle, target):
    """Return the distance between effector and target that would remain after `turn_and_aim`."""
    q = allowed(bent, joint, about(axis, angle))
    end = moved_by(bent, joint, q, effector(bent))
    return apart(moved_by(bent, ROOT, aim(bent, ROOT, end, target), end), target)


@helper
def turn_and_aim(bent, joint, axis, angle, target):
    """Rotate a joint about an axis by an angle [rad]. Then rotate the root to point the effector at the target."""
    turn(bent, joint, allowed(bent, joint, about(axis, angle)))
    turn(bent, ROOT, aim(bent, ROOT, effector(bent), target))


@helper
def close(bent, limited, target, tolerance):
    """Rotate the joint that lets the effector reach the target with the lowest cost. See `ecs_anim.ik.steps.close`."""
    best, best_angle, best_axis, least = 0, 0.0, (0.0, 0.0, 0.0), np.inf
    now = apart(effector(bent), target)
    for joint in range(1, bent.shape[0] - 1):
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
    """Curl a chain along a line, because one joint alone cannot unwind the chain. See `ecs_anim.ik.steps.shake`."""
    for joint in range(bent.shape[0] - 1):
        if bent[joint, KIND] == HINGE:
            side = 1.0 if bent[joint, ANGLES + 1] + bent[joint, ANGLES + 2] >= 0 else -1.0
            axis = scaled(rotated(limit_frame(bent, joint), vector(bent, joint, AXIS)), side)
        else:
            axis = perpendicular_or_zero(subtract(vector(bent, joint + 1, POINT), vector(bent, joint, POINT)))
        turn(bent, joint, allowed(bent, joint, about(axis, SHAKE)))


@helper
def bend_two(bent, target):
    """Solve a chain of two links analytically. See `ecs_anim.ik.two_bone`."""
    axis = closing_axis(bent, MIDDLE)
    middle, aside, left = closing_angles(bent, MIDDLE, axis, target)
    angle = wrapped(middle + aside)
    if bent[1, KIND] == HINGE:
        other = wrapped(middle - aside)
        size = SMALL * (bent[0, LENGTH] + bent[1, LENGTH])
        left = left_when_closed(bent, MIDDLE, axis, angle, target) + size * abs(angle)
        if left_when_closed(bent, MIDDLE, axis, other, target) + size * abs(other) < left:
            angle = other
    turn_and_aim(bent, MIDDLE, axis, angle, target)
