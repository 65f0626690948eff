"""Cyclic coordinate descent (Wang and Chen 1991): joint by joint from the tip, each turned to aim the effector.

The coordinates of a limited ball are its twist and its swing, one after the other; a turn that brings the effector no
nearer, because the limit spoils it, is not made.
"""

from ecs_anim.ik.chain import Bend
from ecs_anim.ik.limits import BallLimit
from ecs_anim.ik.steps import Array, distance_to


def sweep(bend: Bend, target: Array) -> Bend:
    """Turn each joint once, from the last that turns to the root."""
    for joint in reversed(range(bend.turns.shape[1])):
        limit = bend.chain.limits[joint]
        if isinstance(limit, BallLimit):
            bend = _if_nearer(bend, joint, bend.twist(joint, bend.effector, target), target)
        turn = bend.aim(joint, bend.effector, target)
        bend = bend.turned(joint, turn) if limit is None else _if_nearer(bend, joint, turn, target)
    return bend


def _if_nearer(bend: Bend, joint: int, turn: Array, target: Array) -> Bend:
    tried = bend.turned(joint, turn)
    nearer = distance_to(tried, target) < distance_to(bend, target)
    return bend.updated(nearer, tried[nearer])
