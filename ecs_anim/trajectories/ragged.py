"""Ragged arrays side by side: stretches of like length as columns, padded with their last value, time going down."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONGER = 2.0  # how much longer than a batch's shortest its longest may be
MOST = 1 << 20  # values of a batch


@dataclass(frozen=True, eq=False)
class Batch:
    """Some stretches: where their samples are in the flat arrays, [longest, stretches]."""

    stretches: NDArray[np.intp]  # [stretches]
    lengths: NDArray[np.intp]  # [stretches], samples, 1 at least
    samples: NDArray[np.intp]  # [longest, stretches]; beyond a stretch's end its last one

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Mask of samples that are not padding [longest, stretches]."""
        return np.arange(len(self.samples))[:, None] < self.lengths

    def scatter(self, values: NDArray[Any], flat: NDArray[Any]) -> None:
        """Write padded values [longest, stretches, ...] to where they belong in a flat array [samples, ...]."""
        inside = self.inside
        flat[self.samples[inside]] = values[inside]


def batches(starts: NDArray[np.intp]) -> Iterator[Batch]:
    """All stretches that begin at `starts` [stretches + 1] and have a sample, those of like length together."""
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
