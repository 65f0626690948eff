"""Journeys: steered actors start, wait at waypoints and walk to the next waypoint.

Members of a group wait for each other.
"""

from typing import ClassVar

import numpy as np

from ecs_anim.components.groups import Groups
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Surroundings
from ecs_anim.ecs.world import World
from ecs_anim.systems.arrivals import note_stops
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.queues import line_up
from ecs_anim.systems.steering import Steered, crowds_if_due
from ecs_anim.systems.stops import go_on, take_places
from ecs_anim.walls.arrays import WallArrays


class GoOnJourneys(Forgetful):
    """Advance the journeys of steered actors.

    A crowd chooses its walking directions only in some steps. The journeys of the crowd advance only in the steps in
    which the crowd chooses its walking directions.
    """

    name: ClassVar[str] = "journeys"

    def run(self, world: World, dt: float) -> None:
        """Write `Journeys`. Write the goals, waypoints, `halts`, `haste` and `lean` of `Steering`."""
        for own in crowds_if_due(world, dt):
            if own.is_due and own.journeys is not None:
                ((_, (around,)),) = world.query(Surroundings)
                hears = world.hears("arrival")
                before = (own.journeys.stage.copy(), own.steering.waypoint.copy()) if hears else None
                _go_on(own, own.journeys, around.walls, max(dt, 1 / own.steering.decision_rate))
                if before is not None:
                    note_stops(own.steering, own.journeys, *before)
            if own.is_due and own.groups is not None:
                _keep_together(own, own.groups)


def _go_on(own: Steered, journeys: Journeys, walls: WallArrays, dt: float) -> None:
    """Start actors, stop actors that must wait at waypoints, and send actors to their next waypoints."""
    from ecs_anim.kernels.journeys import go_on_journeys

    steering, movers, placement = own.steering, tuple(own.movers.columns), tuple(own.transforms.placement)
    stops = own.stops
    wait = journeys.wait if stops is None else stops.waits(journeys.wait)
    flags = journeys.is_round, journeys.stays, journeys.leaves, stops is not None and bool(stops.transitions)
    said = (steering.waypoints, wait, journeys.shares), flags, steering.waypoint_radius, dt, walls, movers, placement
    go_on_journeys(*said, tuple(steering.columns), tuple(journeys.columns))
    if stops is not None and stops.transitions:
        go_on(own.crowd.ids, steering, journeys, stops)
    if stops is not None:
        take_places(steering, journeys, stops)
    if journeys.queue.any():
        line_up(steering, journeys, own.transforms, wait[:, 0])


def _keep_together(own: Steered, groups: Groups) -> None:
    """Make the members of each group wait for each other and walk side by side."""
    from ecs_anim.kernels.groups import keep_together

    number = groups.number
    if (storeyed := own.storeyed) is not None:  # members on different levels do not wait for each other
        number = np.where(number < 0, number, number * storeyed.spaces.count + storeyed.space).astype(np.int32)
    order = np.argsort(number, kind="stable").astype(np.int32)
    movers, placement = tuple(own.movers.columns), tuple(own.transforms.placement)
    keep_together(order, number, movers, placement, tuple(own.steering.columns))
