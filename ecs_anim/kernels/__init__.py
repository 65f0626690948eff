"""Kernels: inner loops that numba compiles. A kernel does not check the shapes of its arrays, so its Python callers
must check them. For each kernel, a test compares the results with numpy code. The package uses only numba's public
interface: `numba`, `numba.types` and `numba.extending`, documented options and settings, and no name with a leading
underscore. Intrinsics use `llvmlite.ir`.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, update_wrapper
from threading import RLock
from typing import Any

from numba import cfunc, config, errors, njit

from ecs_anim.kernels import kit
from ecs_anim.kernels.cache import KernelFolder, base_folder
from ecs_anim.kernels.columns import plain_types, with_records
from ecs_anim.support.terminal import print_note

# No fast-math flags: LLVM must not fuse or reorder operations, because its choice would depend on the CPU. Only
# `simd.fma` permits a fused operation.
_FLAGS: dict[str, Any] = {"error_model": "numpy"}
_COMPILES = RLock()
_KERNELS: dict[str, list["Kernel"]] = {}  # kernels, by module name

if kit.PATH.exists():
    kit.prefer(base_folder(kit.PATH))
# Entry points for Python and C take a quarter of the compilation time. Only kernels call helpers. So helpers need no
# entry points.
_HELPER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_FLAGS}
# A function that kernels call. LLVM decides whether to inline it into its callers.
helper: Callable[[Callable[..., Any]], Any] = njit(**_HELPER)
# A function that LLVM inlines into each caller. A function with functions as arguments must be inlined. Otherwise its
# arguments would be addresses, and numba would not cache its callers.
inlined: Callable[[Callable[..., Any]], Any] = njit(forceinline=True, **_HELPER)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that Python calls. Numba compiles the kernel for `signature` and caches the result. Arguments of
    the type `Columns` are records in the kernel, and the arrays of all arguments are borrowed. A kernel of this package
    is compiled by `compile_kernels` or by its first call, because many modules import only its helpers. A
    kernel in a user's module is compiled at once.
    """

    def declare(function: Callable[..., Any]) -> Any:
        called, taken = function, signature
        if not isinstance(signature, str):
            called = with_records(function, signature.args, inlined(function))
            taken = signature.return_type(*plain_types(signature.args))
        if config.DISABLE_JIT:
            return called
        own = Kernel(called, partial(njit, taken, nogil=True, **_FLAGS))
        if function.__module__.startswith(f"{__name__}."):
            compile_with_module(own)
        else:
            own.compiled()
        return own

    return declare


def compile_with_module(own: "Kernel") -> None:
    """Register a kernel for `compile_kernels`."""
    _KERNELS.setdefault(own.__module__, []).append(own)


def entry(signature: Any, function: Callable[..., Any]) -> "Kernel":
    """Declare a function that compiled code calls by its address: the attribute `address` of `Kernel.compiled()`."""
    own = Kernel(function, partial(cfunc, signature, **_FLAGS))
    compile_with_module(own)
    return own


class Kernel:
    """A function that is compiled, or loaded from the cache, at its first call."""

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
        """Return a list with the argument types of the kernel. Before the compilation, the list is empty."""
        return list(self._run.signatures) if self.is_compiled else []

    def compiled(self) -> Any:
        """Compile the kernel, and return numba's dispatcher. Other threads wait until the compilation ends."""
        with _COMPILES:
            if not self.is_compiled:
                self._run = _compile(self._function, self._decorator)
                self.is_compiled = True
                self._step_aside()
        return self._run

    def _step_aside(self) -> None:
        """Replace this object in its module with numba's dispatcher, whose calls are 0.2 us faster."""
        names = vars(sys.modules.get(self.__module__, self))
        if names.get(self.__name__) is self:
            names[self.__name__] = self._run

    def _first_run(self, *arguments: Any) -> Any:
        return self.compiled()(*arguments)


def _compile(function: Callable[..., Any], decorator: Callable[..., Any]) -> Any:
    """Load `function` from the cache, or compile it with `decorator`. Return numba's dispatcher."""
    folder = KernelFolder.of(function)
    if folder is None or not folder.holds_kernel():
        while _BEFORE_COMPILING:
            _BEFORE_COMPILING.pop(0)()
    kept = _through_cache(folder, function, decorator) if folder else None
    return kept or decorator()(function)


def _through_cache(folder: KernelFolder, function: Callable[..., Any], decorator: Callable[..., Any]) -> Any:
    """Load a kernel from the cache folder, or compile and store it. If damaged files prevent both, return None."""
    for _ in range(2):
        try:
            with folder.in_use(function):
                return decorator(cache=True)(function)
        except errors.NumbaError:
            raise
        except Exception:  # pickle raises any exception for a damaged file; a full disk raises OSError
            folder.remove()
    return None


def kernels_of(module: str) -> list["Kernel"]:
    """Return the kernels that the imported module `module` declares."""
    return list(_KERNELS.get(module, ()))


def are_waiting(module: str) -> bool:
    """Return whether at least one kernel of the imported module `module` is not compiled yet."""
    return not all(own.is_compiled for own in _KERNELS.get(module, ()))


def compile_kernels(module: str) -> None:
    """Compile the kernels of an imported module, or load the kernels from the cache."""
    for own in _KERNELS.get(module, ()):
        own.compiled()


def _tell() -> None:
    print_note(
        "ecs-anim: compiling kernels, only once on this computer; `ecs-anim warmup` compiles all kernels in advance"
    )


_BEFORE_COMPILING = [_tell]  # functions to call before the first kernel is compiled


def hush() -> None:
    """Do not print the message about the compilation of kernels in this process."""
    if _tell in _BEFORE_COMPILING:
        _BEFORE_COMPILING.remove(_tell)


@contextmanager
def called_before_compiling(function: Callable[[], None]) -> Iterator[None]:
    """Within the `with` block, call `function` once before the first kernel is compiled (not loaded from the cache)."""
    _BEFORE_COMPILING.append(function)
    try:
        yield
    finally:
        if function in _BEFORE_COMPILING:
            _BEFORE_COMPILING.remove(function)
