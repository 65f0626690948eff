"""Trails: the paths of actors during the last seconds."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.systems.crowd_handle import CrowdHandle
from ecs_anim.systems.queries import who_is_there

Reals = NDArray[np.float64]
Ids = NDArray[np.int64]
Places = tuple[Ids, Reals]  # ids [n], and points in space [n, 3] [m] on the ground

SECONDS = 4.0  # [s], length of a trail
EVERY = 0.1  # [s], time between two points of a trail
JUMP = 2.0  # [m]; if an actor moves farther between two points, its trail has a gap
EARLY = 1e-6  # [s], tolerance for rounded times


@dataclass
class Trails:
    """The positions of all actors during the last seconds, by actor id."""

    samples: deque[tuple[float, Places]] = field(default_factory=deque)  # rising times [s]

    def record(self, world: World) -> None:
        """If the last stored positions are old enough, store the present positions of all actors.

        If the world has gone back in time, forget the later positions.
        """
        while self.samples and self.samples[-1][0] > world.time:
            self.samples.pop()
        if self.samples and world.time - self.samples[-1][0] < EVERY - EARLY:
            return
        self.samples.append((world.time, places_of(world)))
        while world.time - self.samples[0][0] > SECONDS + EARLY:
            self.samples.popleft()

    def segments(self, now: float, places: Places) -> tuple[Reals, Reals, Reals, Ids]:
        """Return the trail segments of the actors in `places`.

        `places` has the ids and the points at the time `now` [s].

        The result contains the start [n, 3], the end [n, 3], the age [n] [s] and the actor id [n] of each segment.
        """
        ids, points = places
        times = np.array([*(time for time, _ in self.samples), now])
        table = np.stack([*(_points_of(ids, own) for _, own in self.samples), points])  # [time, actor, 3]
        begin, end = table[:-1], table[1:]
        step = end - begin
        drawn = np.sum(step * step, axis=-1) < JUMP * JUMP  # False also for NaN
        age = np.broadcast_to((now - times[:-1])[:, None], drawn.shape)
        return begin[drawn], end[drawn], age[drawn], np.broadcast_to(ids, drawn.shape)[drawn]


def places_of(world: World) -> Places:
    """Return the ids [n] of all actors in the scene in rising order, and their points on the ground [n, 3] [m]."""
    ids, points = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
    for entity, (crowd,) in world.query(Crowd):
        there = who_is_there(world, entity)
        ids.append(crowd.ids[there])
        points.append(CrowdHandle(world, entity).positions_in_space[there])
    found = np.concatenate(ids)
    order = np.argsort(found)
    return found[order], np.concatenate(points)[order]


def _points_of(ids: Ids, places: Places) -> Reals:
    """Return the points [n, 3] of the actors with the ids `ids` [n]. The points of unknown actors are NaN."""
    known, points = places
    if not len(known):
        return np.full((len(ids), 3), np.nan)
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where((known[at] == ids)[:, None], points[at], np.nan)
