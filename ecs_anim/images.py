"""Pictures in memory, from files that people bring."""

import io

import numpy as np
from numpy.typing import NDArray

MAX_PIXELS = 1 << 26  # 8192 x 8192: more is no texture but a mistake or an attack


def decode_image(data: bytes) -> NDArray[np.uint8]:
    """RGBA pixels [height, width, 4] u8 of an encoded image; row 0 is the top. Raises ValueError."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.width * image.height > MAX_PIXELS:
                raise ValueError(f"{image.width}x{image.height} pixels are too many for a texture")
            return np.asarray(image.convert("RGBA"))
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError("not an image that Pillow reads") from error
