"""Presence: the arrival time and the departure time of each actor."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn

FOR_GOOD = np.float32(1e9)  # [s], departure time of actors that never leave
NEARLY = np.float32(0.05)  # [s], tolerance within which two times are equal


@dataclass
class Presence:
    """The arrival time and the departure time of each actor.

    An actor is visible only between its arrival and its departure.

    The actor fades in after its arrival and fades out before its departure. The visibility of an actor depends only on
    its arrival time, its departure time and the world's time.

    Written by: the scene loader and the system `turnover`. Read by: the drawing code, the schedule, and the system
    `turnover`.
    """

    begin: NumberColumn  # [actor_count] f32, [s], arrival in world time
    end: NumberColumn  # [actor_count] f32, [s], departure in world time
    fade_seconds: float  # [s], duration of fading in, and of fading out; 0 = actors appear and disappear immediately

    def coverage(self, time: float) -> NDArray[np.float32]:
        """Return the fraction of each actor's pixels that is drawn at `time` [s], [actor_count] f32.

        The fraction of an absent actor is 0.
        """
        left = np.minimum(np.float32(time) - self.begin, self.end - np.float32(time))
        share = np.clip(left / np.float32(self.fade_seconds), 0, 1) if self.fade_seconds > 0 else np.float32(left >= 0)
        return np.asarray(share * share * (3 - 2 * share), np.float32)

    def is_there(self, time: float, within: np.float32 = NEARLY) -> NDArray[np.bool_]:
        """Return a mask [actor_count] of the actors that are present at `time` [s].

        Actors also count as present during the last `within` seconds before their arrival and the first `within`
        seconds after their departure.
        """
        now = np.float32(time)
        return (self.begin <= now + within) & (now - within <= self.end)


def always_present(actor_count: int, fade_seconds: float) -> Presence:
    """Return the presence of actors that stay for the whole simulation."""
    return Presence(np.full(actor_count, -FOR_GOOD), np.full(actor_count, FOR_GOOD), fade_seconds)
