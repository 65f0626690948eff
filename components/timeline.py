"""What a scene wants to happen when."""

from dataclasses import dataclass, field


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
    fired: int = 0  # repetitions so far


@dataclass
class Timeline:
    """The cues of a scene; an entity of its own has it.

    Written by: the scene loader, timeline (`fired`). Read by: timeline.
    """

    cues: list[Cue]
