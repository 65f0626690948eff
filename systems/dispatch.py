"""Dispatch of clip events to handlers of user code. All actors with the same event are in one call."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.clip_events import ClipEvent, ClipEvents
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World


class DispatchEvents:
    """Pass the events of each crowd to the handlers of "clip_event": one call for each crowd, clip and event name."""

    name = "dispatch"

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if a handler listens for clip events. Otherwise, return the number of all steps."""
        return 0 if world.hears("clip_event") and any(world.query(ClipEvents)) else len(ends)

    def run(self, world: World, dt: float) -> None:
        """Dispatch all events in `found` of each crowd, and clear `found`."""
        for _, (crowd, events) in world.query(Crowd, ClipEvents):
            if not events.found:
                continue
            found = np.concatenate([batch for _, batch in sorted(events.found, key=lambda part: part[0])])
            events.found.clear()
            alike: dict[tuple[str, str], list[int]] = {}  # a clip can have an event name at several times
            for number in np.unique(found[:, 0]).tolist():
                alike.setdefault((events.clip_names[number], events.names[number]), []).append(number)
            for (clip, event), numbers in alike.items():
                actors = found[np.isin(found[:, 0], numbers), 1]
                world.dispatch("clip_event", ClipEvent(crowd.name, clip, event, actors))
