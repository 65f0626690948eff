"""Matrices side by side and actor by actor, and which sixteen actors a block takes at once."""

import numba
import numpy as np
import pytest

from ecs_anim.kernels.frames import last_eight, read_models, rows_of, write_models
from ecs_anim.kernels.stages import BLOCK, in_order
from ecs_anim.kernels.types import LONGS, OUT_LONGS_2D, void
from tests.helpers import called
from tests.helpers.stages import eights

JOINTS = 5


def models(count):
    return np.random.default_rng(count).normal(size=(count, JOINTS, 12)).astype(np.float32)


@pytest.mark.parametrize("count", [1, 8, 13])
def test_matrices_lie_side_by_side(count):
    """Twelve numbers of a joint one after the other, each of eight actors; the space of roots stays as it was."""
    model, (rows, _) = models(count), in_order(count)
    frames = eights(len(rows), JOINTS)
    read_models(model, rows, frames)
    side_by_side = frames.reshape(-1, JOINTS + 1, 12, 8)
    expected = np.moveaxis(model[rows].reshape(-1, 8, JOINTS, 12), 1, -1)
    np.testing.assert_array_equal(side_by_side[:, :JOINTS], expected)
    np.testing.assert_array_equal(side_by_side[:, JOINTS], 7)


def test_what_is_read_in_any_order_is_written_back():
    model = models(21)
    rows = np.random.default_rng(1).permutation(21)
    rows = np.append(rows, [rows[-1]] * 3)
    frames, out = eights(len(rows), JOINTS), np.full((23, JOINTS, 12), np.nan, np.float32)
    read_models(model, rows, frames)
    write_models(frames, rows, out)
    np.testing.assert_array_equal(out[:21], model)
    assert np.isnan(out[21:]).all(), "the kernel wrote past its chunk"


@numba.njit(void(LONGS, OUT_LONGS_2D))
def _sixteens(rows, out):
    """Rows that a block takes at once [>= sixteen, 16]."""
    last = last_eight(0, rows.shape[0])
    for number in range(0, last + 8, 16):
        one, other = rows_of(rows, 0, number, last)
        for lane in range(8):
            out[number // 16, lane], out[number // 16, 8 + lane] = one[lane], other[lane]


@pytest.mark.parametrize("count", [1, 8, 9, 16, 17, 63, 64])
def test_sixteens_cover_a_block_and_the_last_eight_stands_for_one_that_is_missing(count):
    rows, _ = in_order(count)
    last, found = called(last_eight)(0, count), np.full((BLOCK // 16 + 1, 16), -1)
    assert last == (len(rows) - 8)
    _sixteens(rows, found)
    used = -(-count // 16)
    assert set(found[:used].ravel()) == {*range(count)}
    assert (found[used:] == -1).all()
    np.testing.assert_array_equal(found[used - 1, 8:], rows[-8:])
