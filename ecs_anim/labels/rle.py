"""Run-length encoding (RLE) of masks in COCO's format, as run lengths or as compressed text.

The order of the pixels is column by column, from left to right.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

BITS, FIRST_CHARACTER = 5, 48  # number of bits of a run length in each character; code of the character "0"
MORE, SIGN = 1 << BITS, 1 << (BITS - 1)


def segmentation_of(mask: NDArray[np.bool_], box: Sequence[int]) -> dict[str, Any]:
    """Return COCO's RLE of a mask [height, width].

    `box` is left, top, width, height [pixel], and must contain all pixels of the mask.
    """
    return {"size": list(mask.shape), "counts": text_of(counts_of(mask, box))}


def counts_of(mask: NDArray[np.bool_], box: Sequence[int]) -> NDArray[np.int64]:
    """Return alternating run lengths of pixels outside and inside a mask, column by column from the left.

    The first run counts pixels outside the mask and can be 0. `box` is left, top, width, height [pixel].
    """
    left, top, width, height = box
    columns, rows = np.nonzero(mask[top : top + height, left : left + width].T)
    found = (left + columns) * mask.shape[0] + top + rows
    begins = found[np.diff(found, prepend=-2) > 1]
    ends = found[np.diff(found, append=mask.size + 1) > 1] + 1
    counts = np.diff(np.stack([begins, ends], axis=-1).ravel(), prepend=0, append=mask.size)
    return counts if counts[-1] > 0 else counts[:-1]


def text_of(counts: NDArray[np.int64]) -> str:
    """Return run lengths `counts` as text in COCO's compressed form.

    The text contains the first three run lengths as they are. For each later run length, it contains the difference
    from the run length two positions before. Each character contains five bits of a number. The first character of a
    number contains the lowest bits. A sixth bit is 1 if the number continues in the next character. The fifth bit of
    the last character is the sign.
    """
    told = counts.copy()
    told[3:] -= counts[1:-2]
    return "".join(map(_characters, told.tolist()))


def _characters(number: int) -> str:
    text = ""
    while True:
        low, number = number & (MORE - 1), number >> BITS
        is_last = number == (-1 if low & SIGN else 0)
        text += chr(FIRST_CHARACTER + (low if is_last else low | MORE))
        if is_last:
            return text


def mask_of(segmentation: dict[str, Any]) -> NDArray[np.bool_]:
    """Return the mask [height, width] that `segmentation` encodes. `segmentation` is a result of `segmentation_of`."""
    height, width = segmentation["size"]
    counts = _numbers(segmentation["counts"])
    for k in range(3, len(counts)):
        counts[k] += counts[k - 2]
    inside = np.arange(len(counts)) % 2 == 1
    return np.repeat(inside, counts).reshape(width, height).T


def _numbers(text: str) -> list[int]:
    """Return the run lengths that `text` encodes in COCO's compressed form."""
    numbers, number, shift = [], 0, 0
    for character in text:
        low = ord(character) - FIRST_CHARACTER
        number |= (low & (MORE - 1)) << shift
        shift += BITS
        if not low & MORE:
            numbers.append(number - (1 << shift) if low & SIGN else number)
            number, shift = 0, 0
    return numbers
