"""Rays on the plan, for range sensors: the first wall, prop, person or external agent that each ray hits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.ecs.world import World
from ecs_anim.external.records import KINDS
from ecs_anim.maths.small_matrices import length
from ecs_anim.support.arguments import array_of, number, numbers
from ecs_anim.support.checked import checked
from ecs_anim.systems.external_agents import discs_of, mark_props, walls_of
from ecs_anim.systems.helpers import share_rows

RANGE = 30.0  # [m], default range of sensors
FARTHEST = 1e5  # [m], largest range of sensors
PART = 4096  # least number of rays that a thread casts in one call


class RayHits(NamedTuple):
    """The first object on each of m rays from each of n points."""

    distance: NDArray[np.float64]  # [n, m], [m]; the range of the sensor for rays without a hit
    kind: NDArray[np.int32]  # [n, m], index in ("person", "wall", "prop", "agent"); -1 = no hit
    other: NDArray[np.int64]  # [n, m], id of the person or agent, or number of the wall segment; -1 = no hit

    def is_a(self, kind: str) -> NDArray[np.bool_]:
        """Return whether each ray hits an object of a kind, [n, m]. Raises ValueError for an unknown kind."""
        return self.kind == KINDS.index(kind)


@checked
def cast_rays(world: World, origins: ArrayLike, directions: ArrayLike, range_m: float = RANGE) -> RayHits:
    """Return the first wall, prop, person or external agent on rays from plan points `origins` [n, 2] [m].

    `directions` [n, m, 2] are vectors on the plan of any length. People are discs with the radius of their steering, or
    0.15 m. Only props with `obstacle = true` stop rays. Raises ValueError if a shape is wrong or a direction is 0.
    """
    points = array_of("origins", numbers("origins", origins), 2)
    ways = array_of("directions", numbers("directions", directions), 2)
    if points.ndim != 2 or ways.ndim != 3 or len(ways) != len(points):
        shapes = f"{[*points.shape]} and {[*ways.shape]}"
        raise ValueError(f"origins must have shape [n, 2], and directions [n, m, 2] (got {shapes}). Add the axes.")
    size = length(ways)[..., None]
    if not size.all():
        raise ValueError("directions must have a length of more than 0 (got 0). Leave out these rays.")
    return hits(world, points, ways / size, range_m, np.full(len(points), -1, np.int32))


def hits(
    world: World,
    origins: NDArray[np.float64],
    directions: NDArray[np.float64],
    range_m: float,
    without: NDArray[np.int32],
    rooms: NDArray[np.int32] | None = None,
) -> RayHits:
    """Return the first object on each ray, as `cast_rays` does. `directions` are unit vectors.

    Rays from point i do not hit the external agent `without[i]`, a number over all agents of the world. They are in the
    room `rooms[i]`, by default the first room.
    """
    from ecs_anim.kernels import rays  # compiled at first use

    reach, shape = number("range_m", range_m, 1e-3, FARTHEST), directions.shape[:2]
    room = np.zeros(len(origins), np.int32) if rooms is None else rooms
    points = without, room, np.ascontiguousarray(origins), np.ascontiguousarray(directions)
    objects = walls_of(world), discs_of(world)
    found = RayHits(np.empty(shape), np.empty(shape, np.int32), np.empty(shape, np.int64))

    def cast(_: int, part: slice) -> None:
        rays.cast_rays(*objects, *(own[part] for own in points), reach, *(column[part] for column in found))

    share_rows(world, len(origins), max(PART // max(shape[1], 1), 1), cast)
    mark_props(world, found.kind, found.other)
    return found
