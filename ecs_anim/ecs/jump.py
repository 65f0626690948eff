"""Jumps: many steps ahead, most of which need not be taken one by one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MOST_AT_ONCE = 2**20  # steps, so that a jump of any length needs little memory

Holder = tuple[str, str]  # a crowd's name, empty for the world, and the system that needs each step to be taken


@dataclass
class Jump:
    """How a world was brought ahead."""

    steps: int
    stepped: int = 0  # of them were taken one by one, besides the last
    holders: Counter[Holder] = field(default_factory=Counter)  # in how many of those; in the order they were met

    def count(self, holders: Sequence[Holder]) -> None:
        """One more step was taken, for these."""
        self.stepped += 1
        self.holders.update(holders)


def step_ends(time: float, dt: float, steps: int) -> NDArray[np.float64]:
    """When each step ends [s]: the sums that adding dt again and again gives, to the bit."""
    ends = np.full(steps + 1, dt, np.float64)
    ends[0] = time
    return np.add.accumulate(ends)[1:]
