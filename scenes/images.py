"""Reading of image files that a scene names."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import read_bytes
from ecs_anim.support.images import PANORAMA, PICTURE, decode_grey, decode_image, picture_size
from ecs_anim.support.radiance import decode_radiance, is_radiance


def read_texture(path: Path, key: str) -> NDArray[np.uint8]:
    """Return the stored pixels of a texture that a scene key names. Raises InputError if the image is invalid."""
    with _told(path, key):
        return decode_image(read_bytes(path, PICTURE))


def read_picture(path: Path, key: str) -> NDArray[np.uint8]:
    """Return the pixels of an image that a scene key names, rotated upright by its EXIF orientation.

    Raises InputError.
    """
    with _told(path, key):
        return decode_image(read_bytes(path, PICTURE), upright=True)


def read_panorama(path: Path, key: str) -> NDArray[np.uint8] | NDArray[np.float32]:
    """Return the pixels of a panorama that a scene key names. The width must be twice the height.

    An 8-bit picture gives [height, width, 4] u8. A Radiance HDR picture gives linear colours [height, width, 3] f32.
    Raises InputError.
    """
    with _told(path, key):
        data = read_bytes(path, PANORAMA)
        pixels = decode_radiance(data) if is_radiance(data) else decode_image(data, upright=True)
        height, width = pixels.shape[:2]
        if width != 2 * height:
            raise ValueError(
                f"the width of an equirectangular panorama must be twice its height (got {width} x {height}). Crop or"
                " scale the picture."
            )
        return pixels


def read_grey(path: Path, key: str, most_pixels: int) -> NDArray[np.float64]:
    """Return the brightness [rows, columns], 0 to 1, of an image that a scene key names.

    The function rotates the image by its EXIF orientation. The image must have at least 2 x 2 pixels. If an image has
    more than `most_pixels` pixels, the function rejects the image before it decodes the pixels. Raises InputError if
    the image is invalid.
    """
    with _told(path, key):
        data = read_bytes(path, PICTURE)
        width, height = picture_size(data)
        if width * height > most_pixels or min(width, height) < 2:
            raise ValueError(
                f"the picture must have at least 2 x 2 pixels, and at most {most_pixels} pixels in all (got"
                f" {width} x {height}). Scale the picture."
            )
        return decode_grey(data)


@contextmanager
def _told(path: Path, key: str) -> Iterator[None]:
    """In a `with` block, convert an error about an image to an InputError whose message begins with the scene key
    `key`.
    """
    try:
        yield
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
    except ValueError as error:
        raise InputError(f"{key}: {path}: {error}") from None
