"""Arrival and departure times of actors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn

FOR_GOOD = np.float32(1e9)  # [s], departure time of actors that stay
NEARLY = np.float32(0.05)  # [s], rounding tolerance within which two times are equal


@dataclass
class Presence:
    """Actors are seen only while they are there: they fade in as they come, and out as they leave.

    A function of the time alone. Written by: the scene loader, turnover. Read by: drawing, the schedule, turnover.
    """

    begin: NumberColumn  # [actor_count] f32, [s] of the world
    end: NumberColumn  # [actor_count] f32, [s]
    fade_seconds: float  # [s], of fading in and of fading out; 0 = at once

    def coverage(self, time: float) -> NDArray[np.float32]:
        """The share of their pixels that actors take at a time [s], [actor_count] f32; 0 = they are not there."""
        left = np.minimum(np.float32(time) - self.begin, self.end - np.float32(time))
        share = np.clip(left / np.float32(self.fade_seconds), 0, 1) if self.fade_seconds > 0 else np.float32(left >= 0)
        return np.asarray(share * share * (3 - 2 * share), np.float32)

    def is_there(self, time: float, within: np.float32 = NEARLY) -> NDArray[np.bool_]:
        """Return which actors can be seen at a time [s], or arrive or leave `within` seconds of it, [actor_count]."""
        now = np.float32(time)
        return (self.begin <= now + within) & (now - within <= self.end)


def always_present(actor_count: int, fade_seconds: float) -> Presence:
    """Return the presence of actors that are there from the start and stay."""
    return Presence(np.full(actor_count, -FOR_GOOD), np.full(actor_count, FOR_GOOD), fade_seconds)
