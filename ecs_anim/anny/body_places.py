"""Places on the mean body. Garments, hair and paint have their limits on this body, and so fit all bodies.

All bodies share the vertices of the mean body, so a limit at a vertex or at a texel holds for all bodies.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ecs_anim.anny.base import base
from ecs_anim.anny.fit import fitted
from ecs_anim.anny.persons import FEATURES, Person, Sex
from ecs_anim.anny.shape import body_points
from ecs_anim.mannequin import body
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import curve

HAIRLINE = [  # [m], forward position and height of the lower end of hair
    (-0.09, 1.578), (-0.05, 1.583), (-0.03, 1.60), (-0.012, 1.63), (-0.004, 1.664), (0.03, 1.664), (0.034, 1.628),
    (0.042, 1.628), (0.05, 1.67), (0.062, 1.70), (0.085, 1.716), (0.12, 1.717),
]  # fmt: skip
EAR = (0.0755, 1.662)  # [m], x beyond which points below this height belong to an ear


@dataclass(frozen=True)
class Places:
    """Points on the mean body, and the skin weights of the parts of the body."""

    points: Array  # [n, 3], [m]
    arm: Array  # [n], 0 to 1
    leg: Array  # [n]
    head: Array  # [n]

    @cached_property
    def left(self) -> Array:
        """Return the points, with those of the right side mirrored to the left side."""
        return body.on_left(self.points)

    @cached_property
    def along_arm(self) -> Array:
        return body.arm_coordinates(self.left)[0]

    @cached_property
    def over_hairline(self) -> Array:
        """Return the height [m] of points over the lower end of hair. Ears and the rest of the body are below it."""
        x, y, z = self.left.T
        found = np.minimum(y - curve(HAIRLINE, np.clip(z, -0.09, 0.12))[:, 0], self.head - 0.6)
        return np.where((x > EAR[0]) & (y < EAR[1]), -1.0, found)


@cache
def mean_body() -> Array:
    """Return the vertices [v, 3] of the mean body on the mannequin's skeleton, in metres."""
    sexes: tuple[Sex, ...] = ("man", "woman")
    persons = (Person(s, 30, "average", 1.7, 0.5, 0.5, (1 / 3,) * 3, 0.5, (0,) * len(FEATURES)) for s in sexes)
    found: Array = np.mean([fitted(base(), body_points(person)) for person in persons], axis=0)
    return found


@cache
def mean_places() -> Places:
    """Return the places of all vertices."""
    return Places(mean_body(), *(of_joints(base().weights, names) for names in (ARM, LEG, HEAD)))


ARM, LEG, HEAD = ("Arm", "ForeArm", "Hand"), ("UpLeg", "Leg", "Foot", "ToeBase"), ("Head",)


def of_joints(weights: Array, names: tuple[str, ...]) -> Array:
    """Return the sum [n] of the skin weights of the joints whose names end with `names`."""
    rows = [j for j, name in enumerate(P.JOINTS) if name.removeprefix("Left").removeprefix("Right") in names]
    found: Array = weights[:, rows].sum(axis=1)
    return found
