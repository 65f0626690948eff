"""FABRIK: forward and backward reaching (Aristidou and Lasenby 2011), extended by joint orientations."""

from ecs_anim.ik.chain import Bend
from ecs_anim.ik.steps import Array
from ecs_anim.maths.small_matrices import unit


def sweep(bend: Bend, target: Array) -> Bend:
    """Do one sweep: place the joints from the target to the root, then from the root to the target.

    In the second pass, each joint rotates its link, and all joints below it, towards the link's position in the first
    pass. The rotation is the shortest rotation, reduced to the joint's limit.
    """
    wanted = backward(bend, target)
    for joint in range(bend.turns.shape[1]):
        bend = bend.turned(joint, bend.aim(joint, bend.points[:, joint + 1], wanted[:, joint + 1]))
    return bend


def backward(bend: Bend, target: Array) -> Array:
    """Return the joint positions [k, n, 3] of the pass from the target to the root. The links keep their lengths."""
    points, lengths = bend.points.copy(), bend.lengths
    points[:, -1] = target
    for joint in reversed(range(lengths.shape[1])):
        way = unit(points[:, joint] - points[:, joint + 1])
        points[:, joint] = points[:, joint + 1] + lengths[:, joint, None] * way
    return points
