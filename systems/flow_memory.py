"""What flow is told against: the world, and its cameras, at the frame before of which flow was asked."""

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
    """Where everything was, a camera too."""

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
    """This frame and the one before, of those in which anybody asked for flow."""

    def __init__(self) -> None:
        self._before: _Frame | None = None
        self._now: _Frame | None = None

    def seen(self, world: World, key: Hashable, camera: PinholeCamera) -> Earlier | None:
        """Remember where a camera is now; returns where it and everything was before, or None where nobody knows."""
        if self._now is None or (self._now.number, self._now.time) != (world.frame, world.time):
            self._before, self._now = self._now, _Frame(world.frame, world.time, moment_of(world))
        self._now.cameras[key] = camera
        if self._before is None or key not in self._before.cameras:
            return None
        return Earlier(self._before.moment, self._before.cameras[key], self._before.time)


def flow_since(passes: Passes, camera: PinholeCamera, earlier: Earlier | None) -> NDArray[np.float32]:
    """Flow [height, width, 2] f32 as `flow_of` has it; all unknown where nothing is known of before."""
    if earlier is None:
        return np.full((*passes.ids.shape, 2), np.nan, np.float32)
    return flow_of(passes, camera, earlier.camera.fitted(camera.lens.size))


_memories: WeakKeyDictionary[World, FlowMemory] = WeakKeyDictionary()


def memory_of(world: World) -> FlowMemory:
    """The memory of a world, which goes with it."""
    return _memories.setdefault(world, FlowMemory())
