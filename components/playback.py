"""The motions that each actor plays, and the motions that it fades from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Index, NotNegativeColumn, NumberColumn, ShareColumn, Within
from ecs_anim.ecs.columns import Column
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import FadeQueue


@dataclass
class Playback(Binding):
    """The cross-fade queue: motions in flight, one a fade slot, oldest first, each still playing.

    A fade slot covers the slots before it by its fade weight. A slot that has faded in completely removes the earlier
    ones. The last slot is the most recently requested motion, and always wins. If all fade slots are in use, a new
    request replaces the slot with the least contribution.
    Written by: the scene loader, the timeline, control, pacing, playback, user code (fades).
    Read by: playback, locomotion, sampling, events.
    """

    # [actor_count] i32, fade slots in use, at least 1
    slot_count: Annotated[Column[np.int32], Index("most_slots", first=1)]
    # [actor_count, fade slot] i32, into the character's motions
    motion: Annotated[Column[np.int32], Index("Character.motions.motions")]
    phase: ShareColumn  # [actor_count, fade slot] f32, 0 to 1
    speed: NumberColumn  # [actor_count, fade slot] f32, factor; negative plays backwards
    fade_time: NotNegativeColumn  # [actor_count, fade slot] f32, [s] since the fade began; the first's stands still
    fade_duration: NotNegativeColumn  # [actor_count, fade slot] f32, [s]
    # [actor_count] i32, 1 = only the newest motion is sampled, and inertia does the rest; None = the crowd has none
    inertial: Annotated[Column[np.int32], Within(0, 1)] | None = None

    @cached_property
    def queue(self) -> FadeQueue:
        """Return the fade queue for kernels."""
        return self.bound(FadeQueue)

    @property
    def most_slots(self) -> int:
        """Fade slots that an actor has, in use or not."""
        found: int = self.motion.shape[1]
        return found
