"""Tints by speed, for actors that follow paths."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.paths import NODE_RATE, NODE_X, NODE_Z, Paths
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.movers import Movers
from ecs_anim.ecs.world import World
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.systems.chunk import Forgetful

OVER = 10  # number of path nodes for the measurement of a speed; their duration is half a second


@dataclass
class TintBySpeed(Forgetful):
    """A world system that tints actors on paths according to their speeds.

    The system interpolates the colours between the given speeds.
    """

    # [m/s], rising; slower actors have the first colour, and faster actors have the last colour
    speeds: tuple[float, ...]
    colors: tuple[str, ...]  # one colour for each speed
    name: ClassVar[str] = "speed_tints"

    def run(self, world: World, dt: float) -> None:
        """Write the tints of the actors, for the end of the step."""
        ramp = np.array([hex_to_linear(color) for color in self.colors])
        for _, (movers, appearance) in world.query(Movers, Appearance):
            rows = np.flatnonzero(movers.path >= 0)
            speeds = path_speeds(movers.paths, movers.path[rows], movers.clock.now)
            for channel in range(3):
                appearance.tint[rows, channel] = np.interp(speeds, self.speeds, ramp[:, channel])


def path_speeds(paths: Paths, path: NDArray[np.int32], now: float) -> NDArray[np.float64]:
    """Return the speeds [n] [m/s] of actors on the paths `path` [n] at the world time `now` [s].

    Before the start of a path, the result is the speed at the start. After the end of a path, the result is the speed
    at the end.
    """
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    at = first + np.clip((now - paths.begin[path]) * NODE_RATE, 0, last - first)
    low = np.clip(np.int64(at) - OVER // 2, first, np.maximum(last - OVER, first))
    high = np.minimum(low + OVER, last)
    moved = (paths.node[high] - paths.node[low])[:, [NODE_X, NODE_Z]].astype(np.float64)
    found: NDArray[np.float64] = np.sqrt(np.sum(moved * moved, axis=-1)) * NODE_RATE / np.maximum(high - low, 1)
    return found
