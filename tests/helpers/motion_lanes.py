"""Rigid motions of eight actors in the form of kernels. A motion has a rotation, a pivot and a goal of the pivot."""

import numba
import numpy as np

from ecs_anim.simd import load


def packed(turn, pivot, goal):
    """Return rows [15, 8] f32 for rotations [8, 3, 3], pivots [8, 3] and goals [8, 3]."""
    return np.ascontiguousarray(np.concatenate([turn.reshape(8, 9).T, pivot.T, goal.T]), np.float32)


@numba.njit(inline="always")
def unpacked(motion):
    """Return the SIMD lanes of rotation, pivot and goal."""
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
