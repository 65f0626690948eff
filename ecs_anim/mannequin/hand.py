"""Shape of a hand with fingers in a relaxed curl, for the finest level of detail.

The coordinates of a hand are (axis, upper side, z) in metres: the axis points from the wrist to the finger tips, and
the upper side is the back of the hand. Lengths and breadths are those of an average adult hand. The curl does not come
from measurements.
"""

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import loft, round_cone, smooth_min

# Rows: position on the axis, radius 0, radius 1, centre 0, centre 1 [m].
PALM = [
    (-0.010, 0.022, 0.027, 0.000, 0.000),
    (0.030, 0.0185, 0.036, 0.000, 0.003),
    (0.070, 0.0155, 0.042, 0.000, 0.002),
    (0.094, 0.0115, 0.041, -0.002, 0.000),
]
# Rows: z of root and tip [m], lengths of the three bones [m], curl of the first bone [deg], radius of the root [m].
FINGERS = [
    (0.0325, 0.0410, (0.042, 0.025, 0.019), 12, 0.0098),
    (0.0110, 0.0135, (0.046, 0.028, 0.020), 15, 0.0102),
    (-0.0105, -0.0140, (0.042, 0.026, 0.020), 19, 0.0098),
    (-0.0310, -0.0400, (0.033, 0.020, 0.017), 23, 0.0088),
]
ROOT = 0.086  # [m], position of the finger roots on the axis
BENDS = (0.0, 22.0, 38.0)  # [deg], curl of the three bones, relative to the first bone
TAPER = (1.0, 0.93, 0.84, 0.70)  # radii of root, joints and tip, relative to the root
THUMB = ((0.016, -0.004, 0.024), (0.056, -0.014, 0.054), (0.090, -0.022, 0.068), (0.112, -0.028, 0.071))  # [m]
THUMB_RADII = (0.0155, 0.0130, 0.0105, 0.0080)  # [m]
WEB, BALL = 0.010, 0.016  # [m], widths of the creases between palm and fingers, and between palm and thumb


def hand(along: Array, across: Array) -> Array:
    """Return the distance from points to the surface of the left hand.

    `along` [...] and `across` [..., 2] are the coordinates of the points relative to the wrist.
    """
    p = np.concatenate([along[..., None], across], axis=-1)
    palm = smooth_min(loft(along, across, PALM, 2.4), _chain(p, np.array(THUMB), THUMB_RADII), BALL)
    fingers = [_chain(p, _bones(*row[:4]), [row[4] * t for t in TAPER]) for row in FINGERS]
    return smooth_min(palm, np.minimum.reduce(fingers), WEB)


def _chain(p: Array, points: Array, radii: tuple[float, ...] | list[float]) -> Array:
    ends = zip(points[:-1], points[1:], radii[:-1], radii[1:], strict=True)
    return np.minimum.reduce([round_cone(p, *own) for own in ends])


def _bones(root: float, tip: float, lengths: tuple[float, ...], curl: float) -> Array:
    """Return the ends [4, 3] of the bones of a finger."""
    angle = np.radians(curl + np.array(BENDS))
    steps = np.stack([np.cos(angle), -np.sin(angle)], axis=1) * np.array(lengths)[:, None]
    ends = np.cumsum([[ROOT, -0.001], *steps], axis=0)
    share = np.concatenate([[0.0], np.cumsum(lengths) / sum(lengths)])
    return np.column_stack([ends, root + (tip - root) * share])
