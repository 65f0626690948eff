"""Measurement of memory: bytes that a frame allocates in Python and numpy, and arrays that remain after the frame.

The measurement uses the module tracemalloc. Tracing makes frames slow, so the traced frames are separate from the timed
frames.

The module tracemalloc cannot measure allocations inside kernels. Such allocations do not occur, because no kernel of
this project allocates memory in its loop over actors. The program `python -m ecs_anim.profiling.soak` tests whether the
memory of the process grows over thousands of frames.
"""

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

FRAMES = 8
FIRST = 2  # frames before the measurement; they replace objects that existed before the start of tracemalloc


@dataclass(frozen=True)
class Allocations:
    """The amount of memory that one frame allocates, and the amount and the number of arrays that remain after the
    frame.
    """

    peak_bytes: int  # largest memory minus the memory at the start of the frame; median over the frames
    kept_bytes: float  # bytes of the new numpy arrays that remain after the frame; mean over the frames
    kept_arrays: float  # number of these arrays; mean over the frames


def count_allocations(run: Callable[[], object], frames: int = FRAMES) -> Allocations:
    """Measure the memory that a frame allocates. The function `run` computes one frame. `count_allocations` calls `run`
    several times.
    """
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
    """Return the total size [byte] and the number of all numpy arrays in memory."""
    gc.collect()
    of_numpy = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
    traces = tracemalloc.take_snapshot().filter_traces([of_numpy]).traces
    return sum(trace.size for trace in traces), len(traces)
