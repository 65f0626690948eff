"""How kernels compile: helpers are no machine code of their own; what they raise comes out of kernels all the same."""

import numpy as np
import pytest
from numba import float32, float64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.cache import KernelCache
from ecs_anim.kernels.pipelines import with_room
from tests.support import FEW

needs_compiler = pytest.mark.skipif(FEW is not None, reason="NUMBA_DISABLE_JIT: nothing is compiled")


@pytest.fixture
def _no_cache(monkeypatch):
    monkeypatch.setattr(KernelCache, "load_overload", lambda *_: None)
    monkeypatch.setattr(KernelCache, "save_overload", lambda *_: None)


@inlined
def _square(x):
    return x * x


@helper
def _root(x):
    if x < 0.0:
        raise ValueError("no root of", x, "or less")
    return np.sqrt(x)


@needs_compiler
@pytest.mark.usefixtures("_no_cache")
def test_what_helpers_say_comes_out_of_a_kernel_that_was_just_compiled():
    def distance(x, y):
        return _root(_square(x) - _square(y))

    compiled = kernel(float64(float64, float64))(distance)
    assert compiled(5.0, 3.0) == 4.0
    with pytest.raises(ValueError, match="no root of") as raised:
        compiled(3.0, 5.0)
    assert raised.value.args == ("no root of", -16.0, "or less")


@needs_compiler
@pytest.mark.usefixtures("_no_cache")
def test_helpers_are_compiled_for_kernels_alone():
    def total(x):
        return _root(_square(x)) + _root(x)

    compiled = kernel(float32(float32))(total)
    assert compiled(np.float32(4)) == 6
    libraries = [own.library for one in (_square, _root) for own in one.overloads.values()]
    assert len(libraries) >= 2
    assert not [library for library in libraries if library._compiled]
    (own,) = compiled.overloads.values()
    assert own.library._compiled


def _deep(depth):
    """Go down, and call something small at each depth many times."""
    if depth:
        for _ in range(20):
            _nothing()
        _deep(depth - 1)


def _nothing():
    pass


def _faults(call, *arguments):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    call(*arguments)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_frames_have_room_where_calls_go_deep():
    """Without it, memory for frames comes and goes where a chunk ends, at some depth in any row of 300."""

    def thrash():
        for _ in range(100):
            _deep(300)

    with_room(thrash)  # what is needed once
    assert _faults(with_room, thrash) < 100


def test_what_is_raised_and_returned_comes_through():
    assert with_room(divmod, 7, 4) == (1, 3)
    with pytest.raises(ZeroDivisionError):
        with_room(divmod, 7, 0)
