"""What callers often ask of a world, and systems of a component."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.playback import Playback
from ecs_anim.components.stage import Stage
from ecs_anim.world import World


def actor_count(world: World) -> int:
    """Actors of all crowds."""
    return sum(crowd.actor_count for _, (crowd,) in world.query(Crowd))


def stage_of(world: World) -> Stage:
    """Camera, light and ground of a world that came from a scene. Raises ValueError where there is none."""
    stages = [stage for _, (stage,) in world.query(Stage)]
    if len(stages) != 1:
        raise ValueError(f"a world to draw has one stage (got {len(stages)})")
    return stages[0]


InFlight = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]


def in_flight(playback: Playback, rows: slice) -> InFlight:
    """What actors play and how far it has faded in, as kernels that mix clips take it.

    slot_count [row]; motion, phase, fade_time, fade_duration [row, slot].
    """
    return (
        playback.slot_count[rows],
        playback.motion[rows],
        playback.phase[rows],
        playback.fade_time[rows],
        playback.fade_duration[rows],
    )
