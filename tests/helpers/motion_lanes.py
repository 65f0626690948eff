"""Rigid motions of eight actors as kernels take them: a turn, a pivot and where it goes."""

import numba
import numpy as np

from ecs_anim.simd import load


def packed(turn, pivot, goal):
    """Rows [15, 8] f32, of turns [8, 3, 3], pivots and goals [8, 3]."""
    return np.ascontiguousarray(np.concatenate([turn.reshape(8, 9).T, pivot.T, goal.T]), np.float32)


@numba.njit(inline="always")
def unpacked(motion):
    """Lanes of turn, pivot and goal."""
    turn = (
        load(motion, 0),
        load(motion, 8),
        load(motion, 16),
        load(motion, 24),
        load(motion, 32),
        load(motion, 40),
        load(motion, 48),
        load(motion, 56),
        load(motion, 64),
    )
    pivot = load(motion, 72), load(motion, 80), load(motion, 88)
    return turn, pivot, (load(motion, 96), load(motion, 104), load(motion, 112))
