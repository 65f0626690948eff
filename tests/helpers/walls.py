"""Helpers for tests of walls: compiled wall queries as functions."""

import numpy as np

from ecs_anim.kernels.walls import is_clear, may_be_at, nearest_walls
from ecs_anim.walls.walls import Walls


def compiled_nearest(walls: Walls, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nearest, segment = np.empty((len(points), 3), np.float32), np.empty(len(points), np.int32)
    nearest_walls(walls.arrays, points, len(points), nearest, segment)
    return nearest, segment


def compiled_free(walls: Walls, points: np.ndarray) -> np.ndarray:
    free = np.zeros(len(points), bool)
    may_be_at(walls.arrays, points, len(points), free)
    return free


def compiled_clear(walls: Walls, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    clear = np.zeros(len(start), bool)
    is_clear(walls.arrays, start, end, len(start), clear)
    return clear
