"""Pictures in memory, from files that people bring."""

import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 1 << 26  # 8192 x 8192: more is no texture but a mistake or an attack
FORMATS = ("PNG", "JPEG", "WEBP")


def decode_image(data: bytes) -> NDArray[np.uint8]:
    """RGBA pixels [height, width, 4] u8 of a PNG, JPEG or WebP; row 0 is the top, the array is read-only.

    Raises ValueError for what is too large or is no such picture.
    """
    return _decode(data, _rgba)


def _decode(data: bytes, read: Callable[["Image"], NDArray[Any]]) -> NDArray[Any]:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                if image.width * image.height <= MAX_PIXELS:
                    return read(image)
                size = f"{image.width} x {image.height} pixels"
    except Exception as error:  # Pillow's readers raise many kinds for damaged data
        kind = type(error).__name__
        raise ValueError(f"is not a picture that can be read, {' or '.join(FORMATS)} ({kind})") from None
    raise ValueError(f"is too large ({size})")


def decode_grey(data: bytes) -> NDArray[np.float64]:
    """Brightness [height, width], 0 = black to 1 = white, of a picture of 8 or 16 bits; row 0 is the top.

    Raises ValueError as `decode_image` does.
    """
    return _decode(data, _grey)


def _grey(image: "Image") -> NDArray[np.float64]:
    if image.mode.startswith("I"):
        return np.asarray(image).astype(np.float64) / 65535
    return np.asarray(image.convert("L")).astype(np.float64) / 255


def _rgba(image: "Image") -> NDArray[np.uint8]:
    if image.mode.startswith("I"):  # 16-bit grey
        from PIL.Image import fromarray

        image = fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8))
    pixels = np.array(image.convert("RGBA"))
    pixels.flags.writeable = False
    return pixels
