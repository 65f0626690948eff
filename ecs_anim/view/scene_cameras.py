"""Cameras of a scene, by name: what each is, and where it is at a time, as far as that does not depend on actors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.curves import hermite
from ecs_anim.view.lens import Lens
from ecs_anim.view.pinhole import FOCUS, look_at_pose

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fixed:
    """Stays where it is."""

    pose: Reals  # [3, 4], camera to world
    distance: float = FOCUS  # [m], to what it looks at


@dataclass(frozen=True, eq=False)
class OnPath:
    """Runs along smooth curves through points, at their times; before and after it stays at their ends."""

    times: Reals  # [point], [s], rising
    points: Reals  # [point, 9]: eye x, y, z, what is looked at x, y, z, [m], and up x, y, z

    def at(self, time: float) -> tuple[Reals, float]:
        """The pose [3, 4] at a time [s], and how far away is what is looked at, [m]. Raises ValueError: `look_at_pose`.

        Catmull and Rom's curve for times that need not be evenly spaced: at each point the slope is that of the
        parabola through it and its neighbours.
        """
        span = int(np.clip(np.searchsorted(self.times, time, "right") - 1, 0, len(self.times) - 2))
        begin, end = self.times[span : span + 2]
        share = min(max((time - begin) / (end - begin), 0.0), 1.0)
        slopes = (end - begin) * self._velocities()[span : span + 2]
        now = hermite(self.points[span], slopes[0], slopes[1], self.points[span + 1], share)
        return look_at_pose(now[:3], now[3:6], now[6:])

    def _velocities(self) -> Reals:
        """Return the rate of change of each point per second, [point, 9]."""
        slopes = np.diff(self.points, axis=0) / np.diff(self.times)[:, None]
        before, after = np.diff(self.times)[:-1, None], np.diff(self.times)[1:, None]
        inner = (after * slopes[:-1] + before * slopes[1:]) / (before + after)
        return np.concatenate([slopes[:1], inner, slopes[-1:]])


@dataclass(frozen=True, eq=False)
class Mounted:
    """Is carried by a joint of an actor, or by the actor as a whole."""

    carrier: str  # for messages
    actor_id: int
    joint: int  # of the skeleton; -1 = none: the actor as a whole
    pose: Reals  # [3, 4], camera to the joint's space, or the actor's, in the rig's units
    lift: float = 0.0  # [m] from the actor's position on the ground to the rig's origin


CameraMotion = Fixed | OnPath | Mounted


@dataclass(frozen=True, eq=False)
class SceneCamera:
    """A lens, and where it goes."""

    name: str
    lens: Lens
    motion: CameraMotion
