"""Gait clips: the clips of a crowd that stand or move straight ahead, in the order of their speeds."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.runtime.motion import Motion


class GaitClips(NamedTuple):
    """Clips in the order of their speeds. A clip that stands is the first. The arrays are read-only."""

    motion: Annotated[NDArray[np.int32], Shape("gait")]  # index in the character's motions
    speed: Annotated[NDArray[np.float32], Shape("gait")]  # [rig units/s], ground speed at normal playback speed


def gait_clips(motions: Sequence[Motion]) -> GaitClips:
    """Return the motions that are gaits: plain looping clips that stand or move straight ahead.

    If several clips have equal speeds, the result has only the first of these clips. Raises ValueError if no clip moves
    ahead.
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
