"""Cyclic coordinate descent (Wang and Chen 1991): joint by joint from the tip, each turned to aim the effector.

A joint without a limit turns by at most a radian a sweep: then chains bend as a whole, and poses follow a moving
target without jumps, where whole turns would wind a chain up one way or the other. The coordinates of a limited ball
are its twist and its swing, one after the other. A turn is skipped if the limit keeps it from moving the effector
closer.
"""

from ecs_anim.ik.chain import Bend
from ecs_anim.ik.limits import BallLimit, shortened
from ecs_anim.ik.steps import Array, distance_to

MOST = 1.0  # [rad] that a joint without a limit turns in a sweep


def sweep(bend: Bend, target: Array) -> Bend:
    """Turn each joint once, from the last that turns to the root."""
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
