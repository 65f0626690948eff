"""Legends that explain colours in a picture."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, assert_never, get_args

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.panels import INK, Box, font_of, text_size, with_panel

SHARE = 1 / 32  # height of the text / height of the picture
ROW = 1.5  # height of a row / height of the text
Entry = tuple[str, str]  # a colour, such as "#3d6fa5", and its meaning
Corner = Literal["lower left", "lower right", "upper right"]  # the upper left corner is for a clock


class Layout(NamedTuple):
    """The layout of a legend in its panel [pixel]."""

    text: int  # height of the text
    width: float
    height: float
    starts: list[tuple[float, int]]  # distance from the left edge of the panel, and row, for each entry


def with_legend(
    frame: NDArray[np.uint8],
    title: str,
    entries: Sequence[Entry],
    corner: Corner = "lower left",
    clock: Box | None = None,
) -> NDArray[np.uint8]:
    """Return a copy of a picture [height, width, 3] with a legend of colours in a corner.

    The legend shows all entries in one row. If the picture is too narrow for one row, the legend has several rows.
    """
    from PIL import ImageDraw

    layout = _laid_out(frame, title, entries)
    size, _, _, starts = layout
    font, box = font_of(size), _box(frame, layout, corner, clock)
    left, first = box[0], box[1] + ROW * size / 2
    picture = with_panel(frame, box)
    draw = ImageDraw.Draw(picture)
    draw.text((left + size / 2, first), title, fill=INK, font=font, anchor="lm")
    for (along, row), (color, text) in zip(starts, entries, strict=True):
        begin, middle = left + along, first + row * round(ROW * size)
        draw.rectangle((begin, middle - size / 2, begin + size, middle + size / 2), fill=color, outline=INK)
        draw.text((begin + 1.4 * size, middle), text, fill=INK, font=font, anchor="lm")
    return np.asarray(picture)


def emptiest_corner(
    frame: NDArray[np.uint8],
    title: str,
    entries: Sequence[Entry],
    points: NDArray[np.float64],
    clock: Box | None = None,
) -> Corner:
    """Return the corner in which a legend covers the fewest of the points [n, 2] [pixel].

    If the legend would cover equally few points in several corners, return the first of these corners in the order of
    the type `Corner`.
    """
    layout = _laid_out(frame, title, entries)
    boxes = {corner: _box(frame, layout, corner, clock) for corner in get_args(Corner)}
    return min(boxes, key=lambda corner: int(np.count_nonzero(_inside(boxes[corner], points))))


def _box(frame: NDArray[np.uint8], layout: Layout, corner: Corner, clock: Box | None) -> Box:
    """Return the panel of a legend in a picture [height, width, 3].

    In the upper right corner, the panel is beside the clock. If the space beside the clock is too narrow, the panel is
    below the clock.
    """
    size, width, height, _ = layout
    margin = size // 2
    low, right = frame.shape[0] - margin - height, frame.shape[1] - margin - width
    match corner:
        case "lower left":
            left, top = margin, low
        case "lower right":
            left, top = right, low
        case "upper right":
            left, top = right, margin if clock is None or clock[2] < right else clock[3] + margin
        case _:
            assert_never(corner)
    return left, top, left + width, top + height


def _laid_out(frame: NDArray[np.uint8], title: str, entries: Sequence[Entry]) -> Layout:
    """Return the layout of the entries in rows that fit the width of a picture [height, width, 3]."""
    size = text_size(frame, SHARE)
    font, room = font_of(size), frame.shape[1] - 2 * (size // 2)
    right = size / 2 + font.getlength(title) + size
    row, widest = 0, right
    starts: list[tuple[float, int]] = []
    for _, text in entries:
        width = 1.4 * size + font.getlength(text) + size
        if right + width > room and starts:
            row, right = row + 1, size / 2
        starts.append((right, row))
        right += width
        widest = max(widest, right)
    return Layout(size, widest, ROW * size + row * round(ROW * size), starts)


def _inside(box: Box, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    left, top, right, bottom = box
    x, y = points[..., 0], points[..., 1]
    return np.asarray((left <= x) & (x <= right) & (top <= y) & (y <= bottom))
