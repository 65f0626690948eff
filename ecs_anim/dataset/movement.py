"""Positions and velocities of actors for labels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.movers import Movers
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.systems.actor_points import ground_points

Reals = NDArray[np.float64]
Rows = NDArray[np.int32]


@dataclass(frozen=True)
class Before:
    """The positions of all actors at an earlier time."""

    time: float  # [s], world time
    ids: NDArray[np.int64]  # [n], ascending
    points: Reals  # [n, 3] [m]


def positions_now(world: World) -> Before:
    """Return the present positions of all actors."""
    ids, points = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
    for entity, (crowd, _) in world.query(Crowd, Transforms):
        ids.append(crowd.ids)
        points.append(ground_points(world, entity))
    joined = np.concatenate(ids)
    order = np.argsort(joined)
    return Before(world.time, joined[order], np.concatenate(points)[order])


def velocities_of(world: World, entity: int, rows: Rows, before: Before | None) -> Reals:
    """Return the mean velocities of the actors in `rows` since `before`, [n, 3] [m/s].

    The velocity of an actor without an earlier position is NaN.
    """
    found = np.full((len(rows), 3), np.nan)
    if before is None or not len(before.ids) or world.time <= before.time:
        return found
    ids = world.get(entity, Crowd).ids[rows]
    at = np.searchsorted(before.ids, ids).clip(max=len(before.ids) - 1)
    known = before.ids[at] == ids
    moved = ground_points(world, entity, rows[known]) - before.points[at[known]]
    found[known] = moved / (world.time - before.time)
    return found


def speeds_of(world: World, entity: int, rows: Rows, velocities: Reals) -> Reals:
    """Return the speeds of actors on the plan, [n] [m/s].

    If the velocity of an actor is not known, the result is the speed of its component `Movers`, or NaN without it.
    """
    speeds = elementary.hypot(velocities[:, 0], velocities[:, 2])
    movers = world.find(entity, Movers)
    if movers is None:
        return speeds
    return np.where(np.isnan(speeds), elementary.hypot(*movers.velocity[rows].T.astype(np.float64)), speeds)
