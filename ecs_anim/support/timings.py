"""Timings of a frame. The schedule measures the time [ns] of each system.

During a frame, the program only stores the measurements. The program adds the measured times of a system only when a
caller reads the sum. Additions during a frame would take longer than the measurements, because the processor's caches
do not contain code that runs only once in a frame.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import ClassVar

# One run of a system: name, thread (`get_ident`), start and end [ns] (`perf_counter_ns`), and number of actors (0 = the
# whole world). A plain tuple, because a frame makes thousands of spans.
Span = tuple[str, int, int, int, int]


class Timings:
    """The measured times [ns] of a frame. If `keeps_spans` is true, `Timings` also stores each run of each system."""

    wanted: ClassVar[bool] = True  # False = the schedule measures no times

    def __init__(self, keeps_spans: bool = False) -> None:
        self.keeps_spans = keeps_spans
        self._aside: list[Span | Callable[[], None]] = []
        self._wall_ns: dict[str, float] = defaultdict(float)
        self._cpu_ns: dict[str, float] = defaultdict(float)
        self._spans: list[Span] = []

    @property
    def wall_ns(self) -> dict[str, float]:
        """Return a dictionary from system name to wall-clock time [ns], in the order of the systems' first runs."""
        self.settle()
        return self._wall_ns

    @property
    def cpu_ns(self) -> dict[str, float]:
        """Return a dictionary from system name to processor time [ns], summed over threads.

        For example, if a system keeps two threads busy, its processor time is twice its wall-clock time.
        """
        self.settle()
        return self._cpu_ns

    @property
    def spans(self) -> list[Span]:
        """Return all runs of all systems. If `keeps_spans` is false, the list is empty."""
        self.settle()
        return self._spans

    def add(self, span: Span) -> None:
        """Add a run of one system. Other systems must not have run at the same time."""
        self._aside.append(span)

    def share_out(self, wall_ns: int, spans: Callable[[], Iterable[Span]], order: Iterable[str]) -> None:
        """Add the runs of several systems that ran in parallel. From the start of the first run to the end of the last
        run, the wall-clock time was `wall_ns`.

        Each system gets a part of `wall_ns` in proportion to the time of its runs. `Timings` calls `spans` when a
        caller reads the sums. `order` contains the names of all systems that can appear in `spans`.
        """
        self._aside.append(lambda: self._count(wall_ns, list(spans()), order))

    def settle(self) -> None:
        """Add the stored measurements to the sums, and delete the stored measurements."""
        aside, self._aside = self._aside, []
        for own in aside:
            if isinstance(own, tuple):
                self._count(own[3] - own[2], [own], (own[0],))
            else:
                own()

    def clear(self) -> None:
        """Delete all measurements before the next frame."""
        for collected in (self._aside, self._wall_ns, self._cpu_ns, self._spans):
            collected.clear()

    def _count(self, wall_ns: float, spans: list[Span], order: Iterable[str]) -> None:
        cpu_ns: dict[str, float] = defaultdict(float)
        for name, _, begin, end, _ in spans:
            cpu_ns[name] += end - begin
        total = sum(cpu_ns.values()) or 1
        for name in order:
            if name in cpu_ns:
                self._wall_ns[name] += wall_ns * cpu_ns[name] / total
                self._cpu_ns[name] += cpu_ns[name]
        if self.keeps_spans:
            self._spans += spans


class _NoTimings(Timings):
    """A replacement for `Timings` that ignores all measurements."""

    wanted = False

    def add(self, span: Span) -> None:
        pass

    def share_out(self, wall_ns: int, spans: Callable[[], Iterable[Span]], order: Iterable[str]) -> None:
        pass


NO_TIMINGS = _NoTimings()
