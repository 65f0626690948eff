"""Sixteen actors at a time against the same eights one after the other: the same bits."""

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.kernels.frames import frame_origin, move_frames, raise_frames, read_frame
from ecs_anim.kernels.lanes import eight, flat, put
from ecs_anim.kernels.sixteens import both, halves, matrix_in_frames, move_both, origin_in_frames, raise_both
from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_2D, OUT_3D, void
from tests.helpers.motion_lanes import packed, unpacked

RNG = np.random.default_rng(8)
MOVED = np.int32([3, 1])
TWO = np.float32(2)


def frames():
    return RNG.normal(size=(4, 12, 8)).astype(np.float32)


def motion():
    return packed(Rotation.random(8, RNG).as_matrix(), RNG.normal(size=(8, 3)), RNG.normal(size=(8, 3)))


@numba.njit(void(FLOATS_2D, OUT_2D))
def _join_and_part(table, out):
    one, other = (eight(table, 0), (TWO, eight(table, 8))), (eight(table, 16), (TWO, eight(table, 24)))
    first, (number, second) = both(one, other)
    put(out, 0, first * number)
    put(out, 16, second - first)
    parts = halves((first, (number, second)))
    put(out, 32, parts[0][1][1])
    put(out, 40, parts[1][0])


def test_tuples_are_joined_and_parted_number_by_number():
    table, out = RNG.normal(size=(4, 8)).astype(np.float32), np.empty((6, 8), np.float32)
    _join_and_part(table, out)
    a, b, c, d = table
    np.testing.assert_array_equal(out, [2 * a, 2 * c, b - a, d - c, b, c])


@numba.njit(void(FLOATS_2D, FLOATS_2D, INTS, OUT_3D, OUT_3D))
def _move(one, other, joints, out_one, out_other):
    turn, pivot, goal = both(unpacked(one), unpacked(other))
    pair, (by, _) = (flat(out_one), flat(out_other)), both((eight(one, 0), TWO), (eight(other, 0), TWO))
    move_both(pair, 0, flat(joints), 0, joints.shape[0], turn, pivot, goal)
    raise_both(pair, 0, flat(joints), joints.shape[0], by)


@numba.njit(void(FLOATS_2D, INTS, OUT_3D))
def _move_eight(own, joints, out_frames):
    turn, pivot, goal = unpacked(own)
    move_frames(flat(out_frames), 0, flat(joints), 0, joints.shape[0], turn, pivot, goal)
    raise_frames(flat(out_frames), flat(joints), joints.shape[0], eight(own, 0))


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
    x, y, z = matrix_in_frames((one, other), 0, joint)
    for number in range(4):
        put(out, 16 * number, x[number])
        put(out, 64 + 16 * number, y[number])
        put(out, 128 + 16 * number, z[number])
    origin = origin_in_frames((one, other), 0, joint)
    for number in range(3):
        put(out, 192 + 16 * number, origin[number])


@numba.njit(void(FLOATS_3D, COUNT, OUT_3D))
def _read_eight(source, joint, out):
    x, y, z = read_frame(source, joint)
    for number in range(4):
        put(out, 16 * number, x[number])
        put(out, 64 + 16 * number, y[number])
        put(out, 128 + 16 * number, z[number])
    origin = frame_origin(source, 0, joint)
    for number in range(3):
        put(out, 192 + 16 * number, origin[number])


def test_a_joint_is_read_of_both():
    one, other = frames(), frames()
    out, alone = np.empty((15, 2, 8), np.float32), np.empty((2, 15, 2, 8), np.float32)
    _read(one, other, 2, out)
    _read_eight(one, 2, alone[0])
    _read_eight(other, 2, alone[1])
    np.testing.assert_array_equal(out[:, 0], alone[0][:, 0])
    np.testing.assert_array_equal(out[:, 1], alone[1][:, 0])
