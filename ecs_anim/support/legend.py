"""A legend of colours in a picture."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.panels import INK, font_of, text_size, with_panel

SHARE = 1 / 32  # of the picture's height, the text's
Entry = tuple[str, str]  # a colour, such as "#3d6fa5", and what it means


def with_legend(frame: NDArray[np.uint8], title: str, entries: Sequence[Entry]) -> NDArray[np.uint8]:
    """A copy of a picture [height, width, 3] with what colours mean, in a row at its lower left.

    Entries that a narrow picture has no room for go on in rows below.
    """
    from PIL import ImageDraw

    size = text_size(frame, SHARE)
    font, margin, high = font_of(size), size // 2, round(1.5 * size)
    begins: list[tuple[float, int]] = []  # of each entry, [pixel] from the left, and its row
    rows, right = 1, margin + size / 2 + font.getlength(title) + size
    widest = right
    for _, text in entries:
        width = 1.4 * size + font.getlength(text) + size
        if right + width > frame.shape[1] - margin and begins:
            rows, right = rows + 1, margin + size / 2
        begins.append((right, rows - 1))
        right += width
        widest = max(widest, right)
    top = frame.shape[0] - margin - size - (rows - 1) * high - size / 2
    picture = with_panel(frame, (margin, top, widest, frame.shape[0] - margin))
    draw = ImageDraw.Draw(picture)
    draw.text((margin + size / 2, top + 0.75 * size), title, fill=INK, font=font, anchor="lm")
    for (left, row), (color, text) in zip(begins, entries, strict=True):
        middle = top + 0.75 * size + row * high
        draw.rectangle((left, middle - size / 2, left + size, middle + size / 2), fill=color, outline=INK)
        draw.text((left + 1.4 * size, middle), text, fill=INK, font=font, anchor="lm")
    return np.asarray(picture)
