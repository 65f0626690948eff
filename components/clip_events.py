"""Clip events: named times in clips.

User code can register functions. The world calls the registered functions when actors reach the times of clip events.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.events import CrowdEvent
from ecs_anim.ecs.records import sealed
from ecs_anim.runtime.records import EventArrays


@dataclass
class ClipEvents:
    """The events in a crowd's clips, and the events that occurred in the current step.

    Written by: the scene loader, and the systems `listening` (only `is_heard`), `events` (only `found`) and `dispatch`
    (only `found`). Read by: the systems `events` and `dispatch`.
    """

    names: tuple[str, ...]  # [event], name of each event
    clip_names: tuple[str, ...]  # [event], name of the event's clip
    first_event: NDArray[np.int32]  # [clip_count + 1] i32, index of the first event of each clip
    event_phase: NDArray[np.float32]  # [event] f32, phase in the clip, 0 to 1
    is_heard: bool = False  # true = the event "clip_event" has a handler
    # first row of a chunk; [n, 2] event and actor
    found: list[tuple[int, NDArray[np.int32]]] = field(default_factory=list)

    @cached_property
    def arrays(self) -> EventArrays:
        """The events of all clips as a record for kernels."""
        return sealed(EventArrays(self.first_event, self.event_phase))


@dataclass(frozen=True)
class ClipEvent(CrowdEvent):
    """The argument of "clip_event" handlers: actors that reached an event of a clip.

    An actor that reached the event twice in the step has two entries in `actors` and `ids`.
    """

    clip: str
    event: str
