"""Captions in pictures, and pictures side by side in one picture."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.panels import INK, font_of, text_size, with_panel

SHARE = 1 / 16  # height of the text / height of the picture
LARGEST = 22  # [pixel], largest height of the text
ROW = 1.6  # height of the panel / height of the text
EMPTY = (184, 184, 180)  # sRGB, colour of cells without a picture

Frame = NDArray[np.uint8]


def with_caption(frame: Frame, text: str) -> Frame:
    """Return a copy of a picture [height, width, 3] with a text in the lower left corner.

    If the text is empty, the copy equals the picture.
    """
    if not text:
        return frame
    from PIL import ImageDraw

    size = min(text_size(frame, SHARE), LARGEST)
    font, bottom = font_of(size), frame.shape[0]
    box = (0.0, bottom - ROW * size, min(font.getlength(text) + 1.2 * size, frame.shape[1]), float(bottom))
    picture = with_panel(frame, box)
    ImageDraw.Draw(picture).text((0.6 * size, (box[1] + box[3]) / 2), text, fill=INK, font=font, anchor="lm")
    return np.asarray(picture)


def cells_of(size: tuple[int, int], count: int) -> list[tuple[slice, slice]]:
    """Divide a picture of `size` (width, height) into `count` nearly square cells. Return the pixel rows and the pixel
    columns of each cell.

    The cells are in reading order: row by row, from left to right. The cells cover the whole picture, except for unused
    cells at the end of the last row.
    """
    width, height = size
    columns = min(count, max(1, round(math.sqrt(count * width / height))))
    rows = -(-count // columns)
    x, y = (np.linspace(0, end, n + 1).astype(int).tolist() for end, n in ((width, columns), (height, rows)))
    places = [(row, column) for row in range(rows) for column in range(columns)]
    return [(slice(y[row], y[row + 1]), slice(x[column], x[column + 1])) for row, column in places[:count]]


def joined(size: tuple[int, int], frames: Sequence[Frame]) -> Frame:
    """Return a picture of `size` (width, height) with one frame in each cell.

    Each frame must have the size of its cell from `cells_of`.
    """
    picture = np.full((size[1], size[0], 3), EMPTY, np.uint8)
    for (rows, columns), frame in zip(cells_of(size, len(frames)), frames, strict=True):
        picture[rows, columns] = frame
    return picture
