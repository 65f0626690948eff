"""Control of Python's garbage collector. While a command starts, the garbage collector runs less often than by default.

The start of a command creates 300,000 objects that exist until the process ends. The garbage collector would spend time
on these objects, but would find almost no garbage.
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

    Later garbage collections skip all objects that exist when the program calls this function.

    Only the first call after `begin_start` has an effect. A program that only imports `ecs_anim` does not call
    `begin_start`, so its garbage collector does not change.
    """
    if _usual:
        gc.freeze()
        gc.set_threshold(*_usual.pop())
