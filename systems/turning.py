"""Turns of vectors on the plan, for many agents at once."""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
EAST = np.array([[[1.0, 0.0]]])


def turned(vectors: Reals, angles: Reals) -> Reals:
    """Return plan vectors [n, ..., 2] or [1, ..., 2], of which each row is turned by one of n angles [rad]."""
    from ecs_anim.kernels.turning import turn_vectors  # compiled at first use

    rows = np.ascontiguousarray(vectors).reshape(len(vectors), -1, 2)
    found = np.empty((len(angles), rows.shape[1], 2))
    turn_vectors(rows, np.ascontiguousarray(angles), found)
    return found.reshape(len(angles), *vectors.shape[1:])


def directions(headings: Reals) -> Reals:
    """Return the unit vectors [n, 2] of headings [n] [rad] on the plan."""
    return turned(EAST, headings)[:, 0]
