"""Paint of the shoes: sole, toe cap, heel and laces. All lengths are in metres."""

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.pigments import BLACK, Color, Layer, mixed

SHOE_TOP, SOLE, WELT = 0.108, 0.019, 0.024  # heights of the upper edges of shoe, sole and welt
TOE_CAP, HEEL = 0.047, 0.050  # heights of the upper edges of toe cap and heel
LACES, LACE_GAP = (0.060, 0.100), 0.0115  # lowest and highest lace; distance between laces
MIDDLE, LACE_LENGTH = 0.119, 0.015  # x of the middle of a shoe; half the length of a lace


def shoe_layers(shoe: Color, rubber: Color, x: Array, y: Array, side: str) -> list[Layer]:
    """Return the layers of paint for the shoes."""
    dark, lace = mixed(shoe, BLACK, 0.3), mixed(shoe, rubber, 0.5 if shoe != rubber else 0.0)
    cap = TOE_CAP if side == "front" else HEEL
    laced = (
        (np.abs(x - MIDDLE) < LACE_LENGTH) & (y > LACES[0]) & (y < LACES[1]) & (np.mod(y - LACES[0], LACE_GAP) < 0.0055)
    )
    return [
        (y < SHOE_TOP, (*shoe, 0)),
        (laced & (side == "front"), (*lace, 0)),
        (y < cap, (*dark, 0)),
        (y < cap - 0.004, (*mixed(shoe, BLACK, 0.12), 0)),
        (y < WELT, (*mixed(shoe, BLACK, 0.55), 0)),
        (y < SOLE, (*rubber, 0)),
    ]
