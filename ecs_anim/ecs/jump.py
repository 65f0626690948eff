"""Jumps: a world takes many steps in one call. A jump can skip most of these steps at once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MOST_AT_ONCE = 2**20  # steps; with this limit, a jump of any length needs little memory

Holder = tuple[str, str]  # name of a crowd, empty for the world, and name of the system that requires a step


@dataclass
class Jump:
    """The report of a jump: the number of steps, and the systems that required single steps."""

    steps: int
    stepped: int = 0  # number of steps that were taken one by one, without the last step
    holders: Counter[Holder] = field(default_factory=Counter)  # number of required steps, in order of first occurrence

    def count(self, holders: Sequence[Holder]) -> None:
        """Record one more single step, which the systems in `holders` required."""
        self.stepped += 1
        self.holders.update(holders)


def step_ends(time: float, dt: float, steps: int) -> NDArray[np.float64]:
    """Return the end time of each step [s]. The values are bit-identical to repeated additions of `dt`."""
    ends = np.full(steps + 1, dt, np.float64)
    ends[0] = time
    return np.add.accumulate(ends)[1:]
