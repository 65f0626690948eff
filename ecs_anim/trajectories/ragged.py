"""Conversion of stretches of different lengths to padded arrays.

A batch is a padded array of stretches with similar lengths. Each column is a stretch, and each row is a sample.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONGER = 2.0  # approximate ratio of the longest to the shortest stretch in a batch
MOST = 1 << 20  # most values of a batch


@dataclass(frozen=True, eq=False)
class Batch:
    """Some stretches of similar length. The flat arrays contain the samples of all stretches, and `samples` contains
    indices into the flat arrays.
    """

    stretches: NDArray[np.intp]  # [stretches]
    lengths: NDArray[np.intp]  # [stretches], number of samples, at least 1
    samples: NDArray[np.intp]  # [longest, stretches]; beyond the end of a stretch, its last sample

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Return a mask [longest, stretches] of the samples that are not padding."""
        return np.arange(len(self.samples))[:, None] < self.lengths

    def scatter(self, values: NDArray[Any], flat: NDArray[Any]) -> None:
        """Copy padded values [longest, stretches, ...] to a flat array [samples, ...].

        The function does not copy the padding.
        """
        inside = self.inside
        flat[self.samples[inside]] = values[inside]


def batches(starts: NDArray[np.intp]) -> Iterator[Batch]:
    """Yield batches that together contain all stretches with samples. Each batch has stretches of similar length.

    `starts` [stretches + 1] contains the index of the first sample of each stretch. Its last element is the number of
    all samples.
    """
    lengths = np.diff(starts)
    order = np.argsort(lengths, kind="stable")
    first = int(np.count_nonzero(lengths == 0))
    while first < len(order):
        longest = LONGER * lengths[order[first]] + 8
        stop = int(np.searchsorted(lengths[order], longest, side="right"))
        stop = max(first + 1, min(stop, first + int(MOST // longest)))
        chosen = order[first:stop]
        own = lengths[chosen]
        rows = np.minimum(np.arange(own.max())[:, None], own - 1)
        yield Batch(chosen, own, starts[chosen] + rows)
        first = stop
