"""Numba with less work around its passes, as long as kernels compile.

It goes into numba's insides, as `pipelines` does.
"""

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from llvmlite import binding
from llvmlite.binding import ffi
from numba import njit
from numba.core import base, ir, postproc, targetconfig, transforms
from numba.core.base import BaseContext
from numba.core.compiler_lock import global_compiler_lock
from numba.core.target_extension import jit_registry, target_registry
from numba.core.types import Boolean, Number
from numba.core.types.functions import BaseFunction
from numba.core.types.misc import unliteral
from numba.core.typing import templates
from numba.core.typing.context import BaseContext as TypingContext

from ecs_anim.kernels.pipelines import OverloadPipeline
from ecs_anim.simd.registers import Lanes, Mask

CPU = target_registry["cpu"]
OPERATORS = {own for own in vars(operator).values() if callable(own)}
HOLD_NONE = ir.Loc, str, int, bool, type(None)  # in statements of numba's IR
PLAIN = Number, Boolean, Lanes, Mask


@contextmanager
def thrifty() -> Iterator[None]:
    """What is compiled here costs less; other threads wait with theirs until this is over."""
    with (
        global_compiler_lock,
        _lean_overloads(),
        _swapped(ffi.lib._lock, "_cblist", []),  # nobody is told of each single call of LLVM's: of a hundred thousand
        _swapped(postproc, "PostProcessor", _LateLifetimes),
        _swapped(BaseFunction, "get_call_type", _known_type),
        _swapped(templates, "targetconfig", _FewFlags),
        _swapped(BaseContext, "refresh", _own_news),
        _swapped(TypingContext, "refresh", _news_of_types),
        _swapped(ir.Inst, "_rec_list_vars", _variables),
        _swapped(base, "_has_loc", _has_place),
        _swapped(binding, "get_process_triple", _process),
    ):
        yield


@contextmanager
def _swapped(owner: Any, name: str, other: Any) -> Iterator[None]:
    usual = getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        setattr(owner, name, usual)


@contextmanager
def _lean_overloads() -> Iterator[None]:
    """What numba has written in Python, such as `np.empty` or `min`, compiles as helpers do."""
    usual = jit_registry[CPU]
    dict.__setitem__(jit_registry, CPU, _lean)  # itself, it lets nobody write twice
    try:
        yield
    finally:
        dict.__setitem__(jit_registry, CPU, usual)


def _lean(nopython: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Numba's decorator."""
    compiled: Callable[[Callable[..., Any]], Any] = njit(
        pipeline_class=OverloadPipeline, no_cfunc_wrapper=True, **options
    )
    return compiled


class _LateLifetimes(postproc.PostProcessor):
    """Works out where variables live once that is written down, not after each pass that might want to know."""

    def run(self, emit_dels: bool = False, **others: Any) -> None:
        if emit_dels or self.func_ir.is_generator:
            super().run(emit_dels, **others)
        else:
            self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
            self.func_ir.generator_info = None


_USUAL: Any = BaseFunction.get_call_type
_KNOWN: dict[Any, Any] = {}  # what operators make of numbers and lanes


def _known_type(self: Any, context: Any, arguments: Any, keywords: Any) -> Any:
    """Numba's `get_call_type`, but what operators make of numbers and lanes is found out once, not at each place.

    It asks all that it has for an operator, such as what is for texts, lists and dates, and writes down why not.
    """
    if self.key[0] not in OPERATORS or not all(isinstance(kind, PLAIN) for kind in arguments):
        return _USUAL(self, context, arguments, keywords)
    asked = self, tuple(unliteral(kind) for kind in arguments)
    if asked not in _KNOWN:
        _KNOWN[asked] = _USUAL(self, context, asked[1], keywords)
    return _KNOWN[asked]


class _FewFlags:
    """In place of numba's `targetconfig`, where it asks whether it has what it wrote in Python for these arguments.

    It would compile that for each set of its callers' flags, such as whether these are put into their callers.
    """

    class ConfigStack:
        """The flags of what compiles."""

        @staticmethod
        def top_or_none() -> tuple[object, ...] | None:
            """Those that make a difference to what it calls."""
            flags = targetconfig.ConfigStack.top_or_none()
            return flags and (flags.nrt, flags.error_model, repr(flags.fastmath), flags.boundscheck)


_OWN: Any = BaseContext.refresh
_OF_TYPES: Any = TypingContext.refresh
_HEARD: Any = WeakKeyDictionary()  # what a context's registries hold, and how much that was when it last asked


def _own_news(self: Any) -> None:
    """Numba's `refresh`: it asks all registries for what is new in them, and imports those who fill them each time."""
    _ask(self, _OWN)
    self.typing_context.refresh()


def _news_of_types(self: Any) -> None:
    """The same for types."""
    _ask(self, _OF_TYPES)


def _ask(context: Any, usual: Callable[[Any], None]) -> None:
    kept, count = _HEARD.get(context, ((), -1))
    if sum(map(len, kept)) != count:
        usual(context)
        kept = [own for registry in context._registries for own in vars(registry).values() if isinstance(own, list)]
        _HEARD[context] = kept, sum(map(len, kept))


_ALL_VARIABLES: Any = ir.Inst._rec_list_vars


def _variables(self: Any, value: Any) -> list[ir.Var]:
    """Numba's `_rec_list_vars`: what it finds in what a statement is made of, without asking each place in a file."""
    parts = value.values() if value.__class__ is dict else value if value.__class__ in (list, tuple) else ()
    if not parts:
        found: list[ir.Var] = _ALL_VARIABLES(self, value)
        return found
    variables = []
    for own in parts:
        if own.__class__ is ir.Var:
            variables.append(own)
        elif own.__class__ not in HOLD_NONE:
            variables += self._rec_list_vars(own)
    return variables


_has_place = lru_cache(maxsize=1 << 12)(base._has_loc)
_process = cache(binding.get_process_triple)
