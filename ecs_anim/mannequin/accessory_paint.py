"""Colours of accessories: patches of the texture that no part of a body or skirt shows."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.figures import FIGURES
from ecs_anim.mannequin.outfits import COLOURINGS, OUTFITS
from ecs_anim.mannequin.paint import SIZE
from ecs_anim.mannequin.pigments import Color

PATCH, CORNER, COLUMNS = 32, (272, 344), 4  # [texel], size of a patch; x and y of the first patch; patches in a row
DARK, LIGHT, BRIGHT = (
    ((38, 40, 46), (52, 58, 78), (74, 66, 58), (92, 44, 46), (58, 70, 56), (110, 104, 98)),
    ((206, 198, 182), (176, 150, 112), (150, 152, 156), (226, 222, 214), (128, 110, 92), (96, 112, 132)),
    ((188, 52, 46), (42, 84, 148), (226, 176, 58), (48, 50, 54), (62, 120, 92), (214, 208, 198)),
)  # fmt: skip
COLORS: Mapping[str, tuple[Color, ...]] = {
    "cap": BRIGHT, "hat": LIGHT, "beanie": (*DARK[:3], *BRIGHT[:3]), "bag": (*DARK[:4], *BRIGHT[1:3]), "pocket": DARK,
    "strap": DARK, "handbag": (*LIGHT[1:4], *DARK[1:4]), "coat": (*DARK, LIGHT[1], LIGHT[4]), "collar": DARK,
}  # fmt: skip
COAT_LINING_SHADE = 0.55  # brightness factor on the inside of a coat
NAMES = (*COLORS, "hair", "lining")


def with_accessory_paint(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the outfits `pixels` [variant, SIZE, SIZE, 4] with the colours of accessories.

    The number of an outfit selects the colours, and hair has the colour of the outfit's figure.
    """
    made = pixels.copy()
    for number, picture in enumerate(made):
        colouring, figure = divmod(number, len(FIGURES))
        for name in NAMES:
            x, y = _corner(name)
            hair = OUTFITS[FIGURES[figure].name][colouring % COLOURINGS].hair
            color = hair if name == "hair" else _color(name, number)
            picture[y : y + PATCH, x : x + PATCH] = (*color, 0)
    return made


def patch_coordinates(name: str, count: int, lined: int = 0) -> Array:
    """Return the texture coordinates [count, 2] of the middle of a colour patch. The last `lined` points show the
    lining.
    """
    corners = np.array([_corner(name)] * (count - lined) + [_corner("lining")] * lined)
    return (corners + PATCH / 2) / SIZE


def _color(name: str, number: int) -> Color:
    """Return the colour of an accessory in an outfit. Neighbouring outfits and accessories have different colours."""
    if name == "lining":
        red, green, blue = (round(COAT_LINING_SHADE * channel) for channel in _color("coat", number))
        return red, green, blue
    choices = COLORS[name]
    return choices[(5 * number + number // 7 + 3 * NAMES.index(name)) % len(choices)]


def _corner(name: str) -> tuple[int, int]:
    row, column = divmod(NAMES.index(name), COLUMNS)
    return CORNER[0] + PATCH * column, CORNER[1] + PATCH * row
