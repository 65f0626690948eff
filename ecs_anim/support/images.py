"""Decoding of pictures from the user's files."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.budgets import Spending, excess
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind
from ecs_anim.support.ktx2 import decode_ktx2, is_ktx2, read_header

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURE = Kind("picture", "picture_bytes", ("picture",))
PANORAMA = Kind("panorama", "picture_bytes", ("picture", "panorama"))
FORMATS = ("PNG", "JPEG", "WEBP")

_together: ContextVar["_Count | None"] = ContextVar("_together", default=None)


class _TooLargeError(ValueError):
    """Error for a picture that is too large. The program raises the error before it decodes the picture."""


class _Count:
    """A counter of decoded pixels with an upper limit."""

    def __init__(self) -> None:
        self._pixels = Spending("pictures_pixels", "scale the pictures down")

    def add(self, width: int, height: int) -> None:
        if limit_message := self._pixels.excess(width * height):
            raise _TooLargeError(
                f"with this picture of {width} x {height} pixels, all pictures together are too large: {limit_message}"
            )


@contextmanager
def counted_together() -> Iterator[None]:
    """Apply one limit to the total number of pixels that the program decodes in a `with` block.

    Nested `with` blocks share the limit of the outermost `with` block.
    """
    token = _together.set(_together.get() or _Count())
    try:
        yield
    finally:
        _together.reset(token)


def decode_image(data: bytes, *, upright: bool = False) -> NDArray[np.uint8]:
    """Return the read-only RGBA pixels [height, width, 4] u8 from a PNG, JPEG, WebP or KTX2 file. Row 0 is the top row.

    If `upright` is true, the function rotates the picture by its EXIF orientation, as picture viewers do. Textures must
    not be rotated, because the texture coordinates (0, 0) belong to the first stored pixel (glTF 2.0, 3.8.3).

    Raises ValueError for a picture that exceeds the limit, and for any other format. Also raises ValueError if the
    pictures in a `with` block of `counted_together` together exceed its limit.
    """
    if is_ktx2(data):
        return _decode_ktx2(data)
    with _opened(data) as image:
        (_together.get() or _Count()).add(image.width, image.height)
        return _rgba(_upright(image) if upright else image)


def _decode_ktx2(data: bytes) -> NDArray[np.uint8]:
    header = read_header(data)
    _require_size(header.width, header.height)
    (_together.get() or _Count()).add(header.width, header.height)
    try:
        return decode_ktx2(data, header)
    except MemoryError:
        raise ValueError("the picture needs more memory than is free. Scale the picture down.") from None


def decode_grey(data: bytes) -> NDArray[np.float64]:
    """Return the brightness [height, width] of a picture with 8 or 16 bits, from 0 (black) to 1 (white).

    The function rotates the picture by its EXIF orientation. Row 0 is the top row. Raises ValueError for a picture that
    exceeds the limit, and for data of another format.
    """
    with _opened(data) as image:
        return _grey(_upright(image))


def picture_size(data: bytes) -> tuple[int, int]:
    """Return the width and height [pixel] from the header of a picture. Raises the same errors as `decode_grey`."""
    with _opened(data) as image:
        return image.size


@contextmanager
def _opened(data: bytes) -> Iterator["Image"]:
    """Open a picture, and check its size before the decoding of its pixels."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                _require_size(image.width, image.height)
                yield image
    except (_TooLargeError, InputError):
        raise
    except Image.DecompressionBombError:
        raise ValueError(
            "the picture has more pixels than the library Pillow decodes. Scale the picture down."
        ) from None
    except MemoryError:
        raise ValueError("the picture needs more memory than is free. Scale the picture down.") from None
    except Exception as error:  # Pillow raises many types of errors for damaged data
        kind = type(error).__name__
        raise ValueError(
            f"the file must be a {' or '.join(FORMATS)} picture without damage (Pillow reports {kind}). Save the"
            " picture again in one of these formats."
        ) from None


def _require_size(width: int, height: int) -> None:
    if limit_message := excess("picture_pixels", width * height, "scale the picture down"):
        raise _TooLargeError(f"the picture is too large, {width} x {height}: {limit_message}")


def _upright(image: "Image") -> "Image":
    """Return the picture, rotated by its EXIF orientation.

    Cameras do not rotate the pixels of a tilted picture, but store an orientation in the EXIF data.
    """
    from PIL.ImageOps import exif_transpose

    return exif_transpose(image)


def _grey(image: "Image") -> NDArray[np.float64]:
    if image.mode.startswith("I"):
        return np.asarray(image).astype(np.float64) / 65535
    return np.asarray(image.convert("L")).astype(np.float64) / 255


def _rgba(image: "Image") -> NDArray[np.uint8]:
    if image.mode.startswith("I"):  # 16-bit grey
        from PIL.Image import fromarray

        image = fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8))
    pixels = np.asarray(image if image.mode == "RGBA" else image.convert("RGBA"))
    pixels.flags.writeable = False
    return pixels
