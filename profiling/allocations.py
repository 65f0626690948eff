"""Memory that frames allocate in Python and numpy, and arrays that frames keep.

The measurement uses tracemalloc in frames that are not timed.

tracemalloc does not see allocations inside kernels. By a rule of this project, no kernel allocates in its loop over
actors. `python -m ecs_anim.profiling.soak` tests whether the process grows over thousands of frames.
"""

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

FRAMES = 8
FIRST = 2  # frames before the measurement: they replace objects from the time before tracemalloc started


@dataclass(frozen=True)
class Allocations:
    """Memory that one frame allocates, and arrays that the frame keeps."""

    peak_bytes: int  # largest memory above the value at the begin of the frame; median over the frames
    kept_bytes: float  # bytes of numpy arrays that the frame created and that exist at its end; mean
    kept_arrays: float  # number of these arrays; mean


def count_allocations(run: Callable[[], object], frames: int = FRAMES) -> Allocations:
    """Call `run` once per frame for a few frames. Measure the memory that each frame allocates."""
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
    """Return the total size [byte] and the number of all referenced numpy arrays."""
    gc.collect()
    of_numpy = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
    traces = tracemalloc.take_snapshot().filter_traces([of_numpy]).traces
    return sum(trace.size for trace in traces), len(traces)
