"""The poses of the scene's cameras over the time of a recording."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.sharing.pool import Pool
from ecs_anim.support.errors import InputError
from ecs_anim.systems.cameras import camera, cameras
from ecs_anim.view.pinhole import PinholeCamera


@dataclass
class Track:
    """The poses of one camera over time. If the camera follows an actor, the pose does not change in frames without
    this actor.
    """

    name: str
    frame_rate: float  # [1/s], poses per second
    poses: list[NDArray[np.float32]] = field(default_factory=list)  # each [3, 4], camera to world
    _last: PinholeCamera | None = None

    def take(self, world: World) -> None:
        """Append the current pose of the camera. If the camera has had no known pose yet, append nothing."""
        with suppress(InputError):
            self._last = camera(world, self.name)
        if self._last is not None:
            self.poses.append(self._last.pose.astype(np.float32))

    def description(self, pool: Pool) -> dict[str, Any]:
        """Describe the track for the page. A camera that does not move has one pose."""
        last = self._last
        if last is None:
            return {"name": self.name, "poses": None}
        poses = np.stack(self.poses)
        poses = poses[:1] if (poses == poses[0]).all() else poses
        projection = last.lens.projection_matrix(16 / 9)
        away = last.distance if projection[3, 3] else 1.0  # parallel view rays: equal heights at the camera's target
        fov = 2 * float(np.arctan(1 / (away * projection[1, 1])))
        own = {"name": self.name, "frame_rate": self.frame_rate, "distance": last.distance}
        return own | {"vertical_fov": fov, "far": last.far, "poses": pool.array(poses)}


def tracks_of(world: World, frame_rate: float) -> list[Track]:
    """Return an empty track for each camera of the scene."""
    return [Track(name, frame_rate) for name in cameras(world)]
