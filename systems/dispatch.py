"""The dispatch of events to handlers of user code.

A source finds the events of one kind. If no handler waits for an event, its source does nothing. Each call of a handler
passes all actors of one crowd to which the same event happened.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.body import Body
from ecs_anim.components.clip_events import ClipEvent, ClipEvents
from ecs_anim.components.controller import Controller
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.events import Arrival, CrowdEvent, StateChange
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.steering import Steering
from ecs_anim.ecs.world import World
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.foot_strikes import foot_strikes, note_feet


class Source(NamedTuple):
    """A source of events: the crowds that have the events, and the function that yields the events of a crowd."""

    components: tuple[type, ...]  # a crowd must have one of these components
    events: Callable[[World, int, Crowd, float], Iterator[CrowdEvent]]

    def crowds(self, world: World) -> Iterator[tuple[int, Crowd]]:
        """Yield the entity and the component `Crowd` of each crowd that has the events."""
        for entity, (crowd,) in world.query(Crowd):
            if any(world.find(entity, component) for component in self.components):
                yield entity, crowd


class ListenForEvents(Forgetful):
    """Prepare the sources of the events that have handlers."""

    name = "listening"

    def run(self, world: World, dt: float) -> None:
        """Write `is_heard` of clip events and controllers. Record which feet are on the ground."""
        for _, (events,) in world.query(ClipEvents):
            events.is_heard = world.hears("clip_event")
        for _, (controller,) in world.query(Controller):
            controller.is_heard = world.hears("state_change")
        if world.hears("foot_strike"):
            for entity, _ in SOURCES["foot_strike"].crowds(world):
                note_feet(world, entity)


class DispatchEvents:
    """Pass the events of the step to their handlers.

    The system first finds all events. A handler can therefore add and remove actors.
    """

    name = "dispatch"

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if an event of a crowd has a handler. Without such a handler, return the number of all steps."""
        return 0 if any(any(SOURCES[name].crowds(world)) for name in _heard(world)) else len(ends)

    def run(self, world: World, dt: float) -> None:
        """Find the events of each crowd, and call the handlers."""
        time, heard = world.time + dt, _heard(world)
        found = [
            (name, event)
            for name in heard
            for entity, crowd in SOURCES[name].crowds(world)
            for event in SOURCES[name].events(world, entity, crowd, time)
        ]
        for name, event in found:
            if not world.closed:  # a handler can close the world
                world.dispatch(name, event)


def _heard(world: World) -> list[str]:
    return [name for name in SOURCES if world.hears(name)]


def _clip_events(world: World, entity: int, crowd: Crowd, time: float) -> Iterator[ClipEvent]:
    """Yield one event for each clip and event name, and clear the field `found` of the crowd."""
    events = world.get(entity, ClipEvents)
    if not events.found:
        return
    found = np.concatenate([batch for _, batch in sorted(events.found, key=lambda part: part[0])])
    events.found.clear()
    alike: dict[tuple[str, str], list[int]] = {}  # an event name can occur at several times in a clip
    for number in np.unique(found[:, 0]).tolist():
        alike.setdefault((events.clip_names[number], events.names[number]), []).append(number)
    for (clip, event), numbers in alike.items():
        actors = found[np.isin(found[:, 0], numbers), 1]
        yield ClipEvent(crowd.name, time, actors, crowd.ids[actors], clip, event)


def _state_changes(world: World, entity: int, crowd: Crowd, time: float) -> Iterator[StateChange]:
    """Yield one event for each pair of states, and clear the field `changes` of the crowd."""
    controller = world.get(entity, Controller)
    names, changes = controller.machine.state_names, controller.changes
    if not changes:
        return
    rows = np.concatenate(changes)
    changes.clear()
    for left, entered in np.unique(rows[:, 1:], axis=0).tolist():
        actors = np.sort(rows[(rows[:, 1:] == (left, entered)).all(axis=1), 0])
        yield StateChange(crowd.name, time, actors, crowd.ids[actors], names[left], names[entered])


def _arrivals(world: World, entity: int, crowd: Crowd, time: float) -> Iterator[Arrival]:
    """Yield one event for each goal, and clear the field `arrivals` of the crowd."""
    arrivals = world.get(entity, Steering).arrivals
    if not arrivals:
        return
    rows, goals = np.concatenate(arrivals, axis=1)
    arrivals.clear()
    for goal in np.unique(goals).tolist():
        actors = np.sort(rows[goals == goal])
        yield Arrival(crowd.name, time, actors, crowd.ids[actors], goal)


SOURCES = {
    "clip_event": Source((ClipEvents,), _clip_events),
    "state_change": Source((Controller,), _state_changes),
    "foot_strike": Source((Body, FootContacts), foot_strikes),
    "arrival": Source((Steering,), _arrivals),
}
