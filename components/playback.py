"""Playback: the component with the motions that each actor plays, including old motions during a fade."""

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
    """The fade queue of each actor: the motions that the actor plays. Each fade slot contains one motion, oldest first.

    During a fade, the motion in a slot gradually replaces the motions in earlier slots. At the end of the fade, the
    motions in the earlier slots are removed. The last slot contains the most recently requested motion. If all slots
    are in use, a new motion replaces the motion with the smallest weight.

    Written by: the scene loader, the systems `timeline`, `control`, `pacing` and `playback`, and user code (only
    fades). Read by: the systems `playback`, `locomotion`, `sampling` and `events`.
    """

    # [actor_count] i32, number of used fade slots, at least 1
    slot_count: Annotated[Column[np.int32], Index("most_slots", first=1)]
    # [actor_count, fade slot] i32, index of the motion in `Character.motions`
    motion: Annotated[Column[np.int32], Index("Character.motions.motions")]
    phase: ShareColumn  # [actor_count, fade slot] f32, 0 to 1
    speed: NumberColumn  # [actor_count, fade slot] f32, factor of playback speed; negative = backwards
    # [actor_count, fade slot] f32, [s], time since the start of the fade; constant in slot 0
    fade_time: NotNegativeColumn
    fade_duration: NotNegativeColumn  # [actor_count, fade slot] f32, [s], duration of the fade
    # [actor_count] i32, 1 = inertial blending, in which only the newest motion is sampled; None = the crowd only
    # cross-fades
    inertial: Annotated[Column[np.int32], Within(0, 1)] | None = None

    @cached_property
    def queue(self) -> FadeQueue:
        """The fade queue as a record for kernels."""
        return self.bound(FadeQueue)

    @property
    def most_slots(self) -> int:
        """The number of fade slots for each actor, including unused fade slots."""
        found: int = self.motion.shape[1]
        return found
