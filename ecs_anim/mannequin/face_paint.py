"""Paint of the face: eyes, brows, lips, nostrils and beard.

All lengths are in metres. The left side and the right side of the face share all texels.
"""

from typing import TYPE_CHECKING

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.pigments import BLACK, Layer, mixed, oval

if TYPE_CHECKING:
    from ecs_anim.mannequin.paint import Outfit

EYE, EYE_HALF, LID, LOWER_LID = (0.031, 1.6468), 0.0140, 0.0056, 0.0040  # centre, half the width, heights of the lids
IRIS, PUPIL, LASH = 0.0057, 0.0025, 0.0016  # radii; thickness of the line of the lashes
BROW, BROW_HALF, BROW_RISE = (0.031, 1.6625), 0.0180, 0.0045  # centre, half the width, height of the arch
MOUTH, MOUTH_HALF, UPPER_LIP, LOWER_LIP = 1.5785, 0.0225, 0.0056, 0.0072  # height, half the width, heights of the lips
SCLERA = (226, 218, 210)


def face_layers(outfit: "Outfit", x: Array, y: Array) -> list[Layer]:
    """Return the layers of paint for the face at points x >= 0 and y."""
    return [*_beard(outfit, x, y), *_mouth(outfit, x, y), *_eye(outfit, x, y), _brow(outfit, x, y)]


def side_beard(z: Array, y: Array) -> Array:
    """Return a mask [...] of the points z, y [m] on the side of the head that a beard covers."""
    jaw = np.maximum(1.608 - 1.6 * (z - 0.004), 1.534)
    return (z > 0.004) & (y > jaw) & (y < 1.624 - 0.32 * (z - 0.004))


def _beard(outfit: "Outfit", x: Array, y: Array) -> list[Layer]:
    cheek = 1.583 + 0.9 * np.maximum(x - 0.018, 0)
    jaw = 1.530 + 0.9 * np.maximum(x - 0.022, 0)
    chin = (outfit.beard > 0) & (y > jaw) & (y < cheek) & (x < 0.056)
    moustache = (outfit.beard > 0) & oval(x, y, (0.0, 1.5900), (0.026, 0.0055))
    return [
        (
            (chin | moustache) & ~oval(x, y, (0.0, 1.5785), (0.026, 0.0085)),
            (*mixed(outfit.skin, outfit.hair, outfit.beard), 0),
        )
    ]


def _mouth(outfit: "Outfit", x: Array, y: Array) -> list[Layer]:
    up, t = y - MOUTH, np.minimum(x / MOUTH_HALF, 1)
    full = 1 - t * t
    upper = UPPER_LIP * full * (1 - 0.25 * np.maximum(1 - t / 0.2, 0))
    return [
        (oval(x, y, (0.0068, 1.6052), (0.0036, 0.0016)), (*mixed(outfit.skin, BLACK, 0.5), 0)),
        ((up > 0) & (up < upper), (*mixed(outfit.lip, BLACK, 0.10), 0)),
        ((up <= 0) & (up > -LOWER_LIP * full), (*outfit.lip, 0)),
        ((np.abs(up) < 0.0008) & (x < MOUTH_HALF), (*mixed(outfit.lip, BLACK, 0.5), 0)),
    ]


def _eye(outfit: "Outfit", x: Array, y: Array) -> list[Layer]:
    across, up = (x - EYE[0]) / EYE_HALF, y - EYE[1] - 0.05 * (x - EYE[0])
    full = np.maximum(1 - across * across, 0)
    lid, inside = LID * full, np.abs(across) < 1
    opened = inside & (up < lid) & (up > -LOWER_LID * full)
    line = (np.abs(across) < 1.08) & (up >= lid - 0.0004) & (up < lid + LASH)
    crease = (np.abs(across) < 0.9) & (np.abs(up - lid - 0.0042) < 0.0006)
    return [
        (oval(x, y, (EYE[0], EYE[1] + 0.002), (0.0185, 0.0105)), (*mixed(outfit.skin, BLACK, 0.07), 0)),
        (crease, (*mixed(outfit.skin, BLACK, 0.28), 0)),
        (opened, (*SCLERA, 0)),
        (opened & oval(x, y, EYE, (IRIS, IRIS)), (*outfit.iris, 0)),
        (opened & oval(x, y, EYE, (PUPIL, PUPIL)), (*BLACK, 0)),
        (line, (*mixed(outfit.skin, BLACK, 0.8), 0)),
    ]


def _brow(outfit: "Outfit", x: Array, y: Array) -> Layer:
    across = (x - BROW[0]) / BROW_HALF
    middle = BROW[1] + BROW_RISE * (1 - (across - 0.25) ** 2)
    thick = 0.0031 * np.sqrt(np.maximum(1 - np.maximum(across, 0) ** 2, 0))
    return (np.abs(across) < 1) & (np.abs(y - middle) < thick), (*outfit.brow, 0)
