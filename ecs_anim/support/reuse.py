"""Reuse of results: later builds of a scene reuse the results that are independent of the seed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

Given = ParamSpec("Given")
Result = TypeVar("Result")
Call = tuple[Callable[..., Any], tuple[Any, ...]]  # a function and its arguments


class Reuse:
    """Results of the reusable functions that the last build called.

    A build drops the results that the build itself does not use. The memory is therefore bounded.
    """

    def __init__(self) -> None:
        self._before: list[tuple[Call, Any]] = []
        self._now: list[tuple[Call, Any]] = []

    @contextmanager
    def building(self) -> Iterator[None]:
        """Reuse results within the `with` block, which builds a scene."""
        self._before, self._now = self._now, []
        token = _active.set(self)
        try:
            yield
        finally:
            _active.reset(token)
            self._before = []

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Share the results between all scenes that are loaded within the `with` block."""
        token = _shared.set(self)
        try:
            yield
        finally:
            _shared.reset(token)

    def result(self, call: Call) -> Any:
        """Return the stored result of an equal call, or call the function and store its result."""
        for stored in (self._now, self._before):
            for known, result in stored:
                if known[0] is call[0] and _alike(known[1], call[1]):
                    if stored is self._before:
                        self._now.append((known, result))
                    return result
        self._now.append((call, call[0](*call[1])))
        return self._now[-1][1]


_active: ContextVar[Reuse | None] = ContextVar("reuse", default=None)
_shared: ContextVar[Reuse | None] = ContextVar("shared", default=None)


def shared_reuse(own: Reuse | None = None) -> Reuse:
    """Return the results that loaded scenes share here. Without shared results, return `own` or new results."""
    return _shared.get() or own or Reuse()


def reusable(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return `function` such that builds of a scene can reuse its results.

    The result must depend on the arguments only, and no code can change the arguments or the result later. The
    function takes positional arguments only.
    """

    @wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> Result:
        reuse = _active.get()
        if reuse is None or named:
            return function(*given, **named)
        found: Result = reuse.result((function, given))
        return found

    return call


def _alike(one: Any, other: Any) -> bool:
    """Return whether two arguments have equal content. Objects without a comparison are equal only to themselves."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_alike, one, other))
    try:
        return bool(one == other)
    except ValueError:  # the objects contain arrays
        return False
