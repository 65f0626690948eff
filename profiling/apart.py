"""How far two pictures of the same thing are apart."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.pictures import save_png

SEEN = 8  # of 255: a pixel that differs by more is another one
LOUDER = 4  # times, the difference in the picture of it

Picture = NDArray[np.uint8]  # [height, width, 3]


def apart_of(one: Picture, other: Picture) -> NDArray[np.int16]:
    """By how much each pixel [height, width] differs, in its worst channel."""
    return np.asarray(np.abs(one.astype(np.int16) - other).max(axis=-1))


def share_apart(apart: NDArray[np.int16], most: int = SEEN) -> float:
    """The share of pixels that differ by more."""
    return round(float((apart > most).mean()), 5)


def save_apart(path: Path, one: Picture, other: Picture) -> None:
    """Write a PNG of both, one above the other, and below them the difference. Raises InputError as `save_png`."""
    louder = np.minimum(LOUDER * apart_of(one, other), 255).astype(np.uint8)[..., None].repeat(3, -1)
    save_png(path, np.concatenate([one, other, louder]))
