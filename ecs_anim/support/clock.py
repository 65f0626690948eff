"""Clocks in pictures: a dark panel that shows the simulated time."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.panels import INK, Box, font_of, text_size, with_panel


def with_clock(frame: NDArray[np.uint8], seconds: float) -> NDArray[np.uint8]:
    """Return a copy of the picture [height, width, 3] with a clock such as "12.34 s" at the upper left."""
    from PIL import ImageDraw

    font, text = font_of(text_size(frame)), _text(seconds)
    box = clock_box(frame, seconds)
    picture = with_panel(frame, box)
    ImageDraw.Draw(picture).text(
        (box[2] - text_size(frame) / 2, (box[1] + box[3]) / 2), text, fill=INK, font=font, anchor="rm"
    )
    return np.asarray(picture)


def clock_box(frame: NDArray[np.uint8], seconds: float) -> Box:
    """Return the rectangle that the clock covers in a picture [height, width, 3].

    The size of the panel depends only on the number of digits in the time.
    """
    size = text_size(frame)
    margin, width = size // 2, font_of(size).getlength("0" * len(_text(seconds)))  # digits differ in width
    return margin, margin, margin + width + size, margin + 2 * size


def _text(seconds: float) -> str:
    return f"{seconds:.2f} s"
