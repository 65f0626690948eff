"""References are counted as numba counts them, with fewer instructions."""

from sys import getrefcount
from typing import NamedTuple

import numpy as np
import pytest
from llvmlite import ir
from numba import float32, int64, types
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python, rtsys

from ecs_anim.kernels import kernel, maker
from ecs_anim.kernels.lowering import counted_parts
from tests.helpers import needs_compiler


class Pair(NamedTuple):
    """A record that holds a record."""

    first: np.ndarray
    both: tuple[np.ndarray, int]


ARRAY = float32[:, ::1]
KINDS = [
    int64,
    float32,
    ARRAY,
    types.UniTuple(float32, 3),
    types.UniTuple(ARRAY, 3),
    types.Tuple((int64, ARRAY, float32, int64[::1])),
    types.NamedTuple((ARRAY, types.Tuple((ARRAY, int64))), Pair),
    types.Tuple((types.UniTuple(types.Tuple((float32, ARRAY)), 2), int64[:])),
]


@pytest.fixture
def context():
    """What numba makes code for, with references that are counted."""
    return cpu_target.target_context.subtarget(enable_nrt=True)


@pytest.fixture
def counts():
    """What is made and freed meanwhile is counted."""
    _nrt_python.memsys_enable_stats()
    yield rtsys.get_allocation_stats
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_parts_are_those_that_numba_finds(context, kind):
    parts = counted_parts(context.data_model_manager[kind])
    assert [list(part) for part in parts] == _numbers_taken_out(context, kind)


def test_what_numba_takes_out_in_another_way_is_left_to_it(context):
    class Strange(type(context.data_model_manager[ARRAY])):
        def traverse(self, builder):
            return [(ARRAY, lambda value: value)]

    manager = context.data_model_manager
    assert counted_parts(Strange(manager, ARRAY)) is None


def _numbers_taken_out(context, kind):
    """By which indices numba comes to what it counts in a value of this kind."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [context.get_value_type(kind)]), "f")
    builder = ir.IRBuilder(function.append_basic_block())
    found = []
    for _, counted in context.nrt.get_meminfos(builder, kind, function.args[0]):
        indices = []
        while isinstance(counted, ir.instructions.ExtractValue):
            indices[:0] = counted.indices
            counted = counted.aggregate
        found.append(indices)
    return found


@maker
def _longer(pair, count):
    kept = pair.first
    for _ in range(count):
        kept = np.concatenate((kept, pair.both[0]))
    return kept


@needs_compiler
def test_what_is_made_is_freed_and_what_is_lent_is_given_back(counts):
    signature = types.void(KINDS[-2], int64, float32[::1])

    @kernel(signature)
    def fill(pair, count, out):
        both, rows = pair.both, np.zeros((2, 3), np.float32)
        for number in range(count):
            mine = pair.first[number:] if number % 2 else both[0]
            rows = _longer(pair, number)
            if number == 3:
                continue
            out[number] = mine[0, 0] + rows[-1, 0] + len(rows)

    first = np.arange(18, dtype=np.float32).reshape(6, 3)
    second, out = first + 100, np.zeros(5, np.float32)
    pair = Pair(first, (second, 7))
    fill(pair, 5, out)
    before, lent = counts(), [getrefcount(part) for part in (first, second, out)]
    for _ in range(50):
        fill(pair, 5, out)
    after = counts()
    assert after.alloc - before.alloc == after.free - before.free > 0
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 0
    assert [getrefcount(part) for part in (first, second, out)] == lent
    wanted = [
        (first[number:] if number % 2 else second)[0, 0]
        + (first if number == 0 else second)[-1, 0]
        + len(first) * (1 + number)
        for number in range(5)
    ]
    np.testing.assert_array_equal(np.delete(out, 3), np.delete(np.float32(wanted), 3))
