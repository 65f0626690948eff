"""How often Python's garbage collector runs: rarely while the command starts, by Python's own rule afterwards.

A start makes 300,000 objects that live as long as the process. Collections during the start find hardly any garbage.
"""

import gc

START_OBJECTS = 500_000  # new objects between two collections during the start

_usual: list[tuple[int, int, int]] = []  # the thresholds before the start; empty = there was no start, or it is over


def begin_start() -> None:
    """Let the collector run rarely until `end_start`."""
    if not _usual:
        _usual.append(gc.get_threshold())
        gc.set_threshold(START_OBJECTS, *_usual[0][1:])


def end_start() -> None:
    """Restore the thresholds, and exclude all objects of the start from later collections.

    Without `begin_start`, and at the second call, it does nothing: a program that imports this package decides itself.
    """
    if _usual:
        gc.freeze()
        gc.set_threshold(*_usual.pop())
