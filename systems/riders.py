"""Riders: the actors of a world with levels that moving steps, lifts and closed connections can move or stop."""

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
from ecs_anim.maths.plan import mirrored, plan_from_space

Reals = NDArray[np.float64]
HASH = 2654435761  # factor of a hash of actor ids (Knuth)
Found = list[tuple[int, tuple[Any, ...]]]  # entity, and crowd, spaces, steering, movers and transforms


class Riders(NamedTuple):
    """The riders of a world with levels, from all crowds.

    The arrays have one row per actor. Coordinates are x east, y north.
    """

    at: Reals  # [n, 2] [m], positions on the plan of the building
    velocity: Reals  # [n, 2] [m/s], the function that carries actors writes this array
    height: Reals  # [n] [m], height of the feet
    space: NDArray[np.int32]  # [n]
    walks: Reals  # [n], 0 to 1; an actor walks on moving steps whose `walking_share` is larger
    carried: Reals  # [n, 3], velocity of the steps and their height, as in `Storeyed.carried` but on the plan
    row: NDArray[np.int32]  # [n], row of the actor in its crowd
    parts: tuple[slice, ...]  # the riders of each crowd


class Zones(NamedTuple):
    """The places in which actors are riders: boxes in front of ends of connections, and whole spaces."""

    ends: Reals  # [end, `END_COLUMNS`], boxes in front of ends
    rides: NDArray[np.bool_]  # [space], true = all actors in the space are riders


_NONE = Riders(
    np.zeros((0, 2)),
    np.zeros((0, 2)),
    np.zeros(0),
    np.zeros(0, np.int32),
    np.zeros(0),
    np.zeros((0, 3)),
    np.zeros(0, np.int32),
    (),
)


def steered_riders(world: World) -> Found:
    """Return the crowds of steered actors in a world with levels."""
    return list(world.query(Crowd, Storeyed, Steering, Movers, Transforms))


def join_riders(world: World, crowds: Found, zones: Zones, dt: float) -> Riders:
    """Return the positions and velocities of all riders on the plan of the building."""
    from ecs_anim.kernels.riders import find_riders  # compiled at first use

    found: list[tuple[NDArray[Any], ...]] = []
    parts: list[slice] = []
    begin = 0
    for entity, (crowd, storeyed, _, movers, transforms) in crowds:
        rows = np.empty(crowd.actor_count, np.int32)
        said = storeyed.space, transforms.translation, movers.velocity, storeyed.carried
        count = find_riders(*said, zones.ends, zones.rides, dt, rows)
        if count:
            footing = world.find(entity, Footing)
            offset = footing.offset if footing else 0.0
            found.append(_riders_of(crowd, storeyed, movers, transforms, offset, rows[:count]))
        parts.append(slice(begin, begin + count))
        begin += count
    if not found:
        return _NONE._replace(parts=tuple(parts))
    at, velocity, height, space, walks, carried, row = (np.concatenate(own) for own in zip(*found, strict=True))
    return Riders(at, velocity, height, space, walks, carried, row, tuple(parts))


def _riders_of(
    crowd: Crowd, storeyed: Storeyed, movers: Movers, transforms: Transforms, offset: float, rows: NDArray[np.int32]
) -> tuple[NDArray[Any], ...]:
    """Return the arrays of `Riders` for some rows of a crowd. `offset` [m] is the height of roots above the feet."""
    at, steps = transforms.translation[rows].astype(np.float64), storeyed.carried[rows, 2].astype(np.float64)
    height = np.where(np.isnan(steps), at[:, 1] - offset, steps)
    walks = (crowd.ids[rows].astype(np.int64) * HASH % 2**32) / 2**32
    velocity = mirrored(movers.velocity[rows].astype(np.float64))
    return plan_from_space(at), velocity, height, storeyed.space[rows], walks, np.full((len(at), 3), np.nan), rows


def give_back(world: World, crowds: Found, riders: Riders, dt: float) -> None:
    """Write the velocities of actors, and move the feet of carried bodies with the steps."""
    for (entity, (_, storeyed, steering, movers, _)), part in zip(crowds, riders.parts, strict=True):
        storeyed.has_carried = part.start < part.stop  # each carried actor is a rider
        if not storeyed.has_carried:
            continue
        rows, velocity, carried = riders.row[part], riders.velocity[part], riders.carried[part]
        movers.velocity[rows] = mirrored(velocity)
        storeyed.carried[rows] = np.concatenate([mirrored(carried[:, :2]), carried[:, 2:]], axis=1)
        storeyed.space[rows] = riders.space[part]
        chosen = rows[~np.isnan(carried[:, 2])]
        steering.stuck[chosen] = 0.0
        body = world.find(entity, Body)
        if body is not None and chosen.size:
            _shift(body, chosen, storeyed.carried[chosen, :2] * np.float32(dt))


def _shift(body: Body, rows: NDArray[np.int32], by: NDArray[np.float32]) -> None:
    """Move bodies and their feet by vectors x, z [n, 2] [m]."""
    walk, feet = body.state.walk, body.state.feet
    for x, z in ((X, Z), (ROOT_X, ROOT_Z)):
        walk[rows, x] += by[:, 0]
        walk[rows, z] += by[:, 1]
    for place in (FROM, TO):
        feet[rows, :, place] += by[:, :1]
        feet[rows, :, place + 1] += by[:, 1:]
