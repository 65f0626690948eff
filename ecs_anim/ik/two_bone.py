"""Analytic solution for a chain of two links, by the law of cosines."""

import numpy as np

from ecs_anim.ik.chain import Bend
from ecs_anim.ik.limits import HingeLimit
from ecs_anim.ik.steps import Array, closed, distance_to


def bend_towards(bend: Bend, target: Array, pole: Array | None = None) -> Bend:
    """Bend the middle joint until effector and target [k, 3] are equally far from the root. Then rotate the root, so
    that the effector points at the target.

    The middle joint keeps its bending plane and its bending side. If the middle joint is a hinge, it rotates about its
    axis to the side that its range allows. With `pole` [k, 3], the chain also rotates about the line from root to
    target, until the middle joint points to the pole.
    """
    bend = bend.within_limits()
    bent, angle = closed(bend, 1, target, 1.0)
    if isinstance(bend.chain.limits[1], HingeLimit):
        other, turn = closed(bend, 1, target, -1.0)
        # cost of one radian of rotation; with this cost, the smaller rotation wins if two solutions have equal
        # distances
        size = 1e-6 * bend.lengths.sum(axis=1)
        better = distance_to(other, target) + size * np.abs(turn) < distance_to(bent, target) + size * np.abs(angle)
        bent = bent.updated(better, other[better])
    if pole is not None:
        line = bent.effector - bent.points[:, 0]
        length = np.linalg.norm(line, axis=-1, keepdims=True)
        swivel = bent.aim_about(0, line / np.where(length > 0, length, 1), bent.points[:, 1], pole)
        bent = bent.turned(0, swivel)
    return bent
