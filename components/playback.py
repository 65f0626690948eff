"""Which clip each actor plays, and where in it the actor is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Playback:
    """One clip an actor.

    Written by: the scene loader, playback. Read by: sampling, locomotion.
    """

    clip_index: NDArray[np.int32]  # [actor_count] i32, into the character's clip tables
    clip_time: NDArray[np.float32]  # [actor_count] f32, [s] since the clip's start, 0 to its duration
    speed: NDArray[np.float32]  # [actor_count] f32, factor; negative plays backwards
    clip_loops: NDArray[np.bool_]  # [clip_count], whether a clip wraps at its end or stays there
