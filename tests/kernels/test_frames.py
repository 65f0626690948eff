"""Frames of eight actors side by side, against plain numpy in float64."""

import numba
import numpy as np

from ecs_anim.kernels.frames import frame_origin, put_frame, raise_frames, read_frame
from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_3D, void
from ecs_anim.simd import load, pointer, store

RNG = np.random.default_rng(6)
JOINTS = 4
MOVED = np.int32([3, 1])


def frames():
    return RNG.normal(size=(JOINTS, 12, 8)).astype(np.float32)


def matrices(lanes):
    """[joint, actor, 3, 4]"""
    return np.moveaxis(lanes.astype(np.float64), 2, 1).reshape(JOINTS, 8, 3, 4)


@numba.njit(void(FLOATS_2D, INTS, OUT_3D))
def _raise(by, joints, out_frames):
    raise_frames(pointer(out_frames), pointer(joints), joints.shape[0], load(by, 0))


def test_raised_joints_move_upwards_alone():
    before, by = frames(), RNG.normal(size=(1, 8)).astype(np.float32)
    after = before.copy()
    _raise(by, MOVED, after)
    expected = before.copy()
    expected[MOVED, 7] += by[0]
    np.testing.assert_array_equal(after, expected)


@numba.njit(void(FLOATS_3D, COUNT, OUT_3D))
def _read(source, joint, out):
    x, y, z = read_frame(source, joint)
    for number in range(4):
        store(out, 8 * number, x[number])
        store(out, 32 + 8 * number, y[number])
        store(out, 64 + 8 * number, z[number])
    for number, place in enumerate(frame_origin(source, joint)):
        store(out, 96 + 8 * number, place)


def test_matrices_and_places_are_read():
    source, out = frames(), np.empty((15, 1, 8), np.float32)
    _read(source, 2, out)
    np.testing.assert_array_equal(out[:12, 0], source[2])
    np.testing.assert_array_equal(out[12:, 0], source[2, [3, 7, 11]])


@numba.njit(void(FLOATS_3D, COUNT, COUNT, OUT_3D))
def _copy(source, joint, to, out_frames):
    put_frame(pointer(out_frames), to, read_frame(source, joint))


def test_matrices_are_written():
    source, after = frames(), frames()
    expected = after.copy()
    expected[3] = source[1]
    _copy(source, 1, 3, after)
    np.testing.assert_array_equal(after, expected)
