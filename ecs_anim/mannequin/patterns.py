"""More outfits for the figures, made from their painted outfits: patterns on clothes, and other colours of skin.

A pattern darkens the parts of the clothes that the actor's tint colours. The patterns have their sizes in the bind
pose.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.figures import FIGURES
from ecs_anim.mannequin.outfits import BROWN, COLOURINGS, DARK, FAIR, OLIVE, OUTFITS, PALE, TAN
from ecs_anim.mannequin.paint import HEIGHT, SIZE, WIDTH
from ecs_anim.mannequin.pigments import Color

SETS = 2  # number of patterned copies of each outfit
TONES = (PALE, FAIR, TAN, OLIVE, BROWN, DARK)  # from light to dark
STEPS = (1, -2)  # steps along `TONES` for each copy; the brightness of a face changes little
DARKENED = 0.38  # brightness factor in the dark parts of a pattern
ALIKE = 0.035  # largest relative difference between the channels of a shaded colour
TINTED = 128  # alpha from which clothes take the actor's tint


def patterned(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the outfits `pixels` [variant, SIZE, SIZE, 4] followed by `SETS` patterned copies of all outfits.

    The first pictures of `pixels` are the outfits of the first colour set, in the order of the figures.
    """
    sets = [pixels]
    for copy in range(SETS):
        made = pixels.copy()
        for colouring, (figure, shape) in product(range(COLOURINGS), enumerate(FIGURES)):
            number = colouring * len(FIGURES) + figure
            outfit, kind = OUTFITS[shape.name][colouring], 5 * copy + 3 * colouring + 2 * figure
            _paint(made[number], PATTERNS[kind % len(PATTERNS)])
            _recolour(made[number], outfit.skin, _other_tone(outfit.skin, STEPS[copy]))
        sets.append(made)
    return np.concatenate(sets)


def skin_tones_of(figure: str) -> tuple[int, ...]:
    """Return the skin tone of each outfit of a figure, including the patterned outfits: 0 light, 1 medium, 2 dark."""
    plain = [own.skin for own in OUTFITS[figure]]
    skins = [*plain, *(_other_tone(own, step) for step in STEPS for own in plain)]
    return tuple(TONES.index(own) // 2 for own in skins)


def _other_tone(skin: Color, step: int) -> Color:
    at = abs(TONES.index(skin) + step)
    return TONES[at if at < len(TONES) else len(TONES) - 2]


def _paint(picture: NDArray[np.uint8], pattern: Callable[[Array, Array, Array], Array]) -> None:
    """Darken the tinted clothes of a picture [SIZE, SIZE, 4] where the pattern is true."""
    column = (np.arange(SIZE) + 0.5)[None]
    is_front = column < SIZE / 2
    x = np.where(is_front, column, SIZE - column) / SIZE * 2 * WIDTH
    y = HEIGHT * (1 - (np.arange(SIZE) + 0.5)[:, None] / SIZE)
    dark = pattern(x, y, is_front) & (picture[..., 3] >= TINTED)
    picture[dark, :3] = (picture[dark, :3] * DARKENED).astype(np.uint8)


def _recolour(picture: NDArray[np.uint8], old: Color, new: Color) -> None:
    """Replace the shades of an untinted colour in a picture [SIZE, SIZE, 4] by the same shades of another colour."""
    shades = picture[..., :3] / np.array(old, np.float64)
    shade = shades.mean(axis=-1)
    same = (np.abs(shades - shade[..., None]).max(axis=-1) < ALIKE) & (shade > 0.3) & (shade < 1.02)
    same &= picture[..., 3] < TINTED
    picture[same, :3] = np.clip(shade[same, None] * np.array(new) + 0.5, 0, 255).astype(np.uint8)


def _bands(at: Array, period: float, share: float) -> Array:
    """Return a mask of the points [m] in bands that repeat with a period [m]."""
    inside: Array = np.mod(at, period) < share * period
    return inside


def _dots(x: Array, y: Array, _: Array) -> Array:
    row = np.floor(y / 0.04)
    return np.square(np.mod(x + 0.02 * np.mod(row, 2), 0.04) - 0.02) + np.square(np.mod(y, 0.04) - 0.02) < 0.012**2


def _print(x: Array, y: Array, is_front: Array) -> Array:
    """Return a mask of a chest print: three bars of different lengths below a disc."""
    bars = (np.mod(y, 0.03) < 0.016) & (y > 1.22) & (y < 1.31) & (x < 0.05 + (1.31 - y) * 0.4)
    return is_front & (bars | (np.square(x) + np.square(y - 1.35) < 0.025**2))


PATTERNS: tuple[Callable[[Array, Array, Array], Array], ...] = (
    lambda x, y, _: _bands(y, 0.07, 0.45) & (x >= 0),  # broad horizontal stripes
    _dots,
    lambda x, y, _: _bands(x + 0.01, 0.05, 0.3) | _bands(y, 0.05, 0.3),  # checks
    _print,
    lambda x, y, _: _bands(x, 0.03, 0.35) & (y >= 0),  # vertical stripes
    lambda x, y, _: (y > 1.27) & (x >= 0),  # dark shoulders
    lambda x, y, _: _bands(y, 0.025, 0.4) & (x >= 0),  # narrow horizontal stripes
)
