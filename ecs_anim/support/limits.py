"""Limits of memory and time for child processes that read damaged files."""

import math
import signal
import sys
import time

from ecs_anim.support.memory import mapped_bytes


def lower_limits(memory: int | None, processor_seconds: int, seconds: int) -> None:
    """Limit this process to `memory` additional bytes, and to a processor time and a waiting time from now on.

    The operating system ends the process at a time limit. Windows has no such limits.
    """
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_CORE, 0)
    held = mapped_bytes()
    if memory is not None and held is not None:
        _lower(resource.RLIMIT_AS, held + memory)
    _lower(resource.RLIMIT_CPU, math.ceil(time.process_time()) + processor_seconds)
    signal.alarm(seconds)


def _lower(kind: int, most: int) -> None:
    """Lower the resource limit `kind` of this process to `most`.

    If the present limit is lower than `most`, the limit does not change, because only root may raise limits.
    """
    import resource

    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
