"""Control of Python's garbage collector. While a command starts, the garbage collector runs less often than by default.

The start of a command makes 300,000 objects that exist until the process ends. Therefore, the garbage collector finds
almost no garbage during the start.
"""

import gc

START_OBJECTS = 500_000  # new objects between two collections during the start

_usual: list[tuple[int, int, int]] = []  # thresholds of the collector before the start; empty while no command starts


def begin_start() -> None:
    """Let the garbage collector run less often until the program calls `end_start`."""
    if not _usual:
        _usual.append(gc.get_threshold())
        gc.set_threshold(START_OBJECTS, *_usual[0][1:])


def end_start() -> None:
    """Restore the thresholds of the garbage collector.

    Later collections skip all objects that exist at the time of this call.

    Only the first call after `begin_start` has an effect. Therefore, the function does not change the garbage collector
    of a program that only imports `ecs_anim`.
    """
    if _usual:
        gc.freeze()
        gc.set_threshold(*_usual.pop())
