"""Distance fields of the left hand: a hand with five fingers, and a hand without fingers for distant actors.

Points have the coordinates `along` [...] and `across` [..., 2] in metres. `along` is the distance from the wrist
towards the finger tips. The coordinates `across` point towards the back of the hand and towards the thumb. The fingers
are relaxed, as in a person that walks. The length of the hand is 0.108 of the stature (Drillis and Contini 1966). The
smaller details do not come from measurements.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import loft, round_cone, union

# Rows: position on the axis, radius 0, radius 1, centre 0, centre 1 [m].
PALM = [
    (-0.010, 0.0220, 0.0270, 0.000, 0.000),
    (0.030, 0.0175, 0.0350, 0.000, 0.001),
    (0.060, 0.0150, 0.0395, 0.000, 0.001),
    (0.080, 0.0125, 0.0390, 0.000, 0.001),
    (0.094, 0.0095, 0.0350, -0.001, 0.001),
]
MITTEN = [
    (-0.010, 0.0220, 0.0270, 0.000, 0.000),
    (0.030, 0.0185, 0.0360, 0.000, 0.001),
    (0.060, 0.0160, 0.0405, 0.000, 0.001),
    (0.088, 0.0130, 0.0410, -0.001, 0.001),
    (0.115, 0.0120, 0.0410, -0.007, 0.000),
    (0.135, 0.0125, 0.0390, -0.014, -0.001),
    (0.152, 0.0130, 0.0340, -0.024, -0.001),
    (0.166, 0.0130, 0.0260, -0.033, 0.002),
]
MITTEN_THUMB = ((0.022, -0.008, 0.022), (0.109, -0.0185, 0.072), 0.0145, 0.0095)  # start, end, radii [m]
# Widths of the rounded creases between arm and hand, palm and thumb, palm and fingers, and bones of a finger [m].
WRIST, THUMB_CREASE, FINGER_CREASE, JOINT_CREASE = 0.02, 0.015, 0.008, 0.004


@dataclass(frozen=True)
class Finger:
    """A finger: a chain of bones from a knuckle to the tip."""

    knuckle: tuple[float, float, float]  # [m], along, towards the back of the hand, towards the thumb
    spread: float  # [deg], angle from the axis of the hand towards the thumb
    bends: tuple[float, ...]  # [deg], angle towards the palm between a bone and the previous bone
    lengths: tuple[float, ...]  # [m], lengths of the bones
    radii: tuple[float, ...]  # [m], radii at the knuckle and at the end of each bone


THUMB = Finger((0.022, -0.008, 0.022), 30.0, (6.0, -1.0, 3.0), (0.046, 0.032, 0.026), (0.0145, 0.0120, 0.0108, 0.0092))
FINGERS = (
    Finger((0.088, -0.001, 0.0310), 5.0, (11.0, 17.0, 9.0), (0.040, 0.024, 0.020), (0.0094, 0.0090, 0.0085, 0.0077)),
    Finger((0.091, 0.0000, 0.0105), 1.0, (13.0, 18.0, 10.0), (0.044, 0.027, 0.021), (0.0096, 0.0092, 0.0086, 0.0078)),
    Finger((0.088, -0.001, -0.0105), -3.5, (15.0, 20.0, 11.0), (0.041, 0.025, 0.021), (0.0090, 0.0086, 0.0081, 0.0074)),
    Finger((0.081, -0.003, -0.0295), -9.0, (17.0, 21.0, 12.0), (0.032, 0.019, 0.019), (0.0080, 0.0076, 0.0072, 0.0066)),
)


def mitten(limb: Array, along: Array, across: Array) -> Array:
    """Return the distance from points to an arm with the hand of distant actors. The hand has a thumb, but no fingers.

    `limb` is the distance to the arm without a hand.
    """
    thumb = round_cone(_points(along, across), *MITTEN_THUMB)
    return union(limb, (loft(along, across, MITTEN, 2.4), WRIST), (thumb, THUMB_CREASE))


def fingered(limb: Array, along: Array, across: Array) -> Array:
    """Return the distance from points to an arm and its hand with five fingers. There is space between the fingers.

    `limb` is the distance to the arm without a hand.
    """
    p = _points(along, across)
    fingers = np.min([_finger(p, own) for own in FINGERS], axis=0)
    palm = loft(along, across, PALM, 2.4)
    return union(limb, (palm, WRIST), (fingers, FINGER_CREASE), (_finger(p, THUMB), THUMB_CREASE))


def joints_of(finger: Finger) -> Array:
    """Return the positions [bone_count + 1, 3] of the joints and the tip of a finger, in metres."""
    spread, bends = np.radians(finger.spread), np.radians(np.cumsum(finger.bends))
    sideways = np.cos(bends)
    directions = np.stack([sideways * np.cos(spread), -np.sin(bends), sideways * np.sin(spread)], axis=-1)
    bones = directions * np.array(finger.lengths)[:, None]
    return np.array(finger.knuckle) + np.concatenate([np.zeros((1, 3)), np.cumsum(bones, axis=0)])


def _finger(p: Array, finger: Finger) -> Array:
    ends = zip(pairwise(joints_of(finger)), pairwise(finger.radii), strict=True)
    bones = [round_cone(p, *points, *radii) for points, radii in ends]
    return union(bones[0], *((bone, JOINT_CREASE) for bone in bones[1:]))


def _points(along: Array, across: Array) -> Array:
    return np.stack([along, *np.moveaxis(across, -1, 0)], axis=-1)
