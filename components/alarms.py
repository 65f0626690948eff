"""Alarms: the component that stores the alarms of a crowd.

An actor starts to walk after the first alarm that reaches the actor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.routing.areas import Area

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Alarm:
    """An alarm that reaches all points of an area at once, or that spreads from one point at a constant speed."""

    at: float  # [s], world time
    area: Area | None = None  # None = everywhere
    origin: tuple[float, float] | None = None  # plan point [m] from which the alarm spreads; None = at once
    speed: float = np.inf  # [m/s]
    level: str | None = None  # name of the only level that the alarm reaches; None = all levels

    def times(self, points: Reals, levels: Sequence[str]) -> Reals:
        """Return the times [n] [s] at which the alarm reaches plan points [n, 2] [m] on `levels` [n]; inf = never."""
        times = np.full(len(points), self.at)
        if self.level is not None:
            times[np.array(levels) != self.level] = np.inf
        if self.origin is not None:
            times += np.sqrt(np.sum(np.square(points - self.origin), axis=1)) / self.speed
        return times if self.area is None else np.where(self.area.contains(points), times, np.inf)


@dataclass
class Alarms:
    """The alarms of a crowd. The pre-movement time of an actor begins when the first alarm reaches the actor.

    Written by: the scene loader. Read by: the scene loader and the system `turnover`.
    """

    alarms: tuple[Alarm, ...]

    def delays(self, points: Reals, levels: Sequence[str], now: float) -> Reals:
        """Return the seconds [n] from `now` [s] until the first alarm reaches plan points [n, 2] [m]; inf = never.

        `levels` [n] contains the name of the level of each point. A world without levels can pass any names, because
        its alarms reach all levels.
        """
        first = np.min([alarm.times(points, levels) for alarm in self.alarms], axis=0)
        return np.maximum(first - now, 0.0)
