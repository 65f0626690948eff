"""A clock in a picture."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.panels import INK, font_of, text_size, with_panel


def with_clock(frame: NDArray[np.uint8], seconds: float) -> NDArray[np.uint8]:
    """A copy of a picture [height, width, 3] with the time at its upper left, such as "12.34 s"."""
    from PIL import ImageDraw

    size = text_size(frame)
    font, text, margin = font_of(size), f"{seconds:.2f} s", size // 2
    width = font.getlength("0" * len(text))  # digits differ in width, and the panel must not tremble
    box = (margin, margin, margin + width + size, margin + 2 * size)
    picture = with_panel(frame, box)
    ImageDraw.Draw(picture).text((box[2] - size / 2, margin + size), text, fill=INK, font=font, anchor="rm")
    return np.asarray(picture)
