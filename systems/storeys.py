"""Storeys: the system that finds the level or the flight of each actor, and the actor's point on the unfolded plan.

On the unfolded plan, all levels, landings and flights lie side by side.
"""

from typing import ClassVar

import numpy as np

from ecs_anim.components.routing import Routing
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.connections import connections_of
from ecs_anim.systems.goal_choice import arrival_times, take_goals
from ecs_anim.systems.steering import crowds_that_steer
from ecs_anim.systems.unfolding import Rows, unfold_crowd


class FindSpaces(Forgetful):
    """Find the space of each actor in a world with levels: a level, a landing or a flight.

    New actors of a crowd with exit_choice = "nearest" take the goal with the shortest travel time.
    """

    name: ClassVar[str] = "storeys"

    def run(self, world: World, dt: float) -> None:
        """Write `space` and `plan` of `Storeyed`. For new actors, also write the goals in `Steering`."""
        found = list(world.query(Storeyed, Transforms))
        if not found or not _are_read(world, dt):
            return
        for _, (storeyed, transforms) in found:
            rows = unfold_crowd(storeyed, transforms)
            if storeyed.chooses_nearest and rows.size:
                take_nearest_goals(world, storeyed, rows)


def _are_read(world: World, dt: float) -> bool:
    """Return whether other systems read the points on the unfolded plan in this step.

    These systems read the points when actors decide, when the world measures congestion, on escalators and in lifts.
    """
    found = connections_of(world)
    if found is not None and any(own.belt or own.car for own in found.parts):
        return True
    if any(routing.congestion_interval for _, (routing,) in world.query(Routing)):
        return True
    return dt <= 0 or any(own.is_due for own in crowds_that_steer(world, dt))


def take_nearest_goals(world: World, storeyed: Storeyed, rows: Rows | None = None) -> None:
    """Give actors the goal with the shortest travel time over all levels. The default of `rows` is all actors."""
    for own in crowds_that_steer(world, 0.0):
        if own.storeyed is storeyed and own.steering.routes is not None and own.journeys is not None:
            chosen = np.arange(own.crowd.actor_count) if rows is None else rows
            take_goals(own, chosen, arrival_times(own, chosen).argmin(axis=0))
