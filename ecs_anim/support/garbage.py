"""Control of Python's garbage collector. Its rate is low while a command starts, and is Python's default afterwards.

The start of a command makes 300,000 objects that exist until the process ends. Collections during the start find almost
no garbage.
"""

import gc

START_OBJECTS = 500_000  # new objects between two collections during the start

_usual: list[tuple[int, int, int]] = []  # thresholds before the start; empty = no start, or after the start


def begin_start() -> None:
    """Reduce the rate of the collector until `end_start`."""
    if not _usual:
        _usual.append(gc.get_threshold())
        gc.set_threshold(START_OBJECTS, *_usual[0][1:])


def end_start() -> None:
    """Restore the thresholds, and exclude all objects of the start from later collections.

    The function has an effect only at the first call after `begin_start`. So programs that import this package control
    the collector themselves.
    """
    if _usual:
        gc.freeze()
        gc.set_threshold(*_usual.pop())
