"""Kernels: inner loops compiled by numba. A wrapper checks array shapes; a test compares the kernel with numpy.

The product uses only numba's public interface. It imports `numba`, `numba.types` and `numba.extending`, passes options
without a leading underscore to `njit`, sets documented settings in `numba.config`, and reads no name with a leading
underscore from numba. Code that numba calls to generate instructions comes from `llvmlite.ir`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, update_wrapper
from threading import RLock
from typing import Any

from numba import cfunc, config, errors, njit

from ecs_anim.kernels import kit
from ecs_anim.kernels.cache import KernelFolder, base_folder
from ecs_anim.support.terminal import print_note

# Every operation is rounded as written: LLVM neither fuses nor reorders, because its choice depends on the CPU.
# Operations that may be fused say so (`simd.fma`).
_FLAGS: dict[str, Any] = {"error_model": "numpy"}
_COMPILES = RLock()
_KERNELS: dict[str, list["Kernel"]] = {}  # by module

if kit.PATH.exists():
    kit.prefer(base_folder(kit.PATH))
# Numba takes a quarter of the time to compile entry points for Python and C. Only kernels call helpers, so helpers have
# no entry points.
_HELPER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_FLAGS}
# A function that kernels call. LLVM decides whether to inline it into its callers.
helper: Callable[[Callable[..., Any]], Any] = njit(**_HELPER)
maker = helper
# A function that LLVM inlines into each caller. A function that takes functions as arguments must be inlined: otherwise
# its arguments would be addresses, and numba would not cache its callers.
inlined: Callable[[Callable[..., Any]], Any] = njit(forceinline=True, **_HELPER)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that Python calls. Numba compiles the kernel for `signature` and caches the result.

    A kernel of this package is compiled by `compile_kernels` or by its first call, because many modules are imported
    only for their helpers. A kernel in a user's module is compiled when the module declares the kernel.
    """

    def declare(function: Callable[..., Any]) -> Any:
        if config.DISABLE_JIT:
            return function
        own = Kernel(function, partial(njit, signature, nogil=True, **_FLAGS))
        if function.__module__.startswith(f"{__name__}."):
            compile_with_module(own)
        else:
            own.compiled()
        return own

    return declare


def compile_with_module(own: "Kernel") -> None:
    """Register a kernel for compilation together with the other kernels of its module."""
    _KERNELS.setdefault(own.__module__, []).append(own)


def entry(signature: Any, function: Callable[..., Any]) -> "Kernel":
    """Declare a function that other kernels call by its address. The object from `Kernel.compiled` has the address."""
    own = Kernel(function, partial(cfunc, signature, **_FLAGS))
    compile_with_module(own)
    return own


class Kernel:
    """A function that its first call compiles or loads from the cache."""

    def __init__(self, function: Callable[..., Any], decorator: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.__name__: str = function.__name__
        self._function, self._decorator = function, decorator
        self._run: Any = self._first_run
        self.is_compiled = False

    def __call__(self, *arguments: Any) -> Any:
        return self._run(*arguments)

    @property
    def signatures(self) -> list[Any]:
        """Return a list with the argument types as its only entry. The list is empty before compilation."""
        return list(self._run.signatures) if self.is_compiled else []

    def compiled(self) -> Any:
        """Return numba's dispatcher for the signature. Other threads wait while one thread compiles the kernel."""
        with _COMPILES:
            if not self.is_compiled:
                self._run = _compile(self._function, self._decorator)
                self.is_compiled = True
                self._step_aside()
        return self._run

    def _step_aside(self) -> None:
        """Bind the kernel's name in its module to numba's dispatcher, because direct calls are 0.2 us faster."""
        names = self._function.__globals__
        if names.get(self.__name__) is self:
            names[self.__name__] = self._run

    def _first_run(self, *arguments: Any) -> Any:
        return self.compiled()(*arguments)


def _compile(function: Callable[..., Any], decorator: Callable[..., Any]) -> Any:
    """Return `function` as compiled by numba's decorator, from the cache if possible."""
    folder = KernelFolder.of(function)
    if folder is None or not folder.holds_kernel():
        _announce()
    kept = _through_cache(folder, function, decorator) if folder else None
    return kept or decorator()(function)


def _through_cache(folder: KernelFolder, function: Callable[..., Any], decorator: Callable[..., Any]) -> Any:
    """Load or compile a kernel. If numba cannot read or write its files, remove the files and return None."""
    for _ in range(2):
        try:
            with folder.in_use(function):
                return decorator(cache=True)(function)
        except errors.NumbaError:
            raise
        except Exception:  # pickle can raise any exception for a damaged file, and a full disk raises OSError
            folder.remove()
    return None


def kernels_of(module: str) -> list["Kernel"]:
    """Return the kernels that an imported module declares."""
    return list(_KERNELS.get(module, ()))


def are_waiting(module: str) -> bool:
    """Return whether an imported module has a kernel that is not compiled yet."""
    return not all(own.is_compiled for own in _KERNELS.get(module, ()))


def compile_kernels(module: str) -> None:
    """Compile the kernels of an imported module, or load them from the cache."""
    for own in _KERNELS.get(module, ()):
        own.compiled()


def _tell() -> None:
    print_note("ecs-anim: compiling, once on this machine; `ecs-anim warmup` does it ahead")


_BEFORE_COMPILING = [_tell]  # called once, before the first kernel is compiled


def hush() -> None:
    """Suppress the message about compilation in this process."""
    if _tell in _BEFORE_COMPILING:
        _BEFORE_COMPILING.remove(_tell)


@contextmanager
def called_before_compiling(function: Callable[[], None]) -> Iterator[None]:
    """Within the block, call `function` once before a kernel is compiled. A kernel from the cache causes no call."""
    _BEFORE_COMPILING.append(function)
    try:
        yield
    finally:
        if function in _BEFORE_COMPILING:
            _BEFORE_COMPILING.remove(function)


def _announce() -> None:
    while _BEFORE_COMPILING:
        _BEFORE_COMPILING.pop(0)()
