"""Playback: the component with the motions that each actor plays, also the earlier motions during a fade."""

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
    """The queue of cross-fades: the motions that each actor plays, one in each fade slot, oldest first.

    The fade weight of a slot reduces the weights of earlier slots. A slot that has faded in completely removes the
    earlier slots. The last slot is the most recently requested motion. If all fade slots are in use, a new request
    replaces the slot with the smallest weight.
    Written by: the scene loader, the timeline, control, pacing, playback, user code (fades).
    Read by: playback, locomotion, sampling, events.
    """

    # [actor_count] i32, number of fade slots in use, at least 1
    slot_count: Annotated[Column[np.int32], Index("most_slots", first=1)]
    # [actor_count, fade slot] i32, index in the character's motions
    motion: Annotated[Column[np.int32], Index("Character.motions.motions")]
    phase: ShareColumn  # [actor_count, fade slot] f32, 0 to 1
    speed: NumberColumn  # [actor_count, fade slot] f32, factor of playback speed; negative = backwards
    fade_time: NotNegativeColumn  # [actor_count, fade slot] f32, [s], time since the start of the fade; slot 0: fixed
    fade_duration: NotNegativeColumn  # [actor_count, fade slot] f32, [s], duration of the fade
    # [actor_count] i32, 1 = inertial blending: only the newest motion is sampled; None = the crowd has cross-fades only
    inertial: Annotated[Column[np.int32], Within(0, 1)] | None = None

    @cached_property
    def queue(self) -> FadeQueue:
        """The fade queue as a record for kernels."""
        return self.bound(FadeQueue)

    @property
    def most_slots(self) -> int:
        """The number of fade slots of each actor, including unused slots."""
        found: int = self.motion.shape[1]
        return found
