"""The timeline of a scene: commands at set times."""

import math
from dataclasses import dataclass, field
from typing import Annotated

from ecs_anim.ecs.bounds import TALLY, Beside
from ecs_anim.ecs.columns import Kept


@dataclass(frozen=True)
class Sector:
    """A selection of actors by the angle from `center` to the actor: from `start` to `start` + `width`."""

    center: tuple[float, float]  # plan point [m]
    start: float  # [rad], counter-clockwise from east
    width: float  # [rad]
    spread: float = 0.0  # [rad], maximum random offset of each actor's angle, in both directions; drawn in each round


@dataclass
class Cue:
    """A command to some actors at the time `at`. The command can be repeated."""

    at: float  # [s], time of the first run
    every: float  # [s], time between repetitions; inf = once
    crowd: str | None  # None = all crowds
    share: float  # fraction of the actors, with a new draw for each repetition
    seed: int
    fade_to: tuple[str, ...] = ()  # names of motions; each actor draws one motion
    fade: float = 0.3  # [s], duration of the fade
    match_phase: bool = False
    targets: dict[str, tuple[float, float]] = field(default_factory=dict)  # range of the draw, by parameter
    triggers: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()  # names of doors
    closes: tuple[str, ...] = ()
    sector: Sector | None = None  # None = any angle
    fired: Annotated[Kept[int], TALLY] = 0  # number of runs so far

    def due(self, now: float) -> int:
        """Return the number of runs of the cue that are due before `now` [s]."""
        if now <= self.at:
            return 0
        return 1 if math.isinf(self.every) else math.ceil((now - self.at) / self.every)


@dataclass
class Timeline:
    """The cues of a scene. The entity with this component is not a crowd.

    Written by: the scene loader, timeline (`fired`). Read by: timeline.
    """

    cues: list[Cue]

    def flaw(self, beside: Beside) -> str:
        """Describe a cue in the past that did not run. The next step would run all its repetitions at once.

        Without such a cue, return ''.
        """
        late = next((number for number, cue in enumerate(self.cues) if cue.fired < cue.due(beside.time)), None)
        return "" if late is None else f"cues[{late}] must have fired more often (got {self.cues[late].fired} times)"
