"""Gait clips: the clips in which a character stands or moves straight ahead, sorted by speed."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.runtime.motion import Motion


class GaitClips(NamedTuple):
    """Gait clips, sorted by speed. The first clip has the lowest speed. If its speed is 0, the character stands in this
    clip. The arrays are read-only.
    """

    motion: Annotated[NDArray[np.int32], Shape("gait")]  # index in the character's motions
    speed: Annotated[NDArray[np.float32], Shape("gait")]  # [rig units/s], ground speed at normal playback speed


def gait_clips(motions: Sequence[Motion]) -> GaitClips:
    """Return the gaits among the motions: looping clips in which the character stands or moves straight ahead.

    If several clips have the same speed, the result contains only the first of these clips. Raises ValueError if the
    character moves ahead in no clip.
    """
    found: dict[float, int] = {}
    for number, motion in enumerate(motions):
        aside, ahead = motion.members[0].velocity
        if not motion.parameters and motion.loops and aside == 0 and ahead >= 0:
            found.setdefault(ahead, number)
    speeds = sorted(found)
    if not speeds or speeds[-1] == 0:
        raise ValueError("the rig has no clip in which the character walks forward")
    numbers = np.array([found[speed] for speed in speeds], np.int32)
    return sealed(GaitClips(numbers, np.array(speeds, np.float32)))
