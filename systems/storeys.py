"""Storeys: the system that finds the level or the flight of each actor, and the actor's point on the unfolded plan.

On the unfolded plan, all levels, landings and flights lie side by side.
"""

from typing import ClassVar

import numpy as np

from ecs_anim.components.spawner import Spawner
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.goal_choice import arrival_times, take_goals
from ecs_anim.systems.steering import crowds_that_steer
from ecs_anim.systems.unfolding import Rows, forget_strayed, unfold_crowd

BETWEEN = 1.0  # [s], time between two searches for actors outside their spaces


class FindSpaces(Forgetful):
    """Find the space of each actor in a world with levels: a level, a landing or a flight.

    New actors of a crowd with exit_choice = "nearest" take the goal with the shortest travel time.
    """

    name: ClassVar[str] = "storeys"

    def run(self, world: World, dt: float) -> None:
        """Write `space` and `plan` of `Storeyed`. For new actors, also write the goals in `Steering`."""
        is_due = int(world.time / BETWEEN) != int((world.time - dt) / BETWEEN)
        for entity, (storeyed, transforms) in world.query(Storeyed, Transforms):
            if is_due:
                spawner = world.find(entity, Spawner)
                forget_strayed(storeyed, transforms, spawner.lift if spawner else 0.0)
            rows = unfold_crowd(storeyed, transforms)
            if storeyed.chooses_nearest and rows.size:
                take_nearest_goals(world, storeyed, rows)


def take_nearest_goals(world: World, storeyed: Storeyed, rows: Rows | None = None) -> None:
    """Give actors the goal with the shortest travel time over all levels. The default of `rows` is all actors."""
    for own in crowds_that_steer(world, 0.0):
        if own.storeyed is storeyed and own.steering.routes is not None and own.journeys is not None:
            chosen = np.arange(own.crowd.actor_count) if rows is None else rows
            take_goals(own, chosen, arrival_times(own, chosen).argmin(axis=0))
