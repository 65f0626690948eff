"""The timed events of a scene."""

import math
from dataclasses import dataclass, field
from typing import Annotated

from ecs_anim.ecs.bounds import TALLY, Beside
from ecs_anim.ecs.columns import Kept


@dataclass(frozen=True)
class Sector:
    """Selects the actors that stand in a range of angles round a point, from `start` on."""

    center: tuple[float, float]  # plan point [m]
    start: float  # [rad], counter-clockwise from east
    width: float  # [rad]
    spread: float = 0.0  # [rad], the largest random offset of each actor's angle, to either side; drawn by round


@dataclass
class Cue:
    """Something that some actors do at a time, once or again and again."""

    at: float  # [s]
    every: float  # [s] between repetitions; inf = once
    crowd: str | None  # None = all crowds
    share: float  # of the actors, drawn anew each time
    seed: int
    fade_to: tuple[str, ...] = ()  # motions; each actor draws one
    fade: float = 0.3  # [s]
    match_phase: bool = False
    targets: dict[str, tuple[float, float]] = field(default_factory=dict)  # parameter: range to draw from
    triggers: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()  # doors
    closes: tuple[str, ...] = ()
    sector: Sector | None = None  # None = wherever they stand
    fired: Annotated[Kept[int], TALLY] = 0  # repetitions so far

    def due(self, now: float) -> int:
        """How often it should have fired before `now` [s]."""
        if now <= self.at:
            return 0
        return 1 if math.isinf(self.every) else math.ceil((now - self.at) / self.every)


@dataclass
class Timeline:
    """The cues of a scene; an entity of its own has it.

    Written by: the scene loader, timeline (`fired`). Read by: timeline.
    """

    cues: list[Cue]

    def flaw(self, beside: Beside) -> str:
        """Cues of the past that did not fire: the next step would make up for all their repetitions."""
        late = next((number for number, cue in enumerate(self.cues) if cue.fired < cue.due(beside.time)), None)
        return "" if late is None else f"cues[{late}] fired {self.cues[late].fired} times, fewer than it was due"
