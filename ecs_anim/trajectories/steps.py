"""Steps from sample to sample: gaps, in which a person is not seen, and jumps, faster than anybody goes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.trajectories.rows import Reals, Whole

FASTEST = 7.0  # [m/s], beyond which nobody goes in a crowd: a tracker took one person for another
MISSING = 1.5  # usual steps in time, beyond which a sample is missing


@dataclass(frozen=True)
class Gap:
    """A time during which a person is not seen."""

    id: int
    start: float  # [s]
    seconds: float


@dataclass(frozen=True)
class Jump:
    """A move faster than anybody goes."""

    id: int
    time: float  # [s], of the sample after it
    metres: float


@dataclass(frozen=True, eq=False)
class Steps:
    """All steps between neighbouring samples of one person, in their order."""

    first: NDArray[np.intp]  # [n], the sample before; the one after is the next
    seconds: Reals  # [n]
    metres: Reals  # [n]

    @property
    def speed(self) -> Reals:
        """[n], [m/s]."""
        return self.metres / self.seconds


def steps_of(ids: Whole, times: Reals, xy: Reals) -> Steps:
    """Steps of samples [n] in order of person and time; xy [n, 2], [m]."""
    first = np.flatnonzero(ids[1:] == ids[:-1])
    moves = xy[first + 1] - xy[first]
    return Steps(first, times[first + 1] - times[first], np.sqrt(np.sum(moves * moves, axis=-1)))


def is_gap(steps: Steps, usual: float) -> NDArray[np.bool_]:
    """Which steps are gaps, where samples are usually so many seconds apart."""
    return steps.seconds > MISSING * usual


def is_jump(steps: Steps, fastest: float = FASTEST) -> NDArray[np.bool_]:
    """Which steps are jumps."""
    return steps.speed > fastest


def gaps_of(ids: Whole, times: Reals, steps: Steps, chosen: NDArray[np.bool_]) -> list[Gap]:
    """These steps as gaps."""
    at, seconds = steps.first[chosen], steps.seconds[chosen]
    return [Gap(*own) for own in zip(ids[at].tolist(), times[at].tolist(), seconds.tolist(), strict=True)]


def jumps_of(ids: Whole, times: Reals, steps: Steps, chosen: NDArray[np.bool_]) -> list[Jump]:
    """These steps as jumps."""
    at, metres = steps.first[chosen], steps.metres[chosen]
    return [Jump(*own) for own in zip(ids[at].tolist(), times[at + 1].tolist(), metres.tolist(), strict=True)]
