"""Jumps in time. In a jump, a world advances by many steps in one call, and can skip most of these steps."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MOST_AT_ONCE = 2**20  # largest number of steps in one part of a jump, so that a jump of any length needs little memory

Holder = tuple[str, str]  # name of a crowd ("" for the world), and name of the system that requires the step


@dataclass
class Jump:
    """The report of a jump: the number of single steps, and the systems that required single steps."""

    steps: int
    stepped: int = 0  # number of steps that the world computed one by one; the last step does not count
    # number of single steps that each system required; systems are in the order of their first required step
    holders: Counter[Holder] = field(default_factory=Counter)

    def count(self, holders: Sequence[Holder]) -> None:
        """Count one more single step. The systems in `holders` have required this step."""
        self.stepped += 1
        self.holders.update(holders)


def step_ends(time: float, dt: float, steps: int) -> NDArray[np.float64]:
    """Return the end time [s] of each step. The times are bit-identical to the times of repeated additions of `dt`."""
    ends = np.full(steps + 1, dt, np.float64)
    ends[0] = time
    return np.add.accumulate(ends)[1:]
