"""The timeline of a scene: changes that happen at given times."""

import math
from dataclasses import dataclass, field
from typing import Annotated

from ecs_anim.ecs.bounds import TALLY, Beside
from ecs_anim.ecs.columns import Kept


@dataclass(frozen=True)
class Sector:
    """A selection of actors by their angle around `center`, from `start` to `start` + `width`."""

    center: tuple[float, float]  # plan point [m]
    start: float  # [rad], counter-clockwise from east
    width: float  # [rad]
    spread: float = 0.0  # [rad], maximum random change of each actor's angle in either direction; drawn for each run


@dataclass
class Cue:
    """A change of some actors or doors at the time `at`. A cue can repeat."""

    at: float  # [s], world time of the first run
    every: float  # [s], time between two runs; inf = only one run
    crowd: str | None  # None = all crowds
    share: float  # fraction of actors that each run selects at random
    seed: int
    fade_to: tuple[str, ...] = ()  # names of motions; each actor draws one of them
    fade: float = 0.3  # [s], duration of the fade
    match_phase: bool = False
    # range of the random target value, by parameter
    targets: dict[str, tuple[float, float]] = field(default_factory=dict)
    triggers: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()  # names of the doors and connections that the cue opens
    closes: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()  # names of escalators that start
    stops: tuple[str, ...] = ()  # names of escalators that stop
    reverses: tuple[str, ...] = ()  # names of connections that change their direction
    releases: tuple[str, ...] = ()  # names of goals that release actors
    release_count: int | None = None  # None = all actors, and later actors do not wait
    holds: tuple[str, ...] = ()  # names of goals that hold actors
    sector: Sector | None = None  # None = actors at any angle
    fired: Annotated[Kept[int], TALLY] = 0  # number of runs so far

    def due(self, now: float) -> int:
        """Return the total number of runs of the cue whose times are before the world time `now` [s]."""
        if now <= self.at:
            return 0
        return 1 if math.isinf(self.every) else math.ceil((now - self.at) / self.every)


@dataclass
class Timeline:
    """The cues of a scene. The timeline has its own entity, apart from the crowds.

    Written by: the scene loader and the system `timeline` (only `fired`). Read by: the system `timeline`.
    """

    cues: list[Cue]

    def flaw(self, beside: Beside) -> str:
        """Return a message about a cue that did not run at a time in the past. If there is no such cue, return ''.

        The next step would carry out all missed runs of the cue together.
        """
        late = next((number for number, cue in enumerate(self.cues) if cue.fired < cue.due(beside.time)), None)
        if late is None:
            return ""
        due, fired = self.cues[late].due(beside.time), self.cues[late].fired
        return f"cues[{late}] must have acted {due} times at the time of the snapshot (got {fired} times)"
