"""Steps between consecutive samples of a person.

A gap is a step in which samples are missing. A jump is a step that is too fast for a walking person.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.trajectories.rows import Reals, Whole

# Highest speed in a crowd [m/s]. A higher speed shows that the tracker has confused two people.
FASTEST = 7.0
# Largest ratio of a step's duration to the usual time between samples. In a longer step, samples are missing.
MISSING = 1.5


@dataclass(frozen=True)
class Gap:
    """A time interval without samples of a person."""

    id: int
    start: float  # [s]
    seconds: float


@dataclass(frozen=True)
class Jump:
    """A movement that is too fast for walking."""

    id: int
    time: float  # [s], time of the sample after the move
    metres: float


class Steps(NamedTuple):
    """Steps between consecutive samples of one person."""

    first: NDArray[np.intp]  # [n], the sample before the step; the next sample is after it
    seconds: Reals  # [n], or ticks of the file
    moves: Reals  # [n, 2], [m], or units of the file

    @property
    def metres(self) -> Reals:
        """Return the length [n] of each step."""
        return np.sqrt(np.sum(self.moves * self.moves, axis=-1))

    @property
    def speed(self) -> Reals:
        """Return the mean speed [n] of each step."""
        return self.metres / self.seconds


def steps_of(ids: NDArray[Any], times: Reals, xy: Reals) -> Steps:
    """Return the steps between samples [n]. The samples must be sorted by person and time.

    The result does not contain steps with the duration 0.
    """
    first = np.flatnonzero((ids[1:] == ids[:-1]) & (times[1:] > times[:-1]))
    return Steps(first, times[first + 1] - times[first], xy[first + 1] - xy[first])


def is_gap(steps: Steps, usual: float) -> NDArray[np.bool_]:
    """Return a mask [n] of the steps that are gaps. `usual` [s] is the usual time between samples."""
    return steps.seconds > MISSING * usual


def is_jump(steps: Steps, fastest: float = FASTEST) -> NDArray[np.bool_]:
    """Return a mask [n] of the steps that are faster than `fastest` [m/s]."""
    return steps.speed > fastest


def gaps_of(ids: Whole, times: Reals, steps: Steps, chosen: NDArray[np.bool_]) -> list[Gap]:
    """Return a `Gap` for each step that the mask `chosen` selects."""
    at, seconds = steps.first[chosen], steps.seconds[chosen]
    return [Gap(*own) for own in zip(ids[at].tolist(), times[at].tolist(), seconds.tolist(), strict=True)]


def jumps_of(ids: Whole, times: Reals, steps: Steps, chosen: NDArray[np.bool_]) -> list[Jump]:
    """Return a `Jump` for each step that the mask `chosen` selects."""
    at, metres = steps.first[chosen], steps.metres[chosen]
    return [Jump(*own) for own in zip(ids[at].tolist(), times[at + 1].tolist(), metres.tolist(), strict=True)]
