"""Clips: the tracks that animate a skeleton together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ecs_anim.track import Track


@dataclass(frozen=True)
class Clip:
    """Tracks over one span of time. Joint indices are those of the skeleton it was made for."""

    name: str
    tracks: tuple[Track, ...]
    start: float  # [s], the first key of any track
    end: float  # [s], the last key of any track
    joint_names: tuple[str, ...]  # of the skeleton the joint indices belong to
    extras: Mapping[str, object] = field(default_factory=dict)  # the file's `extras`, such as "ground_speed" [m/s]

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return self.end - self.start
