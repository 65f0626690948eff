"""Clip events: named times in clips. User code can register handlers for clip events."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import sealed
from ecs_anim.runtime.records import EventArrays


@dataclass
class ClipEvents:
    """The events of a crowd's clips, and the events in the current step.

    Written by: the scene loader, events and dispatch (`found`). Read by: events, dispatch.
    """

    names: tuple[str, ...]  # [event], name of each event
    clip_names: tuple[str, ...]  # [event], name of the event's clip
    first_event: NDArray[np.int32]  # [clip_count + 1] i32, index of the first event of each clip
    event_phase: NDArray[np.float32]  # [event] f32, phase in the clip, 0 to 1
    found: list[tuple[int, NDArray[np.int32]]] = field(default_factory=list)  # first row; [n, 2] event and actor

    @cached_property
    def arrays(self) -> EventArrays:
        """The events of all clips as a record for kernels."""
        return sealed(EventArrays(self.first_event, self.event_phase))


@dataclass(frozen=True)
class ClipEvent:
    """The argument of "clip_event" handlers: all actors of a crowd that passed an event in one step."""

    crowd: str
    clip: str
    event: str
    actors: NDArray[np.int32]  # [n] i32, rows of the crowd, in order; two rows if an actor passed the event twice
