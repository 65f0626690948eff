"""The body shapes of figures, as displacements of the mannequin's vertices.

The module scales each part of the body about the axis of this part. The skin weights of a vertex determine how much
each scaling moves the vertex. The module moves points under hair outward to the surface of the hair. Points have the
shape [n, 3] and are in metres in the bind pose. The displacements of the left side and the right side are mirror
images.
"""

from collections.abc import Mapping

import numpy as np

from ecs_anim.mannequin import body, paint
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.figures import FigureShape, HairStyle
from ecs_anim.mannequin.shapes import curve, smooth_step

CRANIUM = np.array([0.0, 1.655, -0.006])  # [m], centre of the head
THICKNESS: Mapping[HairStyle, float] = {
    "short": 0.009, "full": 0.022, "bob": 0.024, "long": 0.021, "bun": 0.011, "bald": 0.0,
}  # fmt: skip
LOWEST: Mapping[HairStyle, float] = {"bob": 1.50, "long": 1.41}  # [m], lower end of hanging hair; its end is 0.1 m wide
BUN = np.array([0.0, 1.680, -0.115])  # [m], centre of a hair bun
ARM, LEG, FOOT = ("Arm", "ForeArm", "Hand"), ("UpLeg", "Leg"), ("Foot", "ToeBase")


def warped(figure: FigureShape, p: Array, shares: Mapping[str, Array]) -> Array:
    """Return the points `p` [n, 3], moved to the surface of a figure.

    `shares` contains the skin weights [n] of the points, by joint name.
    """
    left = body.on_left(p)
    arm, leg, foot = (_of_limbs(shares, names) for names in (ARM, LEG, FOOT))
    head, neck = shares["Head"], shares["Neck"]
    trunk = 1 - arm - leg - foot - head - neck
    moved = left.copy()
    for share, move in ((trunk, _trunk), (arm, _arm), (leg, _leg), (neck, _neck), (head, _head)):
        moved += share[:, None] * move(figure, left)
    moved = _with_hair(figure, left, moved, trunk + neck + head)
    moved[:, 0] *= np.sign(p[:, 0])
    return moved


def _of_limbs(shares: Mapping[str, Array], names: tuple[str, ...]) -> Array:
    """Return the sum [n] of the skin weights of each point for the left and the right joints in `names`."""
    return np.sum([shares[side + name] for side in ("Left", "Right") for name in names], axis=0)


def _trunk(figure: FigureShape, p: Array) -> Array:
    """Return displacements [n, 3] that change the breadth and depth of the trunk, and add bulges at the front.

    The scale of a point depends on its height.
    """
    below = (0.85, figure.hips), (0.94, figure.hips), (1.13, figure.waist), (1.30, figure.chest)
    breadth, depth = ([*below, (1.42, top), (1.55, figure.neck)] for top in (figure.shoulders, figure.chest))
    wide, deep = (curve(keys, p[:, 1])[:, 0] - 1 for keys in (breadth, depth))
    front = smooth_step(p[:, 2], -0.01, 0.07)
    out = figure.belly * front * _bump(p[:, 1], 1.09, 0.19) * _bump(p[:, 0], 0.0, 0.20)
    out += figure.bust * front * _bump(p[:, 1], 1.285, 0.095) * _bump(p[:, 0], 0.075, 0.085)
    return np.stack([p[:, 0] * wide, np.zeros(len(p)), (p[:, 2] + 0.01) * deep + out], axis=1)


def _arm(figure: FigureShape, p: Array) -> Array:
    """Return displacements [n, 3] that change the thickness of the arms. The arms move with the shoulders.

    The thickness of the hands changes less.
    """
    along, _ = body.arm_coordinates(p)
    axis = P.LEFT_POINTS["Arm"] + along[:, None] * P.ARM_DIRECTION
    hand = smooth_step(along, P.UPPER_ARM + P.FOREARM - 0.06, P.UPPER_ARM + P.FOREARM)
    thick = (figure.arms - 1) * (1 - 0.6 * hand)
    shift = P.LEFT_POINTS["Arm"][0] * (figure.shoulders - 1)
    return thick[:, None] * (p - axis) + (shift, 0, 0)


def _leg(figure: FigureShape, p: Array) -> Array:
    """Return displacements [n, 3] that change the thickness of the legs. The change is smaller near the shoes."""
    hip, ankle = P.LEFT_POINTS["UpLeg"], P.LEFT_POINTS["Foot"]
    along, _ = body.leg_coordinates(p)
    axis = hip + along[:, None] * (ankle - hip) / (P.THIGH + P.SHANK)
    shoe = smooth_step(along, P.THIGH + P.SHANK - 0.25, P.THIGH + P.SHANK - 0.02)
    thick = (figure.legs - 1) * (1 - shoe)
    return thick[:, None] * (p - axis)


def _neck(figure: FigureShape, p: Array) -> Array:
    low = smooth_step(p[:, 1], 1.44, 1.50)
    return low[:, None] * (figure.neck - 1) * (p - (0, 0, -0.028)) * (1, 0, 1)


def _head(figure: FigureShape, p: Array) -> Array:
    """Return displacements [n, 3] that change the size of the head and the breadth of the jaw.

    The centre of the scaling is the top of the neck.
    """
    jaw = (figure.jaw - 1) * (1 - smooth_step(p[:, 1], 1.57, 1.66))
    bigger = (figure.head - 1) * (p - P.CENTRE_POINTS["Head"])
    return bigger + np.stack([p[:, 0] * jaw, *np.zeros((2, len(p)))], axis=1)


def _with_hair(figure: FigureShape, p: Array, moved: Array, share: Array) -> Array:
    """Return `moved` [n, 3], with the points under hair moved to the surface of the hair. `p` [n, 3] are the points
    before all displacements. `share` [n] is the sum of the skin weights of trunk, neck and head.
    """
    style = figure.hair
    out = p - CRANIUM
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    covered = share * _covered(style, p)
    result: Array = moved + (figure.head * THICKNESS[style] * covered)[:, None] * out
    if style in LOWEST:
        result += _hanging(style, p, share) * figure.head
    if style == "bun":
        near = share * _bump(np.linalg.norm(p - (0, *BUN[1:]), axis=1), 0.0, 0.075)
        result += (0.032 * figure.head * near)[:, None] * np.array([0, 0.10, -0.995])
    return result


def _covered(style: HairStyle, p: Array) -> Array:
    """Return a weight [n] from 0 (no hair) to 1 (full hair) for each point on the head.

    The weight is 0 up to 4 mm below the painted hairline, and rises to 1 over the next 20 mm.
    """
    front, back = (curve(HAIRLINES[style][side], p[:, 0])[:, 0] for side in ("front", "back"))
    line = np.where(p[:, 2] > 0.0, front, back)
    return smooth_step(p[:, 1] - line, -0.004, 0.016) * smooth_step(p[:, 1], 1.50, 1.54)


def _hanging(style: HairStyle, p: Array, share: Array) -> Array:
    """Return displacements [n, 3] for hanging hair. Hanging hair covers the neck at the back, from one ear to the other
    ear. `share` [n] is the sum of the skin weights of trunk, neck and head.
    """
    lowest = LOWEST[style]
    behind = 1 - smooth_step(p[:, 2], -0.035, 0.005)
    there = share * behind * smooth_step(p[:, 1], lowest - 0.02, lowest + 0.04) * (1 - smooth_step(p[:, 1], 1.60, 1.68))
    flat = p * (1, 0, 1) - (0, 0, -0.006)
    length = np.maximum(np.linalg.norm(flat, axis=1), 1e-9)
    radius = 0.092 + 0.006 * smooth_step(p[:, 1], 1.56, 1.44)
    reach = np.maximum(radius - length, 0.006 * (length < 0.13))
    return (there * reach / length)[:, None] * flat


# Sides of hair that hangs over the ears.
HANGING_SIDE = [(0.036, 1.40), (0.044, 1.52), (0.050, 1.60), (0.056, 1.645), (0.066, 1.690), (0.085, 1.705)]
HAIRLINES: Mapping[HairStyle, Mapping[str, list[tuple[float, float]]]] = {
    "short": paint.HAIRLINE,
    "full": paint.HAIRLINE,
    "bun": {
        "front": [(0, 1.712), (0.035, 1.708), (0.052, 1.690), (0.064, 1.655), (0.072, 1.625), (0.080, 1.615)],
        "back": [(0, 1.572), (0.045, 1.574), (0.060, 1.588), (0.075, 1.615)],
        "side": paint.HAIRLINE["side"],
    },
    "bob": {
        "front": [
            (0, 1.690),
            (0.030, 1.692),
            (0.050, 1.680),
            (0.058, 1.640),
            (0.062, 1.600),
            (0.065, 1.52),
            (0.080, 1.49),
        ],
        "back": [(0, 1.505), (0.045, 1.505), (0.080, 1.505)],
        "side": [*HANGING_SIDE[:4], (0.062, 1.665), (0.090, 1.688)],
    },
    "long": {
        "front": [
            (0, 1.712),
            (0.030, 1.704),
            (0.050, 1.684),
            (0.058, 1.640),
            (0.062, 1.600),
            (0.065, 1.52),
            (0.080, 1.50),
        ],
        "back": [(0, 1.400), (0.030, 1.405), (0.055, 1.425), (0.075, 1.460), (0.090, 1.520)],
        "side": HANGING_SIDE,
    },
    "bald": {
        "front": [(0, 1.80), (0.090, 1.80)],
        "back": [(0, 1.575), (0.045, 1.578), (0.060, 1.592), (0.075, 1.625)],
        "side": [*paint.HAIRLINE["side"][:5], (0.022, 1.622), (0.026, 1.80)],
    },
}  # [m], lower limit of hair


def _bump(x: Array, middle: float, width: float) -> Array:
    """Return the values of a smooth bump at the coordinates `x`.

    The bump has the value 1 at `middle`, and the value 0 at a distance of `width` or more from `middle`.
    """
    t = np.clip(1 - ((x - middle) / width) ** 2, 0, 1)
    return t * t
