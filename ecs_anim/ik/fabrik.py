"""Forward and backward reaching (Aristidou and Lasenby 2011), with orientations carried along."""

from ecs_anim.ik.chain import Bend
from ecs_anim.ik.steps import Array
from ecs_anim.maths.small_matrices import unit


def sweep(bend: Bend, target: Array) -> Bend:
    """Lay the chain from the target back to the root, then from the root again, each link towards where it lay.

    On the way out each joint turns its link, with all that hangs from it, by the shortest turn that its limit allows.
    """
    wanted = backward(bend, target)
    for joint in range(bend.turns.shape[1]):
        bend = bend.turned(joint, bend.aim(joint, bend.points[:, joint + 1], wanted[:, joint + 1]))
    return bend


def backward(bend: Bend, target: Array) -> Array:
    """Where the joints lie [k, n, 3] when the chain is laid from the target backwards, links at their lengths."""
    points, lengths = bend.points.copy(), bend.lengths
    points[:, -1] = target
    for joint in reversed(range(lengths.shape[1])):
        way = unit(points[:, joint] - points[:, joint + 1])
        points[:, joint] = points[:, joint + 1] + lengths[:, joint, None] * way
    return points
