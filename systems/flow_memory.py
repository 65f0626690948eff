"""Memory for optical flow. Flow is the movement since the last frame for which user code requested flow."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.systems.moments import Moment, moment_of
from ecs_anim.view.flow import flow_of
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera


class Earlier(NamedTuple):
    """The state of a world and of a camera in an earlier frame."""

    moment: Moment
    camera: PinholeCamera
    time: float  # [s]


@dataclass(frozen=True)
class _Frame:
    number: int
    time: float  # [s]
    moment: Moment
    cameras: dict[Hashable, PinholeCamera] = field(default_factory=dict)


class FlowMemory:
    """The current frame, and the previous frame for which user code requested flow."""

    def __init__(self) -> None:
        self._before: _Frame | None = None
        self._now: _Frame | None = None

    def seen(self, world: World, key: Hashable, camera: PinholeCamera) -> Earlier | None:
        """Store the current frame of a camera, and return the state in the previous stored frame.

        User code has requested flow for all stored frames. `key` identifies the camera. If the previous stored frame
        does not contain this camera, return None.
        """
        if self._now is None or (self._now.number, self._now.time) != (world.frame, world.time):
            self._before, self._now = self._now, _Frame(world.frame, world.time, moment_of(world))
        self._now.cameras[key] = camera
        if self._before is None or key not in self._before.cameras:
            return None
        return Earlier(self._before.moment, self._before.cameras[key], self._before.time)


def flow_since(passes: Passes, camera: PinholeCamera, earlier: Earlier | None) -> NDArray[np.float32]:
    """Return the optical flow since an earlier frame, [height, width, 2] f32.

    If there is no earlier frame, all values are NaN.
    """
    if earlier is None:
        return np.full((*passes.ids.shape, 2), np.nan, np.float32)
    return flow_of(passes, camera, earlier.camera.fitted(camera.lens.size))


# the memory of each world, and the number of resets of the world at that time
_memories: WeakKeyDictionary[World, tuple[int, FlowMemory]] = WeakKeyDictionary()


def memory_of(world: World) -> FlowMemory:
    """Return the flow memory of a world. Python frees this memory together with the world.

    After a reset of the world, the memory is empty.
    """
    if world not in _memories or _memories[world][0] != world.resets:
        _memories[world] = world.resets, FlowMemory()
    return _memories[world][1]
