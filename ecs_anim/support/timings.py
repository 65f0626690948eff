"""Where a frame's time goes: nanoseconds by system, collected by the schedule.

While a frame runs, measurements are only put aside. Sums are made on demand. Code that runs once a frame
finds nothing of itself in the processor's caches, and would take longer than all the clocks together.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import ClassVar

# One run of a system: its name, the thread as `get_ident` numbers it, begin and end [ns] by `perf_counter_ns`, and for
# how many actors (0 = for the world). A plain tuple, because thousands are made in a frame.
Span = tuple[str, int, int, int, int]


class Timings:
    """Nanoseconds of the frame being measured; `keeps_spans` keeps each run of each system as well."""

    wanted: ClassVar[bool] = True  # False = systems need not read the clock

    def __init__(self, keeps_spans: bool = False) -> None:
        self.keeps_spans = keeps_spans
        self._aside: list[Span | Callable[[], None]] = []
        self._wall_ns: dict[str, float] = defaultdict(float)
        self._cpu_ns: dict[str, float] = defaultdict(float)
        self._spans: list[Span] = []

    @property
    def wall_ns(self) -> dict[str, float]:
        """Time by system as a clock on the wall sees it, in the order in which they ran first."""
        self.settle()
        return self._wall_ns

    @property
    def cpu_ns(self) -> dict[str, float]:
        """Time by system summed over threads: one that runs on two threads has twice its wall time."""
        self.settle()
        return self._cpu_ns

    @property
    def spans(self) -> list[Span]:
        """Each run of each system; none unless they are kept."""
        self.settle()
        return self._spans

    def add(self, span: Span) -> None:
        """Count a run that all others waited for."""
        self._aside.append(span)

    def share_out(self, wall_ns: int, spans: Callable[[], Iterable[Span]], order: Iterable[str]) -> None:
        """Count runs that went on side by side for `wall_ns`, which is shared out by the time that each took.

        `spans` is called on demand; `order` names the systems that may have run.
        """
        self._aside.append(lambda: self._count(wall_ns, list(spans()), order))

    def settle(self) -> None:
        """Make the sums now, and let go of what they are made of."""
        aside, self._aside = self._aside, []
        for own in aside:
            if isinstance(own, tuple):
                self._count(own[3] - own[2], [own], (own[0],))
            else:
                own()

    def clear(self) -> None:
        """Begin the next frame."""
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
    """Takes measurements and drops them."""

    wanted = False

    def add(self, span: Span) -> None:
        pass

    def share_out(self, wall_ns: int, spans: Callable[[], Iterable[Span]], order: Iterable[str]) -> None:
        pass


NO_TIMINGS = _NoTimings()
