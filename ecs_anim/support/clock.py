"""A clock in a picture."""

import numpy as np
from numpy.typing import NDArray

SHARE = 1 / 24  # of the picture's height, the text's
SMALLEST = 10  # [pixel], legible
INK, PANEL = (245, 246, 248), (22, 26, 32)  # sRGB
COVER = 150 / 255  # of the panel over the picture


def with_clock(frame: NDArray[np.uint8], seconds: float) -> NDArray[np.uint8]:
    """A copy of a picture [height, width, 3] with the time at its upper left, such as "12.34 s"."""
    from PIL import Image, ImageDraw, ImageFont

    size = max(SMALLEST, round(SHARE * frame.shape[0]))
    font, text, margin = ImageFont.load_default(size), f"{seconds:.2f} s", size // 2
    width = font.getlength("0" * len(text))  # digits differ in width, and the panel must not tremble
    box = (margin, margin, margin + width + size, margin + 2 * size)
    picture = Image.fromarray(frame)
    panel = picture.copy()
    ImageDraw.Draw(panel).rectangle(box, fill=PANEL)
    picture = Image.blend(picture, panel, COVER)
    ImageDraw.Draw(picture).text((box[2] - size / 2, margin + size), text, fill=INK, font=font, anchor="rm")
    return np.asarray(picture)
