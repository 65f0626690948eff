"""Arrival and departure times of actors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn

FOR_GOOD = np.float32(1e9)  # [s], departure time of actors that stay
NEARLY = np.float32(0.05)  # [s], rounding tolerance within which two times are equal


@dataclass
class Presence:
    """Arrival and departure times of actors. Actors are visible only between these times.

    Actors fade in after their arrival and fade out before their departure. Visibility depends only on the time.
    Written by: the scene loader, turnover. Read by: drawing, the schedule, turnover.
    """

    begin: NumberColumn  # [actor_count] f32, [s], arrival, time of the world
    end: NumberColumn  # [actor_count] f32, [s], departure, time of the world
    fade_seconds: float  # [s], duration of the fade in and of the fade out; 0 = at once

    def coverage(self, time: float) -> NDArray[np.float32]:
        """Return the fraction of each actor's pixels that is drawn at `time` [s], [actor_count] f32. 0 = absent."""
        left = np.minimum(np.float32(time) - self.begin, self.end - np.float32(time))
        share = np.clip(left / np.float32(self.fade_seconds), 0, 1) if self.fade_seconds > 0 else np.float32(left >= 0)
        return np.asarray(share * share * (3 - 2 * share), np.float32)

    def is_there(self, time: float, within: np.float32 = NEARLY) -> NDArray[np.bool_]:
        """Return a mask [actor_count] of the actors that are present at `time` [s], with the tolerance `within` [s]."""
        now = np.float32(time)
        return (self.begin <= now + within) & (now - within <= self.end)


def always_present(actor_count: int, fade_seconds: float) -> Presence:
    """Return the presence of actors that are always present."""
    return Presence(np.full(actor_count, -FOR_GOOD), np.full(actor_count, FOR_GOOD), fade_seconds)
