"""Masks from their texts: compressed run lengths of COCO, and polygons along the edges of pixels."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
NUMBER = re.compile("[P-o]*[0-O]")  # characters from "P" on announce another character of the same number


def mask_of_runs(runs: Mapping[str, Any]) -> Mask:
    """Return the mask [height, width] of compressed run lengths.

    Source: `rleFrString` of the COCO programming interface. Raises ValueError if the runs do not fill the picture.
    """
    lengths: list[int] = []
    for text in NUMBER.findall(runs["counts"]):
        low = sum((ord(own) - 48 & 31) << 5 * place for place, own in enumerate(text))
        number = low - (1 << 5 * len(text)) if ord(text[-1]) - 48 & 16 else low
        lengths.append(number + (lengths[-2] if len(lengths) > 2 else 0))
    height, width = runs["size"]
    return np.repeat(np.arange(len(lengths)) % 2 == 1, lengths).reshape(width, height).T


def count_of_polygons(polygons: Sequence[Sequence[float]], height: int, width: int) -> NDArray[np.int64]:
    """Return for each pixel [height, width] how many of the polygons contain it. Each polygon is x, y, x, y, ..."""
    total = np.zeros((height, width), np.int64)
    for polygon in polygons:
        points = np.rint(np.reshape(polygon, (-1, 2))).astype(int)
        changes = np.zeros((height, width + 1), np.bool_)
        for (x, y), (next_x, next_y) in zip(points, np.roll(points, -1, axis=0), strict=True):
            if x == next_x:  # only vertical edges change between inside and outside along a row
                changes[min(y, next_y) : max(y, next_y), x] ^= True
        total += np.logical_xor.accumulate(changes[:, :width], axis=1)
    return total


def box_of(mask: Mask) -> list[int]:
    """Return left, top, width and height of a mask. An empty mask has the box 0, 0, 0, 0."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return [0, 0, 0, 0]
    return [int(own) for own in (columns[0], rows[0], np.ptp(columns) + 1, np.ptp(rows) + 1)]


def apart(numbers: Sequence[float], others: Sequence[float]) -> float:
    """Return the largest difference of two lists. Lists with different lengths have the difference infinity."""
    if len(numbers) != len(others):
        return float("inf")
    return max((abs(own - other) for own, other in zip(numbers, others, strict=True)), default=0.0)
