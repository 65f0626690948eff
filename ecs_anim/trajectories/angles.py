"""Conversion of heading angles in a file to directions on the plan. A convention states the unit, the zero direction
and the sense of rotation of the angles in a file.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary
from ecs_anim.trajectories.motion import Motion
from ecs_anim.trajectories.rows import Reals

CONVENTIONS = {  # by name: (radians per unit, sign, direction of angle 0 in radians), counter-clockwise from east
    "east": (np.pi / 180, 1.0, 0.0),  # degrees counter-clockwise from east: inD, ROS (REP 103) in degrees
    "north": (np.pi / 180, -1.0, np.pi / 2),  # degrees clockwise from north, as on a compass: SUMO
    "east radians": (1.0, 1.0, 0.0),
    "north radians": (1.0, -1.0, np.pi / 2),
}
LARGEST_ANGLE = 1e6  # degrees or radians
WALKS = 0.2  # share of the longest step; a shorter step has no direction
ALIKE = 0.8  # least mean cosine between headings and steps for an accepted convention
CLEARER = 0.2  # least difference between the mean cosines of the best and the second-best convention
LEAST = 5  # least number of steps


def direction(angles: Reals, convention: str) -> Reals:
    """Return unit vectors [n, 2] for angles [n]. If an angle is NaN or exceeds `LARGEST_ANGLE`, the vector is zero."""
    unit, sign, start = CONVENTIONS[convention]
    known = np.abs(angles) <= LARGEST_ANGLE
    turned = sign * np.where(known, angles, 0.0) * unit + start
    return np.stack([elementary.cos(turned), elementary.sin(turned)], axis=-1) * known[:, None]


def with_headings(columns: Mapping[str, NDArray[Any]], convention: str) -> dict[str, NDArray[Any]]:
    """Return `columns` with `heading_x` and `heading_y` in place of `heading`, which contains angles."""
    found = dict(columns)
    if "heading" in found:
        found["heading_x"], found["heading_y"] = direction(found.pop("heading"), convention).T
    return found


def convention_of(motion: Motion, angles: Reals) -> str | None:
    """Return the name of the convention with which the angles [n] agree best with the walking directions of people.

    Return None if too few people walk, or if no convention fits clearly better than the other conventions.
    """
    steps, far = motion.steps, motion.steps.metres
    own = angles[motion.order][steps.first]
    chosen = (far > WALKS * far.max(initial=0.0)) & np.isfinite(own)
    if np.count_nonzero(chosen) < LEAST:
        return None
    ahead = steps.moves[chosen] / far[chosen, None]
    shares = {name: float(np.mean(np.sum(direction(own[chosen], name) * ahead, axis=-1))) for name in CONVENTIONS}
    best, second, *_ = sorted(shares, key=lambda name: -shares[name])
    return best if shares[best] >= ALIKE and shares[best] >= shares[second] + CLEARER else None
