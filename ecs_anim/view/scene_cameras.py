"""Named cameras of a scene: fixed cameras, cameras on a path, cameras on an actor, and cameras that follow an actor.

This module computes the poses of fixed cameras and of cameras on a path.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.curves import hermite
from ecs_anim.view.follow import Following
from ecs_anim.view.lens_model import LensModel
from ecs_anim.view.pinhole import FOCUS, look_at_pose
from ecs_anim.view.sensor import Sensor

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fixed:
    """A camera with a constant pose."""

    pose: Reals  # [3, 4], camera to world
    distance: float = FOCUS  # [m] to the target


@dataclass(frozen=True, eq=False)
class OnPath:
    """A camera that moves along a smooth curve through points. Each point has a time.

    Before the time of the first point, the camera stays at the first point. After the time of the last point, the
    camera stays at the last point.
    """

    times: Reals  # [point], [s], ascending
    points: Reals  # [point, 9]: eye x, y, z [m], target x, y, z [m], and up x, y, z

    def at(self, time: float) -> tuple[Reals, float]:
        """Return the camera pose [3, 4] at `time` [s]. Also return the distance [m] from the camera to its target.

        The path is a Catmull-Rom curve for unevenly spaced times. The slope at a path point is the slope of the
        parabola through this point and its two neighbours. Raises ValueError if the eye and the target are equal at
        `time`, or if the up direction is parallel to the view direction.
        """
        span = int(np.clip(np.searchsorted(self.times, time, "right") - 1, 0, len(self.times) - 2))
        begin, end = self.times[span : span + 2]
        share = min(max((time - begin) / (end - begin), 0.0), 1.0)
        slopes = (end - begin) * self._velocities()[span : span + 2]
        now = hermite(self.points[span], slopes[0], slopes[1], self.points[span + 1], share)
        return look_at_pose(now[:3], now[3:6], now[6:])

    def _velocities(self) -> Reals:
        """Return the rates of change [point, 9] per second of eye, target and up direction at each path point."""
        slopes = np.diff(self.points, axis=0) / np.diff(self.times)[:, None]
        before, after = np.diff(self.times)[:-1, None], np.diff(self.times)[1:, None]
        inner = (after * slopes[:-1] + before * slopes[1:]) / (before + after)
        return np.concatenate([slopes[:1], inner, slopes[-1:]])


@dataclass(frozen=True, eq=False)
class Mounted:
    """A camera that is fixed to an actor or to a joint of an actor."""

    carrier: str  # name of the actor in messages
    actor_id: int
    joint: int  # number in the skeleton; -1 = the actor itself
    pose: Reals  # [3, 4], from camera space to the space of the joint or of the actor, in rig units
    lift: float = 0.0  # [m] height of the rig's origin above the actor's position on the ground


CameraMotion = Fixed | OnPath | Mounted | Following


@dataclass(frozen=True, eq=False)
class SceneCamera:
    """A named camera of a scene: a lens, and a motion that defines the pose of the camera at each time.

    A camera of a stereo pair is `aside` metres to the right of the pose.
    """

    name: str
    lens: LensModel
    motion: CameraMotion
    sensor: Sensor | None = None  # effects on colours; None = the drawn picture
    noise_seed: tuple[int, ...] = ()
    aside: float = 0.0  # [m]
