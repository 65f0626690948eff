"""Congestion: the system increases the travel time of a route if slow actors are on the route.

If a travel time increases, actors that can choose the goal with the shortest travel time can change their goal.
"""

from collections.abc import Sequence
from math import floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.routing import Routing
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.maths.small_matrices import length
from ecs_anim.routing.grid import ease_about
from ecs_anim.steering.columns import ARRIVED, WAITS
from ecs_anim.steering.groups import of_first
from ecs_anim.steering.rooms import EARLY
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.goal_choice import known_times, take_goals
from ecs_anim.systems.routing import make_routes
from ecs_anim.systems.steering import Steered, crowds_that_steer

# In each round, a part of the actors changes goals for a small gain: if the travel time to the new goal is below this
# fraction of the travel time to the old goal.
WORTH = 0.8
MUCH = 0.5  # the fraction for all other actors in this round
# number of parts: each part changes goals for a small gain in another round; otherwise, all actors would turn together
PARTS = 4


class MeasureCongestion(Forgetful):
    """Measure the congestion at regular intervals, and update the routes."""

    name: ClassVar[str] = "congestion"

    def run(self, world: World, dt: float) -> None:
        """Write the speed ratios `ease` of `Routing`. If actors choose the quickest goal, write `Steering`."""
        routing = next((found for _, (found,) in world.query(Routing)), None)
        if routing is None or not routing.congestion_interval or dt <= 0:
            return
        looks = floor(world.time / routing.congestion_interval + EARLY) + 1
        if looks <= routing.looks:
            return
        crowds = list(crowds_that_steer(world, dt))
        is_first = routing.looks == 0  # no actor has started to walk
        if not is_first:
            routing.ease = _ease(routing, crowds)
        routing.looks, routing.rounds = looks, routing.rounds + 1
        make_routes(world)
        for own in crowds:
            if own.steering.quickest and own.crowd.actor_count:
                _choose_quickest(own, PARTS if is_first else 1, routing.rounds)


def _ease(routing: Routing, crowds: Sequence[Steered]) -> NDArray[np.float32]:
    """Return the ratio of actual to desired walking speed near each cell, [cell].

    The result is the mean of the previous ratio and the measured ratio.
    """
    points = np.concatenate([plan_from_space(own.transforms.translation) for own in crowds])
    wanted = np.concatenate([own.steering.way[:, 2] for own in crowds])
    speed = length(np.concatenate([own.movers.velocity for own in crowds]))
    # waiting actors count as obstacles
    share = np.where(wanted > 0, np.minimum(speed / np.where(wanted > 0, wanted, 1), 1), 0)
    return np.float32(0.5) * (routing.ease + ease_about(routing.grid, points, share))


def _choose_quickest(own: Steered, parts: int, rounds: int) -> None:
    """Change the goals of actors to goals that they reach earlier. Members of a group keep a common goal.

    In each round, a different fourth of the actors can change goals for a small gain. An actor of the selected fourth
    changes its goal if the travel time to another goal is shorter by a fifth. All other actors change their goal only
    if the travel time to another goal is shorter by half.
    """
    journeys, chosen, everybody = own.journeys, own.steering.waypoint, np.arange(own.crowd.actor_count)
    assert journeys is not None  # the crowd has several goals
    times = known_times(own, everybody)
    best = times.argmin(axis=0).astype(np.int32)
    worth = np.where((own.crowd.ids + rounds) % PARTS < parts, WORTH, MUCH)
    changes = (chosen >= 0) & (times[best, everybody] < worth * times[chosen, everybody])
    if own.groups is not None:
        first = of_first(own.groups.number)
        changes, best = changes[first], best[first]
    rows = np.flatnonzero(changes & (chosen >= 0) & ~np.isin(journeys.stage, (WAITS, ARRIVED)))
    take_goals(own, rows, best[rows])
