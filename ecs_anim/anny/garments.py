"""Garments: the part of the mean body that a garment covers, and its distance from the skin."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ecs_anim.anny.body_places import Places
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.pigments import Color

# Heights [m] on the mannequin's skeleton
WAIST, ANKLE, SHOE, SOCK = 1.045, 0.085, 0.098, 0.17
COLLAR, COLLAR_SLOPE = 1.478, 0.62  # height of a round collar at the axis, and its fall towards the front
NECK_WIDTH = 0.062  # [m], from the axis; a collar rises beyond, so that it leaves the shoulders covered

Kind = Literal["top", "bottom", "feet"]


@dataclass(frozen=True)
class Garment:
    """A garment that covers a part of the skin. Lengths are in metres on the mannequin's skeleton."""

    kind: Kind
    color: Color
    low: float = 0.0  # height of the hem of a top or of the cuffs of trousers
    high: float = 0.0  # height of the upper edge of trousers, socks and shoes
    sleeve: float = 0.0  # end of the sleeves, along the arm from the shoulder
    collar: float = 0.0  # height of the collar over a round collar
    neckline: float = 0.0  # depth of a V
    opening: float = 0.0  # half the width of an open front at the hem
    thickness: float = 0.006  # least distance from the skin
    wide: float = 0.0  # least radius of sleeves or trouser legs
    drape: float = 0.0  # share of the hollows of the trunk that a top spans
    pattern: int = 0  # number of a pattern, 0 = plain


def inside(own: Garment, at: Places) -> Array:
    """Return the distance [n] of places from the edge of a garment, in metres. Places outside are negative."""
    y = at.points[:, 1]
    if own.kind == "feet":
        return np.where(at.leg > 0.5, own.high - y, -1)
    if own.kind == "bottom":
        return np.where(at.arm > 0.5, -1, np.minimum(own.high - y, y - own.low))
    trunk = np.minimum(y - own.low, _under_collar(own, at))
    if own.opening:
        trunk = np.minimum(trunk, _beside_opening(own, at))
    return np.where(at.arm > 0.5, own.sleeve - at.along_arm, trunk)


def _under_collar(own: Garment, at: Places) -> Array:
    x, y, z = at.left.T
    line = COLLAR + own.collar - COLLAR_SLOPE * z + 1.6 * np.maximum(x - NECK_WIDTH, 0)
    found: Array = line - own.neckline * np.clip(1 - x / 0.075, 0, 1) * (z > 0) - y
    return found


def _beside_opening(own: Garment, at: Places) -> Array:
    """Return the distance from the edges of an open front. It widens from the chest to the hem and to the collar."""
    x, y, z = at.left.T
    half = own.opening * np.clip(0.35 + np.abs(y - 1.22) / 0.2, 0, 1)
    return np.where(z > 0.02, x - half, 1.0)
