"""Pictures that a scene's keys name."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import read_bytes
from ecs_anim.support.images import PICTURE, decode_grey, decode_image, picture_size


def read_texture(path: Path, key: str) -> NDArray[np.uint8]:
    """Return the pixels of a texture that a key names, as they are stored. Raises InputError."""
    with _told(path, key):
        return decode_image(read_bytes(path, PICTURE))


def read_picture(path: Path, key: str) -> NDArray[np.uint8]:
    """Return the pixels of a picture that a key names, upright by its EXIF orientation. Raises InputError."""
    with _told(path, key):
        return decode_image(read_bytes(path, PICTURE), upright=True)


def read_grey(path: Path, key: str, most_pixels: int) -> NDArray[np.float64]:
    """Return the brightness of a picture that a key names, upright, of 2 x 2 pixels or more.

    Raises InputError, for a picture of too many pixels before it is decoded.
    """
    with _told(path, key):
        data = read_bytes(path, PICTURE)
        width, height = picture_size(data)
        if width * height > most_pixels or min(width, height) < 2:
            raise ValueError(f"has {width} x {height} pixels; it should have 2 x 2 to {most_pixels} in all")
        return decode_grey(data)


@contextmanager
def _told(path: Path, key: str) -> Iterator[None]:
    """Convert errors about a picture to InputError in one line that begins with its key."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
    except ValueError as error:
        raise InputError(f"{key}: {path} {error}") from None
