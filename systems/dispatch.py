"""Dispatch: events reach user code, in batches."""

import numpy as np

from ecs_anim.components.clip_events import ClipEvent, ClipEvents
from ecs_anim.components.crowd import Crowd
from ecs_anim.world import World


class DispatchEvents:
    """Hand each crowd's events to the handlers of "clip_event": one call a crowd, clip and event, in order."""

    name = "dispatch"

    def run(self, world: World, dt: float) -> None:
        """Empty every crowd's `found`."""
        for _, (crowd, events) in world.query(Crowd, ClipEvents):
            if not events.found:
                continue
            found = np.concatenate([batch for _, batch in sorted(events.found, key=lambda part: part[0])])
            events.found.clear()
            for event in np.unique(found[:, 0]):
                actors = found[found[:, 0] == event, 1]
                world.dispatch(
                    "clip_event", ClipEvent(crowd.name, events.clip_names[event], events.names[event], actors)
                )
