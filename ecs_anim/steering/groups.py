"""Groups of people who go together."""

import numpy as np
from numpy.typing import NDArray


def of_first(numbers: NDArray[np.int32]) -> NDArray[np.intp]:
    """The row [n] of the first member of each one's group [n]; of those in none, -1, their own."""
    own = np.where(numbers < 0, -1 - np.arange(len(numbers)), numbers)
    _, first, inverse = np.unique(own, return_index=True, return_inverse=True)
    return np.asarray(first[inverse])
