"""The outfits of the figures. Each figure has two outfits.

The two outfits of a figure differ in the colours of skin, hair and clothes, and in the clothes that the actor's tint
colours.

Shirts and skirts that the actor's tint colours are nearly white in the texture. Clothes that the tint does not colour
have fixed colours.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.mannequin.figures import FIGURES, FigureShape
from ecs_anim.mannequin.paint import IRIS, SHIRT, SIZE, Outfit, painted, shadings
from ecs_anim.mannequin.pigments import Color, mixed
from ecs_anim.mannequin.warp import HAIRLINES, LOWEST

COLOURINGS = 2  # number of outfits for each figure
# Default tints of shirts and dresses. The tints are muted and mostly light, like the colours of summer clothes.
TINTS = (
    "#e9e4d8", "#b9c3cc", "#8fa9bd", "#5f7d9b", "#3f556f", "#7f9a86", "#5c7563",
    "#d9c08c", "#c98f6b", "#a9574a", "#c7a0a6", "#8a7593", "#4f4a4c", "#9a8a78",
)  # fmt: skip

# Skin tones from light to dark, with matching hair colours.
PALE, FAIR, TAN, OLIVE, BROWN, DARK = (
    (236, 201, 178), (226, 186, 158), (206, 160, 126), (184, 138, 104), (142, 98, 72), (100, 68, 52),
)  # fmt: skip
BLOND, AUBURN, CHESTNUT, ESPRESSO, BLACK, GREY, WHITE = (
    (178, 142, 92), (122, 70, 46), (92, 66, 50), (62, 46, 40), (42, 36, 36), (150, 146, 142), (206, 202, 196),
)  # fmt: skip
LIPS = (170, 88, 80)
IRISES = {BLOND: (96, 122, 144), AUBURN: (104, 116, 84), WHITE: (108, 124, 138), BLACK: (70, 48, 38)}  # colour by hair
JEANS, NAVY, CHINO, CHARCOAL, SLATE = (82, 100, 128), (58, 66, 88), (164, 146, 118), (74, 76, 80), (108, 122, 134)
MOSS, WINE, SAND, BARK = (104, 108, 84), (116, 62, 66), (196, 182, 156), (92, 80, 72)
LEATHER, SNEAKER, TIGHTS = (92, 66, 50), (190, 188, 184), (70, 64, 66)
LONG = 0.54  # [m] on the arm's axis, end of a long sleeve
KNEE, SHORTS, RACING = 0.50, 0.60, 0.70  # [m], heights of trouser hems


def _worn(skin: Color, hair: Color, trousers: Color, **more: object) -> Outfit:
    """Return an outfit in which the colours of lips and brows match the colours of skin and hair.

    The tint of an actor does not change the trousers.
    """
    plain = Outfit(
        skin=skin,
        lip=mixed(skin, LIPS, 0.4),
        brow=mixed(hair, skin, 0.2),
        iris=IRISES.get(hair, IRIS),
        hair=hair,
        trousers=trousers,
        trousers_tint=0,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def _dress(skin: Color, hair: Color, shoe: Color, color: Color | None = None, **more: object) -> Outfit:
    """Return an outfit with a dress. If `color` is None, the actor's tint colours the dress.

    The legs are bare, or have the colour of tights.
    """
    own: Color = color or SHIRT
    tint = 0 if color else 255
    leg = more.pop("leg", skin)
    return _worn(
        skin, hair, own, shirt=own, skirt=own, shirt_tint=tint, skirt_tint=tint, trousers_tint=tint,
        shoe=shoe, leg=leg, cuff=0.62, **more,
    )  # fmt: skip


def _jumper(color: Color) -> dict[str, object]:
    return {"shirt": color, "shirt_tint": 0, "sleeve": LONG}


OUTFITS: Mapping[str, tuple[Outfit, ...]] = {
    "man": (
        _worn(FAIR, CHESTNUT, JEANS, sleeve=LONG, shoe=LEATHER),
        _worn(BROWN, BLACK, CHINO, shoe=SNEAKER, beard=0.35),
    ),
    "young man": (
        _worn(PALE, BLOND, CHINO, shoe=SNEAKER, cuff=SHORTS, leg=PALE),
        _worn(TAN, ESPRESSO, CHARCOAL, shoe=SNEAKER),
    ),
    "strong man": (
        _worn(DARK, BLACK, JEANS, shoe=SNEAKER),
        _worn(OLIVE, ESPRESSO, NAVY, shoe=LEATHER, beard=0.55, **_jumper(MOSS)),
    ),
    "stout man": (
        _worn(FAIR, AUBURN, CHARCOAL, shoe=LEATHER, sleeve=LONG),
        _worn(OLIVE, BLACK, SLATE, shoe=LEATHER, beard=0.45),
    ),
    "old man": (
        _worn(PALE, WHITE, CHARCOAL, shoe=LEATHER, **_jumper(BARK)),
        _worn(TAN, GREY, CHINO, shoe=LEATHER, **_jumper(NAVY), beard=0.5),
    ),
    "woman": (
        _worn(FAIR, AUBURN, NAVY, shoe=LEATHER, sleeve=LONG),
        _worn(OLIVE, BLACK, CHINO, shoe=SNEAKER),
    ),
    "young woman": (_dress(PALE, BLOND, LEATHER), _dress(BROWN, BLACK, SNEAKER, leg=TIGHTS, sleeve=LONG)),
    "slim woman": (
        _worn(TAN, ESPRESSO, CHARCOAL, shoe=SNEAKER),
        _worn(DARK, BLACK, JEANS, shoe=LEATHER, **_jumper(WINE)),
    ),
    "stout woman": (
        _worn(PALE, CHESTNUT, CHARCOAL, shoe=LEATHER, sleeve=LONG),
        _worn(TAN, ESPRESSO, SLATE, shoe=LEATHER),
    ),
    "old woman": (
        _dress(FAIR, WHITE, LEATHER, color=SLATE, leg=TIGHTS, sleeve=LONG),
        _worn(OLIVE, GREY, CHARCOAL, shoe=LEATHER, skirt=WINE, leg=TIGHTS, cuff=KNEE, **_jumper(SAND)),
    ),
    "boy": (
        _worn(FAIR, BLOND, JEANS, shoe=SNEAKER, cuff=KNEE, leg=FAIR),
        _worn(BROWN, BLACK, CHINO, shoe=SNEAKER),
    ),
    "runner": (
        _worn(TAN, ESPRESSO, NAVY, shoe=SNEAKER, cuff=RACING, leg=TAN),
        _worn(DARK, BLACK, CHARCOAL, shoe=SNEAKER, cuff=RACING, leg=DARK),
    ),
    "woman runner": (
        _worn(FAIR, BLOND, CHARCOAL, shoe=SNEAKER, cuff=RACING, leg=FAIR),
        _worn(BROWN, BLACK, NAVY, shoe=SNEAKER, cuff=KNEE, leg=BROWN),
    ),
    "girl": (_dress(PALE, AUBURN, SNEAKER), _dress(TAN, ESPRESSO, LEATHER, leg=SAND)),
}  # fmt: skip


def looks() -> NDArray[np.uint8]:
    """Return one picture of all painted outfits, [colouring * height, figure * width, 4].

    In the picture, each figure has a column, and each colour set has a row.
    """
    shading = shadings()
    rows = [[painted(outfit_of(own, row), shading) for own in FIGURES] for row in range(COLOURINGS)]
    return np.concatenate([np.concatenate(row, axis=1) for row in rows])


def variants(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a separate picture for each outfit in the picture `pixels`, [variant, SIZE, SIZE, 4].

    The first pictures are the outfits of the first colour set, in the order of the figures. The outfits of the next
    colour set follow.
    """
    grid = pixels.reshape(COLOURINGS, SIZE, len(FIGURES), SIZE, 4)
    return np.ascontiguousarray(np.moveaxis(grid, 2, 1)).reshape(-1, SIZE, SIZE, 4)


def outfit_of(figure: FigureShape, colouring: int) -> Outfit:
    """Return the outfit of a figure, with the colours of a colour set. The hair of the outfit fits the hair style of
    the figure.
    """
    outfit = OUTFITS[figure.name][colouring]
    return replace(outfit, hairline=HAIRLINES[figure.hair], hair_from=LOWEST.get(figure.hair, outfit.hair_from))
