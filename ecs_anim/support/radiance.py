"""Reader of Radiance HDR pictures (`.hdr`), with plain or run-length encoded scanlines.

Source: G. Ward, "Real Pixels", Graphics Gems II (1991), and the format description of Radiance (`picture(5)`).
"""

import re

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.budgets import excess

SIZE = re.compile(rb"-Y +(\d{1,6}) +\+X +(\d{1,6})")
DAMAGED = "the Radiance HDR picture is damaged: {}. Save the picture again"


def is_radiance(data: bytes) -> bool:
    """Return whether `data` begins as a Radiance HDR picture."""
    return data.startswith((b"#?RADIANCE", b"#?RGBE"))


def decode_radiance(data: bytes) -> NDArray[np.float32]:
    """Return the linear RGB pixels [height, width, 3] f32 of a Radiance HDR picture. Row 0 is the top row.

    Raises ValueError if the data are damaged, if the picture is too large, or if the picture is not stored from top to
    bottom (`-Y height +X width`).
    """
    head, _, rest = data.partition(b"\n\n")
    line, _, body = rest.partition(b"\n")
    found = SIZE.fullmatch(line.strip())
    if found is None or b"FORMAT=32-bit_rle_xyze" in head:
        raise ValueError(DAMAGED.format("it must have RGBE pixels and the size '-Y height +X width'"))
    height, width = int(found[1]), int(found[2])
    if limit_message := excess("picture_pixels", width * height, "scale the picture down"):
        raise ValueError(f"the picture is too large, {width} x {height}: {limit_message}")
    if not width * height:
        raise ValueError(DAMAGED.format("it has no pixels"))
    return _linear(_texels(np.frombuffer(body, np.uint8), height, width))


def _linear(texels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the linear colours of RGBE texels: mantissas times a common power of two."""
    scale = np.ldexp(np.float32(1), texels[..., 3].astype(np.int32) - 136)
    return (texels[..., :3] * np.where(texels[..., 3:] > 0, scale[..., None], 0)).astype(np.float32)


def _texels(body: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Return the RGBE texels [height, width, 4]."""
    marker = bytes((2, 2, width >> 8, width & 255))
    if body[:4].tobytes() != marker or not 8 <= width < 32768:
        if len(body) < 4 * width * height:
            raise ValueError(DAMAGED.format("pixels are missing"))
        return body[: 4 * width * height].reshape(height, width, 4)
    rows, at = np.empty((height, 4, width), np.uint8), 0
    for row in rows:
        if body[at : at + 4].tobytes() != marker:
            raise ValueError(DAMAGED.format("the beginning of a row is missing"))
        at = _row(body, at + 4, row.reshape(-1))
    return np.ascontiguousarray(np.moveaxis(rows, 1, 2))


def _row(body: NDArray[np.uint8], at: int, row: NDArray[np.uint8]) -> int:
    """Decode the four channels of one row into `row` [4 * width]. Return the position behind the row."""
    done = 0
    while done < len(row):
        count = int(body[at]) if at < len(body) else 0
        repeats = count > 128
        count -= 128 * repeats
        source = body[at + 1 : at + 2] if repeats else body[at + 1 : at + 1 + count]
        if not count or done + count > len(row) or len(source) < (1 if repeats else count):
            raise ValueError(DAMAGED.format("a row has the wrong length"))
        row[done : done + count] = source
        at, done = at + 1 + len(source), done + count
    return at
