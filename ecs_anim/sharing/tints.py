"""Recording of tints that change, such as colours by speed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.moving import CLOSE, corners


class TintPath(NamedTuple):
    """The changing tint of an actor."""

    actor: int  # number of the actor
    rows: NDArray[np.float32]  # [n, 5], rows of time [s], linear RGB and strength; linear between two rows


class FilmedTints:
    """The tints of a crowd over the time of a recording."""

    def __init__(self) -> None:
        self._last = np.full((0, 4), np.nan, np.float32)  # [actor, 4], last stored tints
        self._changes: list[NDArray[np.float64]] = []  # each [n, 6]: actor, time [s], tint

    def take(self, time: float, actors: NDArray[np.int32], tints: NDArray[np.float32]) -> None:
        """Record the tints [n, 4] of the actors that appeared or changed. `time` [s] is the time after the first
        sample.
        """
        missing = int(actors.max(initial=-1)) + 1 - len(self._last)
        self._last = np.pad(self._last, ((0, max(missing, 0)), (0, 0)), constant_values=np.nan)
        changed = ~(np.abs(self._last[actors] - tints) <= CLOSE).all(axis=1)
        self._last[actors[changed]] = tints[changed]
        if changed.any():
            times = np.full(int(changed.sum()), time)
            self._changes.append(np.column_stack([actors[changed], times, tints[changed]]))

    def paths(self, dt: float) -> list[TintPath]:
        """Return the tints of the actors whose tint changed. `dt` [s] is the time between two samples."""
        if len(self._changes) < 2:
            return []
        changes = np.concatenate(self._changes)
        changes = changes[np.argsort(changes[:, 0], kind="stable")]
        parts = np.split(changes, np.flatnonzero(np.diff(changes[:, 0])) + 1)
        return [_path(part, dt) for part in parts if len(part) > 1]


def _path(changes: NDArray[np.float64], dt: float) -> TintPath:
    """Return the tint of an actor from its changes [n, 6]. Before a change, the tint is constant until one sample
    before the change.
    """
    rows = changes[:, 1:]
    held = np.column_stack([rows[1:, 0] - dt, rows[:-1, 1:]])[np.diff(rows[:, 0]) > 1.5 * dt]
    rows = np.concatenate([rows, held])
    rows = rows[np.argsort(rows[:, 0])]
    return TintPath(int(changes[0, 0]), rows[corners(rows)].astype(np.float32))
