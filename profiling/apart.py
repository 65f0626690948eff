"""Differences between two pictures of the same scene."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.pictures import save_png

SEEN = 8  # smallest visible difference of a colour channel, of 255
LOUDER = 4  # brightness factor of the difference picture

Picture = NDArray[np.uint8]  # [height, width, 3]


def apart_of(one: Picture, other: Picture) -> NDArray[np.int16]:
    """Return the largest difference of a colour channel in each pixel [height, width]."""
    return np.asarray(np.abs(one.astype(np.int16) - other).max(axis=-1))


def share_apart(apart: NDArray[np.int16], most: int = SEEN) -> float:
    """Return the share of pixels whose difference in `apart` is above `most`."""
    return round(float((apart > most).mean()), 5)


def save_apart(path: Path, one: Picture, other: Picture) -> None:
    """Write a PNG file that shows both pictures and, below the pictures, their difference.

    Raises InputError if the file `path` cannot be written.
    """
    louder = np.minimum(LOUDER * apart_of(one, other), 255).astype(np.uint8)[..., None].repeat(3, -1)
    save_png(path, np.concatenate([one, other, louder]))
