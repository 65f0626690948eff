"""Memory that frames take from Python and numpy, and arrays that they keep, by tracemalloc in untimed frames.

Allocations inside kernels are not seen. By the rules of the house, no kernel allocates in its loop over actors.
`python -m ecs_anim.profiling.soak` tests whether the process grows over thousands of frames.
"""

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

FRAMES = 8
FIRST = 2  # frames before counting: they replace what was made before tracemalloc looked


@dataclass(frozen=True)
class Allocations:
    """Allocations of one frame."""

    peak_bytes: int  # the most that lived at once beyond what lived at its beginning, median over the frames
    kept_bytes: float  # of numpy's arrays that are there at its end and were not at its beginning, mean
    kept_arrays: float  # so many


def count_allocations(run: Callable[[], object], frames: int = FRAMES) -> Allocations:
    """Call `run` for a few frames and look at the memory."""
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        for _ in range(FIRST):
            run()
        size_before, count_before = _arrays()
        peaks = [_peak(run) for _ in range(frames)]
        size, count = _arrays()
    finally:
        if not was_tracing:
            tracemalloc.stop()
    return Allocations(int(np.median(peaks)), (size - size_before) / frames, (count - count_before) / frames)


def _peak(run: Callable[[], object]) -> int:
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    run()
    return tracemalloc.get_traced_memory()[1] - before


def _arrays() -> tuple[int, int]:
    """Return bytes and number of the arrays that are still referenced."""
    gc.collect()
    of_numpy = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
    traces = tracemalloc.take_snapshot().filter_traces([of_numpy]).traces
    return sum(trace.size for trace in traces), len(traces)
