"""Events in clips, which user code can listen for."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import sealed
from ecs_anim.runtime.records import EventArrays


@dataclass
class ClipEvents:
    """Events of a crowd's clips, and those that the current step has passed.

    Written by: the scene loader; events fills `found`, dispatch empties it. Read by: events, dispatch.
    """

    names: tuple[str, ...]  # [event] of each event
    clip_names: tuple[str, ...]  # [event] the clip it belongs to
    first_event: NDArray[np.int32]  # [clip_count + 1] i32
    event_phase: NDArray[np.float32]  # [event] f32, 0 to 1
    found: list[tuple[int, NDArray[np.int32]]] = field(default_factory=list)  # first actor, [n, 2] event and actor

    @cached_property
    def arrays(self) -> EventArrays:
        """The events as kernels read them."""
        return sealed(EventArrays(self.first_event, self.event_phase))


@dataclass(frozen=True)
class ClipEvent:
    """The argument of "clip_event" handlers: all actors of a crowd that passed an event in one step."""

    crowd: str
    clip: str
    event: str
    actors: NDArray[np.int32]  # [n] i32, rows of the crowd, in order; an actor that passed it twice is there twice
