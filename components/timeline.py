"""What a scene wants to happen when."""

from dataclasses import dataclass, field

from ecs_anim.columns import Kept


@dataclass(frozen=True)
class Sector:
    """Those who stand round a point at angles from `start` on."""

    center: tuple[float, float]  # x, z [m]
    start: float  # [rad], 0 is +Z, pi/2 is +X
    width: float  # [rad]
    spread: float = 0.0  # [rad], by up to which each counts as standing further round, or less far; drawn by round


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
    sector: Sector | None = None  # None = wherever they stand
    fired: Kept[int] = 0  # repetitions so far


@dataclass
class Timeline:
    """The cues of a scene; an entity of its own has it.

    Written by: the scene loader, timeline (`fired`). Read by: timeline.
    """

    cues: list[Cue]
