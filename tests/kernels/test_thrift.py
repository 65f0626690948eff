"""Kernels compile with less work, to the same results; numba is as it was afterwards, for all else."""

import operator
from itertools import product
from threading import Thread

import numpy as np
import pytest
from llvmlite import binding
from llvmlite.binding import ffi
from numba import boolean, float32, float64, int32, int64, njit, uint64, void
from numba.core import base, event, ir, postproc
from numba.core.base import BaseContext
from numba.core.compiler import run_frontend
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.target_extension import jit_registry, target_registry
from numba.core.types.functions import BaseFunction
from numba.core.typing import templates
from numba.core.typing.context import BaseContext as TypingContext
from numba.extending import overload

from ecs_anim.kernels import helper, inlined, kernel, thrifty
from ecs_anim.kernels.cache import KernelCache
from ecs_anim.simd.registers import Lanes
from tests.helpers import needs_compiler

pytestmark = needs_compiler
CPU = target_registry["cpu"]


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setattr(KernelCache, "load_overload", lambda *_: None)
    monkeypatch.setattr(KernelCache, "save_overload", lambda *_: None)


def _insides():
    own = BaseFunction.get_call_type, BaseContext.refresh, TypingContext.refresh, templates.targetconfig, base._has_loc
    more = binding.get_process_triple, ir.Inst._rec_list_vars
    return postproc.PostProcessor, jit_registry[CPU], list(ffi.lib._lock._cblist), *own, *more


def test_numba_is_as_it_was_afterwards_also_after_errors():
    before, meanwhile = _insides(), []

    def fail():
        meanwhile.extend(_insides())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), thrifty():
        fail()
    assert _insides() == before
    assert all(now != then for now, then in zip(meanwhile, before, strict=True))


def test_what_numba_wrote_in_python_does_the_same():
    def fill(numbers, out):
        room = np.zeros(numbers.shape[0])
        order = np.arange(numbers.shape[0])
        for at in order:
            room[at] = min(max(numbers[at], -1.0), 1.0) if at % 3 else float(int(numbers[at]))
        out[:] = room

    numbers = np.random.default_rng(3).normal(0, 2, 100)
    out = np.empty_like(numbers)
    kernel(void(float64[::1], float64[::1]))(fill)(numbers, out)
    thirds = np.arange(100) % 3 == 0
    np.testing.assert_array_equal(out, np.where(thirds, np.trunc(numbers), np.clip(numbers, -1, 1)))


def test_generators_say_what_they_hold():
    @njit
    def odd_numbers(count):
        for number in range(count):
            if number % 2:
                yield number

    def total(count):
        found = 0
        for number in odd_numbers(count):
            found += number
        return found

    assert kernel(int64(int64))(total)(100) == 2500


def test_helpers_compile_once_for_all_whole_numbers_that_callers_spell_out():
    @helper
    def power(base, exponent, is_negative):
        result = 1.0
        for _ in range(exponent):
            result *= base
        return -result if is_negative else result

    def sums(x, n):
        return power(x, 2, False) + power(x, 3, True) + power(x, n, n > 3)

    assert kernel(float64(float64, int64))(sums)(2.0, 4) == 4 - 8 - 16
    assert len(power.overloads) == 1


def test_other_threads_compile_their_own_afterwards():
    found, usual, compiles_with = [], postproc.PostProcessor, []

    def compile_own():
        @njit
        def largest(numbers):
            return np.sort(numbers)[-1]

        with global_compiler_lock:
            compiles_with.append(postproc.PostProcessor)
            found.append(largest(np.array([1.0, 3.0, 2.0])))

    with thrifty():
        other = Thread(target=compile_own)
        other.start()
        other.join(0.2)
        assert not found
    other.join(60)
    assert found == [3.0]
    assert compiles_with == [usual]


def test_what_others_teach_numba_between_two_kernels_is_known_to_the_second():
    def doubled(x):
        raise NotImplementedError

    assert kernel(float64(float64))(lambda x: x + 1)(1.0) == 2

    @overload(doubled)
    def _doubled(x):
        return lambda x: 2 * x

    assert kernel(float64(float64))(lambda x: doubled(x))(3.0) == 6


def test_what_numba_wrote_in_python_compiles_once_for_helpers_and_those_that_become_part_of_callers():
    built = []

    def tripled(x):
        raise NotImplementedError

    @overload(tripled)
    def _tripled(x):
        built.append(x)
        return lambda x: 3 * x

    @helper
    def called(x):
        return tripled(x)

    @inlined
    def part(x):
        return tripled(x) + 1

    assert kernel(float64(float64))(lambda x: called(x) + part(x))(2.0) == 13
    assert len(built) == 1


def test_statements_tell_the_variables_that_numba_finds_in_them():
    def function(numbers, other):
        total, pair = 0.0, (other, 2)
        for at in range(len(numbers)):
            if numbers[at] > other:
                total += numbers[at] * pair[1]
                numbers[at] = total
        return total, numbers

    statements = [own for block in run_frontend(function).blocks.values() for own in block.body]
    usual = [own.list_vars() for own in statements]
    assert any(usual)
    with thrifty():
        assert [own.list_vars() for own in statements] == usual


def test_who_listens_to_numba_hears_of_compilations():
    with event.install_recorder("numba:compile") as heard:
        kernel(float64(float64))(lambda x: x + 1)
    assert heard.buffer


NUMBERS = [int32, int64, uint64, float32, float64, boolean, Lanes(8)]
OPERATIONS = [operator.add, operator.truediv, operator.floordiv, operator.lt, operator.eq, operator.and_, operator.iadd]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operators_have_the_types_that_numba_gives_them(operation):
    typing = cpu_target.typing_context
    typing.refresh()
    for pair in product(NUMBERS, NUMBERS):
        usual = _type_of(typing, operation, pair)
        with thrifty():
            assert [_type_of(typing, operation, pair) for _ in range(2)] == [usual, usual]


def _type_of(typing, operation, arguments):
    try:
        return typing.resolve_function_type(operation, arguments, {}).return_type
    except TypingError:
        return None
