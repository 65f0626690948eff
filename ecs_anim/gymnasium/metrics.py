"""Metrics of social navigation over episodes. Arrays have one row for each environment."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gymnasium.sights import Robots
from ecs_anim.maths.small_matrices import length

Reals = NDArray[np.float64]
INTIMATE, PERSONAL = 0.45, 1.2  # [m], distances of Hall (1966)


class Episodes:
    """The metrics of the present episode of each environment (Francis et al. 2023, SPL: Anderson et al. 2018)."""

    def __init__(self, count: int) -> None:
        self.seconds = np.zeros(count)
        self._shortest, self._path = np.zeros(count), np.zeros(count)  # [m]
        self._least = np.zeros(count)  # [m]
        self._intimate, self._personal = np.zeros(count), np.zeros(count)  # [s]
        self._jerk = np.zeros(count)  # [m/s^2], integral of the jerk over the time
        self._before = np.zeros((2, count, 2))  # velocities of the last step and of the step before [m/s]

    def begin(self, rows: NDArray[np.intp], shortest: Reals) -> None:
        """Start the episodes of some environments. `shortest` are the lengths [row] of their shortest paths [m]."""
        for column in (self.seconds, self._path, self._intimate, self._personal, self._jerk):
            column[rows] = 0.0
        self._shortest[rows], self._least[rows], self._before[:, rows] = shortest, np.inf, 0.0

    def add(self, robots: Robots, gap: Reals, dt: float) -> None:
        """Add a step of `dt` [s]. `gap` is the distance [env] of the nearest person [m]."""
        last, earlier = self._before
        self.seconds += dt
        self._path += length(robots.velocity) * dt
        self._jerk += length(robots.velocity - 2 * last + earlier) / dt
        self._before = np.stack([robots.velocity, last])
        self._least = np.minimum(self._least, gap)
        self._intimate += dt * (gap < INTIMATE)
        self._personal += dt * (gap < PERSONAL)

    def results(self, succeeds: NDArray[np.bool_], collides: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
        """Return all metrics by name, [env] each."""
        longest = np.maximum(self._path, self._shortest)
        spent = np.where(self.seconds > 0, self.seconds, 1.0)
        return {
            "success": succeeds.astype(np.float64),
            "collision": collides.astype(np.float64),
            "seconds": self.seconds.copy(),
            "path_m": self._path.copy(),
            "spl": succeeds * self._shortest / np.where(longest > 0, longest, 1.0),
            "least_distance_m": self._least.copy(),
            "intimate_share": self._intimate / spent,
            "personal_share": self._personal / spent,
            "jerk_m_s3": self._jerk / spent,
        }
