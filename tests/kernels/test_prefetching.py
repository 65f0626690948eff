"""What is asked for ahead changes nothing, wherever it is."""

import numba
import numpy as np
import pytest

from ecs_anim.kernels.lanes import eight, flat, put
from ecs_anim.kernels.prefetching import prefetch
from ecs_anim.kernels.types import COUNT, FLOATS_2D, OUT, void
from tests.helpers import FEW


@numba.njit(void(FLOATS_2D, COUNT, OUT))
def _copied(table, ahead, out):
    for at in range(0, table.size, 8):
        prefetch(flat(table), at + ahead)
        put(out, at, eight(table, at))


@pytest.mark.parametrize("ahead", [0, 64, -(10**9), 10**12])
def test_what_is_copied_is_the_same(ahead):
    table = np.arange(64, dtype=np.float32).reshape(4, 16)
    out = np.zeros(64, np.float32)
    _copied(table, ahead, out)
    np.testing.assert_array_equal(out, table.reshape(-1))


@pytest.mark.skipif(bool(FEW), reason="nothing is compiled")
def test_it_is_an_instruction_of_the_processor():
    assert "llvm.prefetch" in next(iter(_copied.inspect_llvm().values()))
