"""Cyclic coordinate descent (Wang and Chen 1991). From the tip to the root, each joint rotates so that the effector
points at the target.

In one sweep, a joint without a limit rotates by at most one radian. Therefore, all joints of the chain bend, and the
pose follows a moving target without jumps. With larger rotations, a chain could wind up in either direction.

A ball joint with a limit twists first, then swings. A joint with a limit rotates only if the rotation, reduced to the
limit, moves the effector closer to the target.
"""

from ecs_anim.ik.chain import Bend
from ecs_anim.ik.limits import BallLimit, shortened
from ecs_anim.ik.steps import Array, distance_to

MOST = 1.0  # largest rotation of a joint without a limit in one sweep [rad]


def sweep(bend: Bend, target: Array) -> Bend:
    """Do one sweep: rotate each joint once, from the last joint before the effector to the root."""
    for joint in reversed(range(bend.turns.shape[1])):
        limit = bend.chain.limits[joint]
        if isinstance(limit, BallLimit):
            bend = _if_nearer(bend, joint, bend.twist(joint, bend.effector, target), target)
        turn = bend.aim(joint, bend.effector, target)
        bend = bend.turned(joint, shortened(turn, MOST)) if limit is None else _if_nearer(bend, joint, turn, target)
    return bend


def _if_nearer(bend: Bend, joint: int, turn: Array, target: Array) -> Bend:
    tried = bend.turned(joint, turn)
    nearer = distance_to(tried, target) < distance_to(bend, target)
    return bend.updated(nearer, tried[nearer])
