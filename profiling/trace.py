"""Export of measured runs as Chrome traces, for ui.perfetto.dev and chrome://tracing.

A trace shows each run of each system on a time axis. The trace has one track for each thread and one track for OpenGL.

The file uses Google's "Trace Event Format". Each event is a complete event ("X") with `ts` and `dur` in microseconds.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ecs_anim.profiling.report import GPU_CLOCK, Frame, Report
from ecs_anim.support.pictures import complete_file

FRAMES = 0  # track number of whole frames; the tracks of threads have the next numbers, and OpenGL has the last number
GPU, WAITED_FOR = "GPU", "OpenGL, waited for"  # names of the OpenGL track with a GPU clock and with a software renderer

Event = dict[str, Any]


def write_trace(reports: Sequence[Report], path: Path) -> int:
    """Write measured runs to a trace file, with one process for each run. Return the number of frames in the file.

    Raises InputError if the file cannot be written.
    """
    data = {"displayTimeUnit": "ms", "traceEvents": list(trace_events(reports))}
    with complete_file(path) as partial:
        partial.write(json.dumps(data, separators=(",", ":")).encode("utf-8"))
    return sum(len(shown_frames(report)) for report in reports)


def shown_frames(report: Report) -> list[Frame]:
    """Return the frames of the report for which the program has recorded time spans."""
    return [frame for frame in report.frames if frame.timings.keeps_spans]


def trace_events(reports: Sequence[Report]) -> Iterator[Event]:
    """Yield the trace events of all reports. Time 0 is the start of the first frame."""
    origin = min((frame.begin_ns for report in reports for frame in shown_frames(report)), default=0)
    for pid, report in enumerate(reports, start=1):
        yield from _name(pid, FRAMES, "process_name", f"{report.scene}, {report.actors:,} actors")
        tracks = _tracks(report)
        for tid, name in enumerate(tracks.values(), start=FRAMES + 1):
            yield from _name(pid, tid, "thread_name", name)
        yield from _name(pid, FRAMES, "thread_name", "frames")
        numbers = {key: tid for tid, key in enumerate(tracks, start=FRAMES + 1)}
        for number, frame in enumerate(shown_frames(report)):
            yield _event(pid, FRAMES, f"frame {number}", frame.begin_ns, frame.end_ns, origin)
            for system, thread, begin, end, actors in frame.timings.spans:
                yield _event(pid, numbers[thread], system, begin, end, origin, {"actors": actors} if actors else {})
            yield from _passes(pid, numbers.get(GPU, 0), frame, origin)


def _tracks(report: Report) -> dict[int | str, str]:
    """Return the track name of each thread, in the order of the threads' first activity. The main thread is first."""
    threads = dict.fromkeys(span[1] for frame in shown_frames(report) for span in frame.timings.spans)
    tracks: dict[int | str, str] = {
        thread: f"thread {number}" if number else "main thread" for number, thread in enumerate(threads)
    }
    if report.pass_clock:
        tracks[GPU] = GPU if report.pass_clock == GPU_CLOCK else WAITED_FOR
    return tracks


def _passes(pid: int, tid: int, frame: Frame, origin: int) -> Iterator[Event]:
    for own in frame.passes:
        begin = own.begin_ns if own.gpu_begin_ns is None else own.gpu_begin_ns
        end = own.end_ns if own.gpu_end_ns is None else own.gpu_end_ns
        yield _event(pid, tid, own.name, begin, end, origin, {"bytes": own.byte_count} if own.byte_count else {})


def _event(pid: int, tid: int, name: str, begin: int, end: int, origin: int, facts: Event | None = None) -> Event:
    event = {"name": name, "ph": "X", "ts": (begin - origin) / 1e3, "dur": (end - begin) / 1e3, "pid": pid, "tid": tid}
    return event | {"args": facts} if facts else event


def _name(pid: int, tid: int, kind: str, name: str) -> Iterator[Event]:
    yield {"name": kind, "ph": "M", "ts": 0, "dur": 0, "pid": pid, "tid": tid, "args": {"name": name}}
    if kind == "thread_name":
        order = {"sort_index": tid}
        yield {"name": "thread_sort_index", "ph": "M", "ts": 0, "dur": 0, "pid": pid, "tid": tid, "args": order}
