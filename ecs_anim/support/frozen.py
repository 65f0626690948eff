"""Conversion of arrays to read-only arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array` as a contiguous read-only array.

    The arrays of rigs, clips and bakes are read-only, because several crowds and worlds can use the same array.
    """
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array.flags.writeable = False
    return array
