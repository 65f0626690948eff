"""The dispatch of clip events to handlers of user code.

One call of a handler contains all actors with the same event.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.clip_events import ClipEvent, ClipEvents
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World


class DispatchEvents:
    """Pass the clip events of each crowd to the handlers of "clip_event".

    Each handler is called once for each crowd, clip and event name.
    """

    name = "dispatch"

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if a clip event has a handler. If no clip event has a handler, return the number of all steps."""
        return 0 if world.hears("clip_event") and any(world.query(ClipEvents)) else len(ends)

    def run(self, world: World, dt: float) -> None:
        """Dispatch the events in the field `found` of each crowd, and clear this field."""
        for _, (crowd, events) in world.query(Crowd, ClipEvents):
            if not events.found:
                continue
            found = np.concatenate([batch for _, batch in sorted(events.found, key=lambda part: part[0])])
            events.found.clear()
            alike: dict[tuple[str, str], list[int]] = {}  # an event name can occur at several times in a clip
            for number in np.unique(found[:, 0]).tolist():
                alike.setdefault((events.clip_names[number], events.names[number]), []).append(number)
            for (clip, event), numbers in alike.items():
                actors = found[np.isin(found[:, 0], numbers), 1]
                world.dispatch("clip_event", ClipEvent(crowd.name, clip, event, actors))
