"""Standard errors of figures of pictures, by the bootstrap: pictures are drawn with replacement."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
ROUNDS = 200  # number of the samples of pictures


def resampled(parts: Sequence[T], figure: Callable[[Sequence[T]], float]) -> NDArray[np.float64]:
    """Return the figure [ROUNDS] of samples of the pictures `parts`. Equal numbers of pictures have equal samples.

    The standard deviation is the standard error of the figure (B. Efron, "Bootstrap Methods", 1979). For two data sets
    with the same cameras, subtract the results, and the standard deviation is the standard error of the difference.
    """
    rng = np.random.default_rng(0)
    rows = rng.integers(len(parts), size=(ROUNDS, len(parts)))
    return np.array([figure([parts[k] for k in own]) for own in rows])
