"""Sixteen actors at a time, against plain numpy in float64 and against the same eights one after the other."""

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.kernels.frames import frame_origin, move_both, origin_of_both, raise_both, read_frame, read_frames
from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_3D, void
from ecs_anim.simd import combine, load, pointer, store
from tests.helpers.motion_lanes import packed, unpacked

RNG = np.random.default_rng(8)
MOVED = np.int32([3, 1])
TWO = np.float32(2)


def frames():
    return RNG.normal(size=(4, 12, 8)).astype(np.float32)


def motion():
    return Rotation.random(8, RNG).as_matrix(), RNG.normal(size=(8, 3)), RNG.normal(size=(8, 3))


@numba.njit(void(FLOATS_2D, FLOATS_2D, INTS, OUT_3D, OUT_3D))
def _move(one, other, joints, out_one, out_other):
    turn, pivot, goal = combine(unpacked(one), unpacked(other))
    pair, (by, _) = (pointer(out_one), pointer(out_other)), combine((load(one, 0), TWO), (load(other, 0), TWO))
    move_both(pair, pointer(joints), 0, joints.shape[0], turn, pivot, goal)
    raise_both(pair, pointer(joints), joints.shape[0], by)


def moved(before, turn, pivot, goal, by):
    """Matrices [joint, 12, actor] once joints are moved, in float64."""
    after = np.moveaxis(before.astype(np.float64), 2, 1).reshape(-1, 8, 3, 4)
    after[MOVED] = turn @ after[MOVED]
    after[MOVED, :, :, 3] += goal - np.einsum("aij,aj->ai", turn, pivot)
    after[MOVED, :, 1, 3] += by
    return np.moveaxis(after.reshape(-1, 8, 12), 1, 2)


@pytest.mark.parametrize("are_same", [False, True])
def test_motions_are_products_of_matrices_and_the_same_eight_twice_moves_once(are_same):
    one, first = motion(), frames()
    other, second = (one, first) if are_same else (motion(), frames())
    before = first.copy(), second.copy()
    _move(packed(*one), packed(*other), MOVED, first, second)
    for own, own_before, after in zip((one, other), before, (first, second), strict=True):
        expected = moved(own_before, *own, packed(*own).reshape(-1)[:8])
        np.testing.assert_allclose(after, expected, atol=5e-6)
        np.testing.assert_array_equal(after[[0, 2]], own_before[[0, 2]])


@numba.njit(void(FLOATS_3D, FLOATS_3D, COUNT, OUT_3D))
def _read(one, other, joint, out):
    x, y, z = read_frames((one, other), joint)
    for number in range(4):
        store(out, 16 * number, x[number])
        store(out, 64 + 16 * number, y[number])
        store(out, 128 + 16 * number, z[number])
    origin = origin_of_both((one, other), joint)
    for number in range(3):
        store(out, 192 + 16 * number, origin[number])


@numba.njit(void(FLOATS_3D, COUNT, OUT_3D))
def _read_eight(source, joint, out):
    x, y, z = read_frame(source, joint)
    for number in range(4):
        store(out, 16 * number, x[number])
        store(out, 64 + 16 * number, y[number])
        store(out, 128 + 16 * number, z[number])
    origin = frame_origin(source, joint)
    for number in range(3):
        store(out, 192 + 16 * number, origin[number])


def test_a_joint_is_read_of_both():
    one, other = frames(), frames()
    out, alone = np.empty((15, 2, 8), np.float32), np.empty((2, 15, 2, 8), np.float32)
    _read(one, other, 2, out)
    _read_eight(one, 2, alone[0])
    _read_eight(other, 2, alone[1])
    np.testing.assert_array_equal(out[:, 0], alone[0][:, 0])
    np.testing.assert_array_equal(out[:, 1], alone[1][:, 0])
