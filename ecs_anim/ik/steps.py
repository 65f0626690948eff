"""Steps that all solvers use: the straight chain for a target out of reach, the closing step, and the shake.

The reach of a chain is the distance from the root to the effector. In a chain that is almost straight or almost folded,
a rotation hardly changes the reach. Therefore, the sweeps of CCD and FABRIK make little or no progress. The closing
step first rotates one joint, by an angle from the law of cosines. The reach is then equal to the distance from the root
to the target. Finally, the root rotates, so that the effector points at the target.
"""

import math
from itertools import product
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ik.chain import Bend
from ecs_anim.ik.limits import BallLimit, HingeLimit
from ecs_anim.maths import elementary, quaternion
from ecs_anim.maths.small_matrices import perpendicular, unit

Array = NDArray[np.floating]

SHAKE = 0.5  # rotation of each joint in the shake [rad]
IN_LINE = 1e-6  # if the sine of the angle between two directions is smaller, the directions count as collinear


def distance_to(bend: Bend, target: Array) -> Array:
    """Return the distance [k] between the effector and the target."""
    found: Array = np.linalg.norm(bend.effector - target, axis=-1)
    return found


def reach_out(bend: Bend, target: Array, rows: NDArray[np.bool_], tolerance: Array) -> tuple[Bend, NDArray[np.bool_]]:
    """Lay chains along the line to the target if the target is out of reach.

    A target is out of reach if it is too far from the root. If one link is longer than all other links together, a
    target can also be too near to the root. The effector of such a chain is then as near to its target as possible. The
    function tests only the chains in the mask `rows` [k]. It returns the new joint positions as a `Bend`, and a mask
    [k] that is true for each target out of reach.
    """
    lengths, root = bend.lengths, bend.points[:, 0]
    longest, total = lengths.max(axis=1), lengths.sum(axis=1)
    at = np.arange(len(lengths)), lengths.argmax(axis=1)
    away = np.linalg.norm(target - root, axis=-1)
    far, near = away >= total - tolerance / 2, away <= 2 * longest - total + tolerance / 2
    rows = rows & (far | near)
    line = np.where((away > 0)[:, None], target - root, np.diff(bend.points, axis=1)[at])
    signs = np.repeat(np.where(far, 1.0, -1.0)[:, None], lengths.shape[1], axis=1)
    signs[at] = 1
    part = bend[rows]
    for joint in range(lengths.shape[1]):
        link = part.points[:, joint + 1] - part.points[:, joint]
        part = part.turned(joint, quaternion.from_to(link, signs[rows, joint, None] * line[rows]))
    return bend.updated(rows, part), rows


def close(bend: Bend, target: Array, tolerance: Array) -> Bend:
    """Rotate one joint so that effector and target are equally far from the root.

    After the rotation of the joint, aim the root at the target.

    The step tries all joints between root and effector, each with both bending sides. It chooses the solution with the
    lowest cost. The cost is the remaining distance plus `tolerance` [k] for each radian of the joint's rotation. If no
    rotation moves the effector closer to the target, the chain does not change.
    """
    best, least, now = bend, np.full(len(target), np.inf), distance_to(bend, target)
    for joint, side in product(range(1, bend.points.shape[1] - 1), (-1.0, 1.0)):
        tried, angle = closed(bend, joint, target, side)
        left = distance_to(tried, target)
        cost = left + tolerance * np.abs(angle)
        better = (cost < least) & (left < now)
        best, least = best.updated(better, tried[better]), np.where(better, cost, least)
    return best


def closed(bend: Bend, joint: int, target: Array, side: float) -> tuple[Bend, Array]:
    """Return the `Bend` after the closing step at one joint, and the angle [k] of this joint without limits. `side` is
    +1 or -1.
    """
    axis = closing_axis(bend, joint)
    angle = closing_angle(bend, joint, axis, target, side)
    turned = bend.turned(joint, bend.allowed(joint, quaternion.from_axis_angle(axis, angle)))
    return turned.turned(0, turned.aim(0, turned.effector, target)), angle


def shake(bend: Bend) -> Bend:
    """Curl the chain: rotate all joints by an equal angle, reduced to their limits. A hinge moves into its range.

    The shake is for chains that are wound up along a line, because the rotation of a single joint cannot unwind them.
    """
    for joint, limit in enumerate(bend.chain.limits):
        match limit:
            case HingeLimit():
                side = 1.0 if sum(limit.angle) >= 0 else -1.0
                axis = side * quaternion.rotate(bend.limit_frame(joint), limit.unit_axis)
            case BallLimit() | None:
                axis = perpendicular(bend.points[:, joint + 1] - bend.points[:, joint])
            case _:
                assert_never(limit)
        turn = quaternion.from_axis_angle(axis, np.full(len(axis), SHAKE))
        bend = bend.turned(joint, bend.allowed(joint, turn))
    return bend


def closing_axis(bend: Bend, joint: int) -> Array:
    """Return the axis [k, 3] about which a joint bends.

    A hinge bends about its axis. Any other joint bends about the normal of the plane of joint, root and effector. If
    joint, root and effector are collinear, the axis is any direction that is perpendicular to their line.
    """
    limit = bend.chain.limits[joint]
    match limit:
        case HingeLimit():
            return quaternion.rotate(bend.limit_frame(joint), limit.unit_axis)
        case BallLimit() | None:
            return _normal(bend, joint)
        case _:
            assert_never(limit)


def _normal(bend: Bend, joint: int) -> Array:
    """Return the normal of the plane of joint, root and effector.

    If joint, root and effector are collinear, return a direction that is perpendicular to their line.
    """
    above, below = bend.points[:, joint] - bend.points[:, 0], bend.effector - bend.points[:, joint]
    normal = np.cross(above, below)
    size = np.linalg.norm(above, axis=-1) * np.linalg.norm(below, axis=-1)
    longer = np.where((np.sum(above**2, -1) > np.sum(below**2, -1))[:, None], above, below)
    in_line = np.linalg.norm(normal, axis=-1) <= IN_LINE * size
    found: Array = np.where(in_line[:, None], perpendicular(longer), unit(normal))
    return found


def closing_angle(bend: Bend, joint: int, axis: Array, target: Array, side: float) -> Array:
    """Return the angle [k] of the closing step at a joint, about `axis` [k, 3].

    After a rotation by the returned angle, effector and target are equally far from the root. The squared distance from
    root to effector is constant + cosine x cos(angle) + sine x sin(angle). This equation for the squared distance is
    the law of cosines for any axis.

    The equation has two solutions, one before and one after the angle at which the chain is longest. With `side` +1,
    the function returns the second solution. If `axis` is the normal of the plane of joint, root and effector, the
    solution for `side` +1 keeps the bending side of the chain. If the equation has no solution, the function returns
    the angle at which the distances are most nearly equal.
    """
    above, below = bend.points[:, joint] - bend.points[:, 0], bend.effector - bend.points[:, joint]
    along = np.sum(axis * below, -1, keepdims=True) * axis
    constant = np.sum(above**2, -1) + np.sum(below**2, -1) + 2 * np.sum(above * along, -1)
    cosine, sine = 2 * np.sum(above * (below - along), -1), 2 * np.sum(above * np.cross(axis, below), -1)
    reach = elementary.hypot(cosine, sine)
    wanted = np.sum((target - bend.points[:, 0]) ** 2, -1) - constant
    apart = elementary.arccos(np.where(reach > 0, np.clip(wanted / np.where(reach > 0, reach, 1), -1, 1), 1))
    angle = elementary.arctan2(sine, cosine) + side * apart
    found: Array = (angle + math.pi) % (2 * math.pi) - math.pi
    return found
