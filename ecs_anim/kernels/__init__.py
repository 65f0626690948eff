"""Compiled inner loops (numba); each has a wrapper that checks shapes and a plain numpy oracle in the tests."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import Any

from numba import config, njit, version_info
from numba.core import event
from numba.core.types import BooleanLiteral, IntegerLiteral, Type
from numba.core.types.misc import unliteral

from ecs_anim.kernels.cache import cache_of
from ecs_anim.kernels.frame_room import with_room
from ecs_anim.support.terminal import print_note

# Every operation is rounded for itself, as it is written. LLVM may neither fuse nor reorder, nor put an estimate in the
# place of a reciprocal or a root: what it would choose hangs on the CPU. What may be fused says so (`simd.fma`).
_FLAGS = {"fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}
NEWEST = 0, 68  # numba whose insides `pipelines` knows; newer ones compile as they do, which takes longer
KNOWS_NUMBA = version_info.short <= NEWEST
_KERNEL: dict[str, Any] = {}
_HELPER: dict[str, Any] = {}
thrifty: Callable[[], AbstractContextManager[None]] = nullcontext
if KNOWS_NUMBA:
    from ecs_anim.kernels.pipelines import HelperPipeline, KernelPipeline, set_environments
    from ecs_anim.kernels.thrift import thrifty

    _KERNEL, _HELPER = {"pipeline_class": KernelPipeline}, {"pipeline_class": HelperPipeline}


_WAITING: dict[str, list[Callable[[], None]]] = {}  # what compiles kernels that nobody called as yet, by module
_COMPILES = RLock()


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorates what Python calls: compiled for one signature, and kept in the cache.

    In this package that waits until somebody calls `compile_kernels` with its module, or the kernel itself: many import
    a module for its helpers alone. Users' own are compiled at once.
    """

    def waiting(function: Callable[..., Any]) -> Any:
        own = njit(nogil=True, **_KERNEL, **_FLAGS)(function)
        if config.DISABLE_JIT:
            return own
        own._cache = cache_of(function)

        def compile_own() -> None:
            with _COMPILES:  # threads that meet at a kernel wait for the first one
                if not own.overloads:
                    _compile(own, signature)

        if not KNOWS_NUMBA or not function.__module__.startswith(f"{__name__}."):
            compile_own()
            return own

        def called(*_: Any, **__: Any) -> Any:
            """What numba calls where nothing is compiled for arguments; it then calls what this returns."""
            compile_own()
            return own

        own._compile_for_args = called
        _WAITING.setdefault(function.__module__, []).append(compile_own)
        return own

    return waiting


def _compile(own: Any, signature: Any) -> None:
    """Compile a kernel, or take it from the cache; it is compiled for no other signature."""
    try:
        _compile_thriftily(own, signature)
    except (ImportError, AttributeError):  # the cache is of an older version, and names what is no more
        own._cache.flush()
        _compile_thriftily(own, signature)
    if KNOWS_NUMBA and own.stats.cache_misses:
        set_environments(*own.overloads.values())
    own.disable_compile()


def _compile_thriftily(own: Any, signature: Any) -> None:
    with thrifty():
        with_room(own.compile, signature)


def are_waiting(module: str) -> bool:
    """Whether kernels of an imported module may have to be compiled."""
    return module in _WAITING


def compile_kernels(module: str) -> None:
    """Compile the kernels of an imported module, or take them from the cache."""
    for compile_own in _WAITING.get(module, ()):
        compile_own()
    _WAITING.pop(module, None)


def _for_kernels(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorates what kernels alone call; without what Python would call it through, it compiles faster."""
    compiled = njit(no_cpython_wrapper=True, **options, **_HELPER, **_FLAGS)

    def decorate(function: Callable[..., Any]) -> Any:
        own = compiled(function)
        if config.DISABLE_JIT:
            return own
        template = own.get_call_template

        def template_of_numbers(arguments: Iterable[Type], keywords: Mapping[str, Type]) -> Any:
            """Typed for numbers, not once for each that a caller spells out."""
            return template(tuple(_number(kind) for kind in arguments), keywords)

        own.get_call_template = template_of_numbers
        return own

    return decorate


def _number(kind: Type) -> Type:
    """The type of a number or truth that is spelled out; others as they are."""
    is_spelled_out = isinstance(kind, (IntegerLiteral, BooleanLiteral))
    return unliteral(kind) if is_spelled_out else kind


# A helper compiles faster without counting references, too: its arrays are its callers' (`pipelines` refuses what makes
# or returns any).
helper = _for_kernels(_nrt=False)
# The same for what is to become part of each of its callers: it is compiled once, and LLVM puts it there. With
# `njit(inline="always")` numba itself copies it and infers the types of each copy: good for those with one caller.
inlined = _for_kernels(_nrt=False, forceinline=True)
# The same for what makes arrays or returns them, and for what raises with numbers, which travel in memory of their own.
maker = _for_kernels(_nrt=True)


class FirstCompilation(event.Listener):
    """Calls a function before something is compiled for the first time; what the cache has does not count."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin: Callable[[], None] | None = begin

    def on_start(self, event: event.Event) -> None:
        begin, self._begin = self._begin, None
        if begin:
            begin()

    def on_end(self, event: event.Event) -> None:
        pass


def _tell() -> None:
    print_note("ecs-anim: compiling, once on this machine; `ecs-anim warmup` does it ahead")


def hush() -> None:
    """Say nothing in this process: somebody else does."""
    event.unregister("numba:compile", _TELLER)


_TELLER = FirstCompilation(_tell)
event.register("numba:compile", _TELLER)
