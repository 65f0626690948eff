"""Jams: where people hardly get on, ways take longer; who may choose goes to another goal where that is quicker."""

from collections.abc import Sequence
from math import floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.routing import Routing
from ecs_anim.ecs.world import World
from ecs_anim.maths.small_matrices import length
from ecs_anim.routing.grid import ease_about
from ecs_anim.steering.columns import ARRIVED, WAITS
from ecs_anim.steering.groups import of_first
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.goal_choice import arrival_times, take_goals
from ecs_anim.systems.routing import make_routes
from ecs_anim.systems.steering import EARLY, Steered, crowds_that_steer
from ecs_anim.walls.walls import to_plan

WORTH = 0.8  # of the time that is left, less than which another goal must take
MUCH = 0.5  # the same, of those whose turn it is not: who has just come, or finds a door closed
PARTS = 4  # of a crowd that look for another goal in turn: else all would turn round at once


class WatchJams(Forgetful):
    """Look where people hardly get on, now and then, and have ways heed it from then on."""

    name: ClassVar[str] = "jams"

    def run(self, world: World, dt: float) -> None:
        """Write `ease` of `Routing`, and of `Steering` goals and waypoints of those who choose the quickest."""
        routing = next((found for _, (found,) in world.query(Routing)), None)
        if routing is None or not routing.jams or dt <= 0:
            return
        looks = floor(world.time / routing.jams + EARLY) + 1
        if looks <= routing.looks:
            return
        crowds = list(crowds_that_steer(world, dt))
        is_first = routing.looks == 0  # nobody has set off
        if not is_first:
            routing.ease = _ease(routing, crowds)
        routing.looks, routing.rounds = looks, routing.rounds + 1
        make_routes(world)
        for own in crowds:
            if own.steering.quickest and own.crowd.actor_count:
                _choose_quickest(own, PARTS if is_first else 1, routing.rounds)


def _ease(routing: Routing, crowds: Sequence[Steered]) -> NDArray[np.float32]:
    """What share of the speed they want people get [cell], halfway from what it was before."""
    points = np.concatenate([to_plan(own.transforms.translation) for own in crowds])
    wanted = np.concatenate([own.steering.way[:, 2] for own in crowds])
    speed = length(np.concatenate([own.movers.velocity for own in crowds]))
    share = np.where(wanted > 0, np.minimum(speed / np.where(wanted > 0, wanted, 1), 1), 0)  # who waits is in the way
    return np.float32(0.5) * (routing.ease + ease_about(routing.grid, points, share))


def _choose_quickest(own: Steered, parts: int, rounds: int) -> None:
    """Send actors, when it is their turn, to another goal that is quicker by a fifth; groups go together."""
    journeys, chosen, everybody = own.journeys, own.steering.waypoint, np.arange(own.crowd.actor_count)
    assert journeys is not None  # there are several goals
    times = arrival_times(own, everybody)
    best = times.argmin(axis=0).astype(np.int32)
    worth = np.where((own.crowd.ids + rounds) % PARTS < parts, WORTH, MUCH)
    changes = (chosen >= 0) & (times[best, everybody] < worth * times[chosen, everybody])
    if own.groups is not None:
        first = of_first(own.groups.number)
        changes, best = changes[first], best[first]
    rows = np.flatnonzero(changes & (chosen >= 0) & ~np.isin(journeys.stage, (WAITS, ARRIVED)))
    take_goals(own, rows, best[rows])
