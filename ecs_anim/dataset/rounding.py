"""Rounding of the numbers in labels, so that labels are short and equal on all machines."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Numbers of decimal places: pixels are rounded to 0.001, lengths to 0.1 mm, shares to 0.0001, and angles [rad] and
# the numbers of unit vectors and quaternions to 0.0001.
PIXEL_DIGITS, METRE_DIGITS, SHARE_DIGITS, UNIT_DIGITS = 3, 4, 4, 4


def rounded(numbers: NDArray[np.floating], digits: int) -> list[Any]:
    """Return a list with one item for each row of `numbers` [n, ...]. A row with NaN gives the item None."""
    rows = np.round(numbers.astype(np.float64), digits) + 0.0  # + 0.0 turns -0.0 into 0.0
    known = np.isfinite(rows).all(axis=tuple(range(1, rows.ndim)))
    return [row if own else None for row, own in zip(rows.tolist(), known.tolist(), strict=True)]
