"""The search for clip events that actors reach in a step."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.character import Character
from ecs_anim.components.clip_events import ClipEvents
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, FunctionOfTime


class FindEvents(FunctionOfTime):
    """Collect the clip events that each actor reaches in this step.

    After the events of all chunks are collected, the system `DispatchEvents` passes the collected events to handlers.
    """

    name: ClassVar[str] = "events"
    components: ClassVar[tuple[type, ...]] = (Character, Parameters, Transforms, Playback, ClipEvents)

    def run(
        self,
        chunk: Chunk,
        character: Character,
        parameters: Parameters,
        transforms: Transforms,
        playback: Playback,
        events: ClipEvents,
    ) -> None:
        """Append the events of the chunk to `events.found`. Without a handler, do nothing."""
        if not events.is_heard:
            return
        from ecs_anim.kernels.events import find_events  # compiled at first use

        rows = chunk.rows
        assert isinstance(rows, slice)  # consecutive rows, because events are found for all actors
        values, scale = chunk.read(parameters.columns.value), chunk.read(transforms.placement.scale)
        queue = chunk.read_all(playback.queue)
        found = np.empty((chunk.actor_count, 2), np.int32)
        passed = values, scale, chunk.dt, queue, events.arrays, rows.start
        while True:
            count = find_events(character.motions.arrays, *passed, found)
            if count <= len(found):
                break
            found = np.empty((count, 2), np.int32)  # in a long step, an actor can reach an event more than once
        if count:
            events.found.append((rows.start, found[:count]))

    def can_skip(self, *_: object) -> bool:
        """Return True. The system `dispatch` prevents a skip of steps while events have handlers."""
        return True
