"""Sixteen actors at a time against the same eights one after the other: the same bits."""

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.kernels.frame_pairs import move_both, origin_of_both, raise_both, read_frames
from ecs_anim.kernels.frames import frame_origin, move_frames, raise_frames, read_frame
from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_3D, void
from ecs_anim.simd import combine, load, pointer, store
from tests.helpers.motion_lanes import packed, unpacked

RNG = np.random.default_rng(8)
MOVED = np.int32([3, 1])
TWO = np.float32(2)


def frames():
    return RNG.normal(size=(4, 12, 8)).astype(np.float32)


def motion():
    return packed(Rotation.random(8, RNG).as_matrix(), RNG.normal(size=(8, 3)), RNG.normal(size=(8, 3)))


@numba.njit(void(FLOATS_2D, FLOATS_2D, INTS, OUT_3D, OUT_3D))
def _move(one, other, joints, out_one, out_other):
    turn, pivot, goal = combine(unpacked(one), unpacked(other))
    pair, (by, _) = (pointer(out_one), pointer(out_other)), combine((load(one, 0), TWO), (load(other, 0), TWO))
    move_both(pair, pointer(joints), 0, joints.shape[0], turn, pivot, goal)
    raise_both(pair, pointer(joints), joints.shape[0], by)


@numba.njit(void(FLOATS_2D, INTS, OUT_3D))
def _move_eight(own, joints, out_frames):
    turn, pivot, goal = unpacked(own)
    move_frames(pointer(out_frames), pointer(joints), 0, joints.shape[0], turn, pivot, goal)
    raise_frames(pointer(out_frames), pointer(joints), joints.shape[0], load(own, 0))


@pytest.mark.parametrize("are_same", [False, True])
def test_two_eights_move_as_each_does_and_the_same_twice_moves_once(are_same):
    one, first = motion(), frames()
    other, second = (one, first) if are_same else (motion(), frames())
    expected = first.copy(), second.copy()
    _move_eight(one, MOVED, expected[0])
    _move_eight(other, MOVED, expected[1])
    _move(one, other, MOVED, first, second)
    np.testing.assert_array_equal((first, second), expected)


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
