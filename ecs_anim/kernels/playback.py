"""Advancing the clip time of a chunk of actors."""

import numpy as np
from numba import njit

from ecs_anim.kernels.types import BOOLS, FLOATS, INTS, OUT, REAL, void

ZERO = np.float32(0)


@njit(void(FLOATS, BOOLS, INTS, FLOATS, REAL, OUT), cache=True, nogil=True)
def advance_time(duration, clip_loops, clip_index, speed, dt, out_time):
    """Add speed x dt to each actor's clip time: wrapped into [0, duration) or clamped to [0, duration].

    duration, clip_loops [clip_count]; clip_index, speed, out_time [chunk]; dt in seconds. The step is
    computed in float64, so that a huge one wraps exactly.
    """
    for actor in range(out_time.shape[0]):
        clip = clip_index[actor]
        end = duration[clip]
        time = np.float64(out_time[actor]) + np.float64(speed[actor]) * dt
        if end <= ZERO:
            out_time[actor] = ZERO
        elif clip_loops[clip]:
            time -= np.floor(time / end) * end
            wrapped = np.float32(time)
            out_time[actor] = wrapped if ZERO <= wrapped < end else ZERO
        else:
            out_time[actor] = np.float32(min(max(time, 0.0), np.float64(end)))
