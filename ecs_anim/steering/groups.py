"""Groups of actors that walk together."""

import numpy as np
from numpy.typing import NDArray


def of_first(numbers: NDArray[np.int32]) -> NDArray[np.intp]:
    """For each actor [n], return the row of the first member of its group.

    `numbers` [n] contains the group of each actor.

    If the group of an actor is -1, the result for this actor is its own row.
    """
    own = np.where(numbers < 0, -1 - np.arange(len(numbers)), numbers)
    _, first, inverse = np.unique(own, return_index=True, return_inverse=True)
    return np.asarray(first[inverse])
