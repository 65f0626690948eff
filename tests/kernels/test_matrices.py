"""Matrices of eight actors in scattered rows, against plain numpy in float64."""

import numba
import numpy as np
from scipy.spatial.transform import Rotation

from ecs_anim.kernels.matrices import move_joints, origin_in, placed_in, raise_joints, read_matrix, read_origin
from ecs_anim.simd import load, pointer, rows_at, store
from tests.helpers.motion_lanes import packed, unpacked

RNG = np.random.default_rng(5)
ACTORS, JOINTS = 13, 4
MOVED = np.int32([3, 1])
ROWS = np.int64([12, 0, 7, 3, 5, 5, 5, 5])  # the last one more than once


def models():
    return RNG.normal(size=(ACTORS, JOINTS, 12)).astype(np.float32)


@numba.njit
def _move(rows, motion, joints, out_model):
    model, starts = pointer(out_model), rows_at(rows, 0) * (12 * JOINTS)
    turn, pivot, goal = unpacked(motion)
    move_joints(model, starts, pointer(joints), 0, joints.shape[0], turn, pivot, goal)


def test_motions_are_products_of_matrices():
    before = models()
    turn, pivot, goal = Rotation.random(8, RNG).as_matrix(), RNG.normal(size=(8, 3)), RNG.normal(size=(8, 3))
    turn[4:], pivot[4:], goal[4:] = turn[4], pivot[4], goal[4]
    after = before.copy()
    _move(ROWS, packed(turn, pivot, goal), MOVED, after)
    expected = before.astype(np.float64).reshape(ACTORS, JOINTS, 3, 4)
    for lane in range(5):
        own = expected[ROWS[lane], MOVED]
        own = np.einsum("ij,njk->nik", turn[lane], own)
        own[..., 3] += goal[lane] - turn[lane] @ pivot[lane]
        expected[ROWS[lane], MOVED] = own
    np.testing.assert_allclose(after, expected.reshape(after.shape), atol=5e-6)
    others = np.setdiff1d(np.arange(ACTORS), ROWS)
    np.testing.assert_array_equal(after[others], before[others])


@numba.njit
def _read(rows, point, joints, out_model, out):
    model, starts = pointer(out_model), rows_at(rows, 0) * (12 * JOINTS)
    frame = read_matrix(model, starts, 2)
    placed = placed_in(frame, (point[0, 0], point[0, 1], point[0, 2]))
    for axis in range(3):
        store(out, 8 * axis, read_origin(model, starts, 2)[axis] - origin_in(frame)[axis])
        store(out, 24 + 8 * axis, placed[axis])
    raise_joints(model, starts, pointer(joints), joints.shape[0], load(out, 0) + point[0, 0])


def test_points_are_placed_and_joints_are_raised():
    before, point, out = models(), RNG.normal(size=(1, 3)).astype(np.float32), np.empty((6, 8), np.float32)
    after = before.copy()
    _read(ROWS, point, MOVED, after, out)
    frames = before[ROWS, 2].astype(np.float64).reshape(8, 3, 4)
    np.testing.assert_array_equal(out[:3], 0)
    np.testing.assert_allclose(out[3:].T, frames[..., :3] @ point[0] + frames[..., 3], atol=2e-6)
    expected = before.copy()
    for row in np.unique(ROWS):
        expected[row, MOVED, 7] += point[0, 0]
    np.testing.assert_array_equal(after, expected)
