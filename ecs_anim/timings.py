"""Where a frame's time goes: nanoseconds by system, collected by the schedule."""

from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class Timings:
    """Nanoseconds of the frame being measured.

    `wall_ns` is time as a clock on the wall sees it; `cpu_ns` is summed over threads, so that a system that
    runs on two threads has twice its wall time.
    """

    wall_ns: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    cpu_ns: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, system: str, wall_ns: float, cpu_ns: float) -> None:
        """Count a run of a system."""
        self.wall_ns[system] += wall_ns
        self.cpu_ns[system] += cpu_ns

    def clear(self) -> None:
        """Begin the next frame."""
        self.wall_ns.clear()
        self.cpu_ns.clear()


class _NoTimings(Timings):
    """Takes measurements and drops them."""

    def add(self, system: str, wall_ns: float, cpu_ns: float) -> None:
        pass


NO_TIMINGS = _NoTimings()
