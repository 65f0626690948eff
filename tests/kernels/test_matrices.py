"""Matrices of eight actors in scattered rows, against plain numpy in float64."""

import numba
import numpy as np

from ecs_anim.kernels.frames import origin_in, placed_in, read_matrix
from ecs_anim.kernels.types import FLOATS_2D, FLOATS_3D, LONGS, OUT_3D, void
from ecs_anim.simd import load, pointer, rows_at, store

RNG = np.random.default_rng(5)
ACTORS, JOINTS, JOINT = 13, 4, 2
ROWS = np.int64([12, 0, 7, 3, 5, 5, 5, 5])  # the last one more than once


@numba.njit(void(LONGS, FLOATS_2D, FLOATS_3D, OUT_3D))
def _read(rows, point, model, out):
    """Write the matrix of a joint; where it is, and a point in it."""
    x, y, z = read_matrix(pointer(model), rows_at(rows, 0) * (12 * JOINTS), JOINT)
    for number in range(4):
        store(out, 8 * number, x[number])
        store(out, 32 + 8 * number, y[number])
        store(out, 64 + 8 * number, z[number])
    a, b, c = load(point, 0), load(point, 8), load(point, 16)
    origin, placed = origin_in((x, y, z)), placed_in((x, y, z), (a, b, c))
    for number in range(3):
        store(out, 96 + 8 * number, origin[number])
        store(out, 120 + 8 * number, placed[number])


def test_matrices_are_read_and_points_are_placed_in_them():
    model, point = (RNG.normal(size=shape).astype(np.float32) for shape in ((ACTORS, JOINTS, 12), (3, 8)))
    out = np.empty((18, 1, 8), np.float32)
    _read(ROWS, point, model, out)
    found, own = out[:, 0].T, model[ROWS, JOINT]
    matrices, points = own.astype(np.float64).reshape(8, 3, 4), point.T.astype(np.float64)
    np.testing.assert_array_equal(found[:, :12], own)
    np.testing.assert_array_equal(found[:, 12:15], own[:, 3::4])
    placed = np.einsum("aij,aj->ai", matrices[..., :3], points) + matrices[..., 3]
    np.testing.assert_allclose(found[:, 15:18], placed, atol=3e-6)
