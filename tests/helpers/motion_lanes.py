"""Rigid motions of eight actors as kernels take them: a turn, a pivot and where it goes."""

import numba
import numpy as np

from ecs_anim.kernels.lanes import eight


def packed(turn, pivot, goal):
    """Rows [15, 8] f32, of turns [8, 3, 3], pivots and goals [8, 3]."""
    return np.ascontiguousarray(np.concatenate([turn.reshape(8, 9).T, pivot.T, goal.T]), np.float32)


@numba.njit(inline="always")
def unpacked(motion):
    """Lanes of turn, pivot and goal."""
    turn = (
        eight(motion, 0),
        eight(motion, 8),
        eight(motion, 16),
        eight(motion, 24),
        eight(motion, 32),
        eight(motion, 40),
        eight(motion, 48),
        eight(motion, 56),
        eight(motion, 64),
    )
    pivot = eight(motion, 72), eight(motion, 80), eight(motion, 88)
    return turn, pivot, (eight(motion, 96), eight(motion, 104), eight(motion, 112))
