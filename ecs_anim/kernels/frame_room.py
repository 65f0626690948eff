"""Room for Python's frames, for what calls itself deeply and often."""

from collections.abc import Callable
from typing import Any

FRAMES = 1 << 20  # bytes


def with_room(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that calls itself often.

    Python keeps frames in chunks of memory, of 16 KB each. Compiling goes hundreds of calls deep, and what is called
    often where a chunk is full asks the system for a new one each time: a tenth of a cold start. The frame of this
    function says that it is so large that Python gets a chunk which has room for all that come.
    """
    return function(*arguments)


with_room.__code__ = with_room.__code__.replace(co_stacksize=FRAMES // 8 + 16)  # chunks are powers of two: twice that
