"""How fine pictures may be, by how long they take: times go in, a step of a ladder comes out; no clock is read."""

from collections import deque
from statistics import median

BUDGET = 1 / 15  # [s] a picture
SPARE = 0.5  # of the budget; what takes less may become finer
STEP = 1.5  # times faster that one step coarser is expected to be
JUDGED = 3  # pictures of which the median counts, so that one that stalls does not
PATIENCE, LONGEST_PATIENCE = 2.0, 60.0  # [s] with time to spare before a finer step is tried


class Governor:
    """A step from 0, the finest, to `step_count` - 1: coarser at once, finer with patience.

    After a finer step that took too long, patience is twice as long; after one that lasted it is as at first. So where
    no step fits, or two do nearly, pictures do not go to and fro.
    """

    def __init__(self, step_count: int, budget: float = BUDGET) -> None:
        self.step = 0
        self._coarsest, self._budget = step_count - 1, budget
        self._times: deque[float] = deque(maxlen=JUDGED)
        self._fresh = True  # the first picture of a step compiles and uploads
        self._spare_time = 0.0  # [s] of pictures in a row with time to spare
        self._patience = PATIENCE
        self._tried: float | None = None  # [s] since a finer step was tried that has not lasted yet

    def add(self, seconds: float) -> int:
        """The step for the next picture, after one that took so long."""
        if self._fresh:
            self._fresh = False
            return self.step
        self._times.append(seconds)
        if len(self._times) == JUDGED:
            self._judge(median(self._times), seconds)
        return self.step

    def _judge(self, usual: float, last: float) -> None:
        self._watch_trial(last)
        if usual > self._budget:
            self._spare_time = 0.0
            if self.step < self._coarsest:
                self._coarsen(usual / self._budget)
        elif usual < SPARE * self._budget:
            self._spare_time += last
            if self._spare_time >= self._patience and self.step > 0:
                self._refine()
        else:
            self._spare_time = 0.0

    def _watch_trial(self, last: float) -> None:
        if self._tried is not None:
            self._tried += last
            if self._tried >= PATIENCE:
                self._tried, self._patience = None, PATIENCE

    def _coarsen(self, excess: float) -> None:
        if self._tried is not None:
            self._patience = min(2 * self._patience, LONGEST_PATIENCE)
        step = self.step + 1
        while excess > STEP and step < self._coarsest:
            step, excess = step + 1, excess / STEP
        self._turn_to(step)
        self._tried = None

    def _refine(self) -> None:
        self._turn_to(self.step - 1)
        self._tried = 0.0

    def _turn_to(self, step: int) -> None:
        self.step, self._fresh, self._spare_time = step, True, 0.0
        self._times.clear()
