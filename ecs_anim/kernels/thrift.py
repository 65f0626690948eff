"""Numba with less work around its passes, as long as kernels compile.

It goes into numba's insides, as `pipelines` does.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import ffi
from numba import njit
from numba.core import postproc, transforms
from numba.core.compiler_lock import global_compiler_lock
from numba.core.target_extension import jit_registry, target_registry

from ecs_anim.kernels.pipelines import OverloadPipeline

CPU = target_registry["cpu"]


@contextmanager
def thrifty() -> Iterator[None]:
    """What is compiled here costs less; other threads wait with theirs until this is over."""
    with global_compiler_lock, _unheard(), _late_lifetimes(), _lean_overloads():
        yield


@contextmanager
def _unheard() -> Iterator[None]:
    """Nobody is told of each single call of LLVM's: of a hundred thousand."""
    listeners = ffi.lib._lock._cblist
    kept = listeners[:]
    listeners.clear()
    try:
        yield
    finally:
        listeners[:] = kept


class _LateLifetimes(postproc.PostProcessor):
    """Works out where variables live once that is written down, not after each pass that might want to know."""

    def run(self, emit_dels: bool = False, **others: Any) -> None:
        if emit_dels or self.func_ir.is_generator:
            super().run(emit_dels, **others)
        else:
            self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
            self.func_ir.generator_info = None


@contextmanager
def _late_lifetimes() -> Iterator[None]:
    usual, postproc.PostProcessor = postproc.PostProcessor, _LateLifetimes
    try:
        yield
    finally:
        postproc.PostProcessor = usual


@contextmanager
def _lean_overloads() -> Iterator[None]:
    """What numba has written in Python, such as `np.empty` or `min`, compiles as helpers do."""
    usual = jit_registry[CPU]
    dict.__setitem__(jit_registry, CPU, _lean)  # it has a say in what is put into it twice
    try:
        yield
    finally:
        dict.__setitem__(jit_registry, CPU, usual)


def _lean(nopython: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Numba's decorator."""
    compiled: Callable[[Callable[..., Any]], Any] = njit(pipeline_class=OverloadPipeline, **options)
    return compiled
