"""Compiled inner loops (numba); each has a wrapper that checks shapes and a plain numpy oracle in the tests."""

import sys
from collections.abc import Callable

from numba import njit
from numba.core import event

# Decorates what kernels alone call: without what Python or C would call it through, it compiles faster.
helper = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)


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
    text = "ecs-anim: compiling, once on this machine; `ecs-anim warmup` does it ahead"
    print(text, file=sys.stderr, flush=True)


def hush() -> None:
    """Say nothing in this process: somebody else does."""
    event.unregister("numba:compile", _TELLER)


_TELLER = FirstCompilation(_tell)
event.register("numba:compile", _TELLER)
