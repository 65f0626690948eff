"""Records as arguments of kernels. Python passes the columns of actors as a plain tuple. For a named tuple, each call
would read the names of all fields, which takes 1 us for each record. In the kernel, the argument is the named tuple.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from numba import types

from ecs_anim.simd import borrow


class Columns(types.Type):
    """The type of a record that Python passes as a plain tuple: `plain` is the tuple, and `record` the named tuple."""

    def __init__(self, kind: type, fields: Sequence[types.Type]) -> None:
        self.kind, self.plain = kind, types.BaseTuple.from_types(fields, tuple)
        self.record = types.BaseTuple.from_types(fields, kind)
        super().__init__(name=f"Columns({self.record})")


def plain_types(kinds: Sequence[Any]) -> list[Any]:
    """Return the numba types of arguments as Python passes them."""
    return [kind.plain if isinstance(kind, Columns) else kind for kind in kinds]


def record_types(kinds: Iterable[Any]) -> list[Any]:
    """Return the numba types of arguments as kernels see them."""
    return [kind.record if isinstance(kind, Columns) else kind for kind in kinds]


def declared(kind: Any) -> Any:
    """Return the numba type of a named tuple whose annotations are types of arguments."""
    return types.BaseTuple.from_types(record_types(kind.__annotations__.values()), kind)


def named(values: Iterable[Any], kinds: Iterable[Any]) -> list[Any]:
    """Return arguments of Python as kernels see them, for functions that are not compiled."""
    pairs = zip(values, kinds, strict=True)
    return [kind.kind(*value) if isinstance(kind, Columns) else value for value, kind in pairs]


def with_records(function: Callable[..., Any], kinds: Sequence[Any], own: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the arguments of Python, which passes records to `own`, the compiled `function`. All
    arrays are borrowed, because the caller keeps them alive during the call.
    """
    names = list(inspect.signature(function).parameters)
    records: dict[str, Any] = {
        f"_{name}": kind.kind for name, kind in zip(names, kinds, strict=True) if isinstance(kind, Columns)
    }
    passed = [f"_{name}(*borrow({name}))" if f"_{name}" in records else f"borrow({name})" for name in names]
    made: dict[str, Any] = {}
    exec(f"def call({', '.join(names)}):\n    return _own({', '.join(passed)})", made)
    return placed_like(function, made["call"], _own=own, borrow=borrow, **records)


def placed_like(function: Callable[..., Any], template: Any, suffix: str = "", **names: Any) -> Any:
    """Return `template` with the file and the name of `function`, by which numba's cache finds functions. `names` are
    values of global names in the template.
    """
    place = function.__code__
    code = template.__code__.replace(co_filename=place.co_filename, co_firstlineno=place.co_firstlineno)
    own = FunctionType(code, {**template.__globals__, **names}, f"{function.__name__}{suffix}")
    own.__module__, own.__qualname__, own.__doc__ = function.__module__, own.__name__, function.__doc__
    return own
