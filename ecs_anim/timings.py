"""Where a frame's time goes: nanoseconds by system, collected by the schedule."""

from collections import defaultdict
from dataclasses import dataclass, field

# One run of a system: its name, the thread as Python numbers it, begin and end [ns] by `perf_counter_ns`, and for how
# many actors (0 = for the world). A plain tuple, because thousands are made in a frame.
Span = tuple[str, int, int, int, int]


@dataclass
class Timings:
    """Nanoseconds of the frame being measured.

    `wall_ns` is time as a clock on the wall sees it; `cpu_ns` is summed over threads, so that a system that
    runs on two threads has twice its wall time. `spans` takes each run of a system where it is a list.
    """

    wall_ns: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    cpu_ns: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    spans: list[Span] | None = None

    def add(self, system: str, wall_ns: float, cpu_ns: float) -> None:
        """Count a run of a system."""
        self.wall_ns[system] += wall_ns
        self.cpu_ns[system] += cpu_ns

    def clear(self) -> None:
        """Begin the next frame."""
        self.wall_ns.clear()
        self.cpu_ns.clear()
        if self.spans is not None:
            self.spans.clear()


class _NoTimings(Timings):
    """Takes measurements and drops them."""

    def add(self, system: str, wall_ns: float, cpu_ns: float) -> None:
        pass


NO_TIMINGS = _NoTimings()
