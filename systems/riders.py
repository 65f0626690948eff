"""Riders: all actors of a world with levels, for the systems that carry actors on escalators and in lifts."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.state import FROM, ROOT_X, ROOT_Z, TO, X, Z
from ecs_anim.components.body import Body
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.footing import Footing
from ecs_anim.components.movers import Movers
from ecs_anim.components.steering import Steering
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World

Reals = NDArray[np.float64]
Rows = NDArray[np.intp]
HASH = 2654435761  # factor of a hash of actor ids (Knuth)
Found = list[tuple[int, tuple[Any, ...]]]  # entity, and crowd, spaces, steering, movers and transforms


class Riders(NamedTuple):
    """All actors of a world with levels, one row per actor. Coordinates are x east, y north."""

    at: Reals  # [n, 2] [m]
    velocity: Reals  # [n, 2] [m/s], the function that carries actors writes this array
    height: Reals  # [n] [m], height of the feet
    space: NDArray[np.int32]  # [n]
    walks: Reals  # [n], 0 to 1; an actor walks on moving steps whose `walking_share` is larger
    carried: Reals  # [n, 3], velocity of the steps and their height, as in `Storeyed.carried` but on the plan


def steered_riders(world: World) -> Found:
    """Return the crowds of steered actors in a world with levels."""
    return list(world.query(Crowd, Storeyed, Steering, Movers, Transforms))


def join_riders(world: World, crowds: Found) -> Riders:
    """Return the positions and velocities of all actors on the plan of the building."""
    parts = []
    for entity, (crowd, storeyed, _, movers, transforms) in crowds:
        footing = world.find(entity, Footing)
        offset, at = footing.offset if footing else 0.0, transforms.translation.astype(np.float64)
        carried = storeyed.carried.astype(np.float64)
        height = np.where(np.isnan(carried[:, 2]), at[:, 1] - offset, carried[:, 2])
        walks = (crowd.ids.astype(np.int64) * HASH % 2**32) / 2**32
        velocity = movers.velocity.astype(np.float64)
        velocity[:, 1] = 0.0 - velocity[:, 1]
        plan = np.stack([at[:, 0], 0.0 - at[:, 2]], axis=1)
        parts.append((plan, velocity, height, storeyed.space, walks, np.full((len(at), 3), np.nan)))
    return Riders(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def give_back(world: World, crowds: Found, riders: Riders, dt: float) -> None:
    """Write the velocities of actors, and move the feet of carried bodies with the steps."""
    begin = 0
    for entity, (crowd, storeyed, steering, movers, _) in crowds:
        rows = slice(begin, begin + crowd.actor_count)
        begin = rows.stop
        velocity, carried = riders.velocity[rows], riders.carried[rows]
        movers.velocity[:, 0], movers.velocity[:, 1] = velocity[:, 0], 0.0 - velocity[:, 1]
        storeyed.carried[:, 0], storeyed.carried[:, 1] = carried[:, 0], 0.0 - carried[:, 1]
        storeyed.carried[:, 2] = carried[:, 2]
        storeyed.space[:] = riders.space[rows]
        chosen = np.flatnonzero(~np.isnan(carried[:, 2]))
        steering.stuck[chosen] = 0.0
        body = world.find(entity, Body)
        if body is not None and chosen.size:
            _shift(body, chosen, storeyed.carried[chosen, :2] * np.float32(dt))


def _shift(body: Body, rows: Rows, by: NDArray[np.float32]) -> None:
    """Move bodies and their feet by vectors x, z [n, 2] [m]."""
    walk, feet = body.state.walk, body.state.feet
    for x, z in ((X, Z), (ROOT_X, ROOT_Z)):
        walk[rows, x] += by[:, 0]
        walk[rows, z] += by[:, 1]
    for place in (FROM, TO):
        feet[rows, :, place] += by[:, :1]
        feet[rows, :, place + 1] += by[:, 1:]
