"""Control of the picture quality. The governor selects a quality step from the drawing times of pictures.

The program measures the drawing time of each picture, and passes this time to the governor.
"""

from collections import deque
from statistics import median

BUDGET = 1 / 15  # [s], time limit of a picture
STEP = 1.5  # expected speed-up of one coarser step
SPARE = 1 / STEP  # fraction of the time limit; the quality increases only if pictures take less time
JUDGED = 3  # number of drawing times in the median, so that a single slow picture has no effect
PATIENCE, LONGEST_PATIENCE = 2.0, 60.0  # [s] of fast pictures before the governor tries a finer step


class Governor:
    """A controller that selects the quality step of each picture from the drawing times of previous pictures.

    Step 0 has the highest quality, and step `step_count` - 1 has the lowest quality. If drawing is too slow, the
    governor lowers the quality immediately. If drawing is fast, the governor tries a higher quality after a waiting
    time. If drawing with the tried quality is too slow, the governor lowers the quality again and doubles the waiting
    time. If drawing with the tried quality stays within the time limit, the governor resets the waiting time. The
    doubled waiting time prevents a repeated change between two quality steps.
    """

    def __init__(self, step_count: int, budget: float = BUDGET) -> None:
        self.step = 0
        self._coarsest, self._budget = step_count - 1, budget
        self._times: deque[float] = deque(maxlen=JUDGED)
        self._fresh = True  # whether the next picture is slow because a new step compiles shaders and uploads data
        self._spare_time = 0.0  # [s], total drawing time of consecutive fast pictures
        self._patience = PATIENCE
        self._tried: float | None = None  # [s] since the trial of a finer step; None = no trial

    def add(self, seconds: float) -> int:
        """Add the drawing time `seconds` of a picture. Return the quality step for the next picture."""
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
