"""Read-only arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, contiguous and read-only, because assets are shared."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array.flags.writeable = False
    return array
