"""Gait clips: those of a crowd's clips that stand and go straight ahead, by their speeds."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.runtime.motion import Motion


class GaitClips(NamedTuple):
    """Clips in the order of their speeds; the first one stands, where one does. Read-only."""

    motion: Annotated[NDArray[np.int32], Shape("gait")]  # into the character's motions
    speed: Annotated[NDArray[np.float32], Shape("gait")]  # [rig units/s] over the ground, of the clip as it was made


def gait_clips(motions: Sequence[Motion]) -> GaitClips:
    """The gaits among motions: plain clips that loop, one of each speed, the first that is listed.

    Raises ValueError where none goes ahead.
    """
    found: dict[float, int] = {}
    for number, motion in enumerate(motions):
        aside, ahead = motion.members[0].velocity
        if not motion.parameters and motion.loops and aside == 0 and ahead >= 0:
            found.setdefault(ahead, number)
    speeds = sorted(found)
    if not speeds or speeds[-1] == 0:
        raise ValueError("one of the clips must walk forward")
    numbers = np.array([found[speed] for speed in speeds], np.int32)
    return sealed(GaitClips(numbers, np.array(speeds, np.float32)))
