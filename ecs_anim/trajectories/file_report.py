"""The report on a trajectory file: people, times, speeds and gaps.

The program reads the file in successive time windows, so large files need little memory.
"""

from dataclasses import dataclass

import numpy as np

from ecs_anim.trajectories.floors import Floor
from ecs_anim.trajectories.reader import Recording
from ecs_anim.trajectories.record import Trajectories, Walls
from ecs_anim.trajectories.rows import Reals, Whole
from ecs_anim.trajectories.steps import Gap, Jump, Steps, gaps_of, is_gap, is_jump, jumps_of, steps_of

SLOW = 0.3  # [m/s], speed below which a step is slow
AT_ONCE = 200_000  # approximate number of samples in a window
LISTED = 1000  # largest number of gaps or jumps in a list; `gap_count` and `jump_count` include all gaps and jumps
BIN, TOP = 1e-3, 20.0  # [m/s], bin width and top of the histogram for the median speed


@dataclass(frozen=True)
class Report:
    """The report on a trajectory file."""

    path: str
    format: str
    unit: str  # unit of lengths in the file
    rate: float  # frames, or units of time in the file, per second
    notes: tuple[str, ...]  # facts that come from names or definitions
    people: int
    samples: int
    start: float  # [s], time of the first sample
    end: float  # [s], time of the last sample
    samples_a_second: float  # per person; 0 if no person has two samples
    low: tuple[float, float]  # [m], least x and y on the plan
    high: tuple[float, float]  # [m], greatest x and y on the plan
    median_speed: float  # [m/s], between samples, as recorded
    slow_share: float  # share of steps slower than 0.3 m/s
    gap_count: int
    gaps: tuple[Gap, ...]  # the first gaps
    jump_count: int
    jumps: tuple[Jump, ...]  # the first jumps
    headings: bool
    group_count: int
    walls: tuple[Walls, ...]
    unseen: int = 0  # rows without a position
    names: tuple[str, ...] = ()  # the file's ids by number, if ids are texts
    floors: tuple[Floor, ...] = ()  # floors of the file, if it has several


def report(own: Recording) -> Report:
    """Return the report on a file. The function reads the whole file, one time window after another.

    Raises InputError if the file is invalid.
    """
    start, end = own.span
    tally = _Tally(own.ids)
    for window in own.windows(max(1.0, (end - start) * AT_ONCE / own.index.row_count)):
        tally.add(window)
    low, high = own.bounds
    return Report(
        path=own.path,
        format=own.format,
        unit=own.scale.unit,
        rate=own.scale.rate,
        notes=own.notes,
        people=len(own.ids),
        samples=tally.samples,
        start=start,
        end=end,
        samples_a_second=1 / tally.usual if tally.usual else 0.0,
        low=(float(low[0]), float(low[1])),
        high=(float(high[0]), float(high[1])),
        median_speed=tally.median_speed,
        slow_share=tally.slow_share,
        gap_count=tally.gap_count,
        gaps=tuple(tally.gaps),
        jump_count=tally.jump_count,
        jumps=tuple(tally.jumps),
        headings=tally.headings,
        group_count=len(tally.groups),
        walls=own.walls,
        unseen=own.index.unseen,
        names=own.names,
        floors=own.floors,
    )


class _Tally:
    """Totals of samples, steps and gaps over the time windows of a file that were read so far."""

    def __init__(self, ids: Whole) -> None:
        self._ids = ids
        self._last_time = np.full(len(ids), np.nan)  # last time of each person in the windows before
        self._last_xy = np.zeros((len(ids), 2))
        self._speeds = np.zeros(round(TOP / BIN) + 1, np.int64)  # number of steps in each speed bin
        self.samples = self.gap_count = self.jump_count = 0
        self.usual = 0.0  # [s], usual time between samples
        self.gaps: list[Gap] = []
        self.jumps: list[Jump] = []
        self.headings = False
        self.groups: set[int] = set()

    def add(self, window: Trajectories) -> None:
        ids, times, xy = self._with_last(window)
        self._count(ids, times, xy, steps_of(ids, times, xy))
        self.samples += window.sample_count
        self.headings |= window.heading_vectors is not None
        if window.groups is not None:
            self.groups |= set(np.unique(window.groups).tolist())
        rows, final = np.searchsorted(self._ids, window.ids), window.starts[1:] - 1
        self._last_time[rows], self._last_xy[rows] = window.times[final], window.xy[final]

    def _with_last(self, window: Trajectories) -> tuple[Whole, Reals, Reals]:
        """Return ids, times and positions of the samples in a window.

        For each person, the result begins with the person's last sample before the window, so that steps across the
        start of the window count.
        """
        rows = np.searchsorted(self._ids, window.ids)
        seen = ~np.isnan(self._last_time[rows])
        at, before = window.starts[:-1][seen], rows[seen]
        return (
            np.insert(window.ids[window.people], at, self._ids[before]),
            np.insert(window.times, at, self._last_time[before]),
            np.insert(window.xy, at, self._last_xy[before], axis=0),
        )

    def _count(self, ids: Whole, times: Reals, xy: Reals, steps: Steps) -> None:
        if not len(steps.first):
            return
        self.usual = self.usual or float(np.median(steps.seconds))
        gaps, jumps = is_gap(steps, self.usual), is_jump(steps)
        self.gap_count += int(np.count_nonzero(gaps))
        self.jump_count += int(np.count_nonzero(jumps))
        self.gaps += gaps_of(ids, times, steps, gaps)[: LISTED - len(self.gaps)]
        self.jumps += jumps_of(ids, times, steps, jumps)[: LISTED - len(self.jumps)]
        bins = np.minimum(steps.speed / BIN, len(self._speeds) - 1).astype(np.intp)
        self._speeds += np.bincount(bins, minlength=len(self._speeds))

    @property
    def median_speed(self) -> float:
        """Return the median speed of people [m/s], with a resolution of 1 mm/s."""
        total = int(self._speeds.sum())
        return float(np.searchsorted(np.cumsum(self._speeds), (total + 1) // 2) * BIN + BIN / 2) if total else 0.0

    @property
    def slow_share(self) -> float:
        total = int(self._speeds.sum())
        return float(self._speeds[: round(SLOW / BIN)].sum() / total) if total else 0.0
