"""How kernels compile: helpers are no machine code of their own; what they raise comes out of kernels all the same."""

import subprocess
import sys

import numpy as np
import pytest
from numba import float32, float64, void
from numba.core.errors import TypingError

from ecs_anim.kernels import helper, inlined, kernel, maker
from ecs_anim.kernels.cache import KernelCache
from tests.helpers import needs_compiler


@pytest.fixture
def _no_cache(monkeypatch):
    monkeypatch.setattr(KernelCache, "load_overload", lambda *_: None)
    monkeypatch.setattr(KernelCache, "save_overload", lambda *_: None)


@inlined
def _square(x):
    return x * x


@maker
def _root(x):
    if x < 0.0:
        raise ValueError("no root of", x, "or less")
    return np.sqrt(x)


@helper
def _inverse(x):
    if x == 0.0:
        raise ValueError("no inverse of 0")
    return 1.0 / x


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
def test_what_counts_no_references_raises_too():
    def inverse_of_square(x):
        return _inverse(_square(x))

    compiled = kernel(float64(float64))(inverse_of_square)
    assert compiled(2.0) == 0.25
    with pytest.raises(ValueError, match="no inverse of 0"):
        compiled(0.0)


@helper
def _row(array, row):
    return array[row]


@maker
def _doubled(array):
    return 2 * array


@helper
def _first_doubled(array):
    return _doubled(array)[0]


@needs_compiler
@pytest.mark.usefixtures("_no_cache")
@pytest.mark.parametrize("own", [_row, _first_doubled], ids=["returns", "is_handed"])
def test_a_helper_that_has_arrays_of_its_own_is_refused(own):
    index = 0 if own is _row else None

    def first(array, out):
        out[0] = own(array, index)[0] if index is not None else own(array)

    with pytest.raises((TypeError, TypingError), match="maker|Only accept returning of array"):
        kernel(void(float32[:, ::1] if own is _row else float32[::1], float32[::1]))(first)


@needs_compiler
@pytest.mark.usefixtures("_no_cache")
def test_a_maker_may_return_what_it_made():
    def first_doubled(array, out):
        out[0] = _doubled(array)[0]

    out = np.zeros(1, np.float32)
    kernel(void(float32[::1], float32[::1]))(first_doubled)(np.float32([3, 4]), out)
    assert out[0] == 6


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


PLAIN = """
import numba
numba.version_info = numba.version_info._replace(short=(0, 99))
from numba import float64
from ecs_anim import kernels
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.cache import KernelCache
KernelCache.load_overload = lambda *_: None
KernelCache.save_overload = lambda *_: None

@inlined
def square(x):
    return x * x

@kernel(float64(float64))
def fourth(x):
    return square(square(x))

assert not kernels.KNOWS_NUMBA
print(fourth(2.0))
"""


@needs_compiler
def test_a_numba_of_which_nothing_is_known_compiles_as_it_does(tmp_path):
    (tmp_path / "plain.py").write_text(PLAIN, "utf-8")
    told = subprocess.run([sys.executable, tmp_path / "plain.py"], capture_output=True, text=True, check=False)
    assert told.stdout == "16.0\n", told.stderr
