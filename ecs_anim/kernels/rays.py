"""Rays on the plan: the first wall, person or external agent that each ray hits. Plan coordinates [m]."""

import numpy as np
from numba import uint64

from ecs_anim.external.records import AGENT, D_RADIUS, D_X, D_Y, PERSON, WALL
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.grid_lines import begin_at, next_cell, number_of, part_in_grid
from ecs_anim.kernels.types import (
    DISCS,
    INTS,
    OUT_INTS_2D,
    OUT_LONGS_2D,
    OUT_REALS_2D,
    REAL,
    REALS_2D,
    REALS_3D,
    WALLS,
    void,
)
from ecs_anim.kernels.walls import ROUNDING, nearest_wall
from ecs_anim.walls.arrays import CROSSING


@inlined
def _hit_segment(segments, segment, px, py, dx, dy):
    """Return the distance [m] along a ray to a segment, or inf."""
    to_x, to_y = segments[segment, 0, 0] - px, segments[segment, 0, 1] - py
    along_x = np.float64(segments[segment, 1, 0]) - segments[segment, 0, 0]
    along_y = np.float64(segments[segment, 1, 1]) - segments[segment, 0, 1]
    across = dx * along_y - dy * along_x
    if across == 0.0:
        return np.inf
    distance, share = (to_x * along_y - to_y * along_x) / across, (to_x * dy - to_y * dx) / across
    return distance if distance >= 0.0 and 0.0 <= share <= 1.0 else np.inf


@helper
def _first_wall(walls, px, py, dx, dy, free, reach):
    """Return the distance [m] to the first wall on a ray, and its segment, or `reach` and -1. No wall is nearer to the
    start than `free` [m].
    """
    best, found = reach, -1
    begin, end = part_in_grid(walls, px, py, dx * reach, dy * reach)
    begin, end = max(begin * reach, free), end * reach
    if begin > end or walls.columns == 0:
        return best, found
    cell, ahead, steps = begin_at(walls, px, py, dx, dy, begin)
    number = number_of(walls, cell)
    while number >= 0:
        for entry in range(walls.starts[CROSSING, uint64(number)], walls.starts[CROSSING, uint64(number + 1)]):
            segment = walls.entries[uint64(entry)]
            distance = _hit_segment(walls.segments, uint64(segment), px, py, dx, dy)
            if distance < best:
                best, found = distance, int(segment)
        if min(ahead[0], ahead[1]) > min(best, end):
            break
        cell, ahead = next_cell(cell, ahead, steps)
        number = number_of(walls, cell)
    return best, found


@inlined
def _hit_disc(to_x, to_y, radius, dx, dy):
    """Return the distance [m] along a ray to a disc at an offset: 0 inside of the disc, inf without a hit."""
    along, squared = to_x * dx + to_y * dy, to_x * to_x + to_y * to_y
    half = radius * radius - (squared - along * along)
    if half < 0.0:  # first, because it is true for nearly all rays
        return np.inf
    if squared <= radius * radius:
        return 0.0
    return along - np.sqrt(half) if along > 0.0 else np.inf


@kernel(void(WALLS, DISCS, INTS, INTS, REALS_2D, REALS_3D, REAL, OUT_REALS_2D, OUT_INTS_2D, OUT_LONGS_2D))
def cast_rays(walls, discs, without, rooms, origins, directions, reach, out_distance, out_kind, out_other):
    """Write the first object on each ray: its distance [n, m] [m], its kind, and its segment or id. Without an object
    within `reach` [m], the distance is `reach`, and the kind and the other number are -1. `origins` are [n, 2], and the
    unit vectors `directions` are [n, m, 2]. Rays from origin i hit only discs of the room `rooms[i]`, and no discs with
    the owner `without[i]`, unless it is -1.
    """
    for origin in range(origins.shape[0]):
        px, py = origins[origin, 0], origins[origin, 1]
        free = nearest_wall(walls, px, py)[2] - ROUNDING
        for ray in range(directions.shape[1]):
            dx, dy = directions[origin, ray, 0], directions[origin, ray, 1]
            distance, segment = _first_wall(walls, px, py, dx, dy, free, reach)
            out_distance[origin, ray], out_other[origin, ray] = distance, segment
            out_kind[origin, ray] = WALL if segment >= 0 else -1
        for disc in range(discs.first[rooms[origin]], discs.first[rooms[origin] + 1]):
            to_x, to_y, radius = (
                discs.circle[disc, D_X] - px,
                discs.circle[disc, D_Y] - py,
                discs.circle[disc, D_RADIUS],
            )
            owner, most = discs.owner[disc], reach + radius
            if (owner >= 0 and owner == without[origin]) or to_x * to_x + to_y * to_y > most * most:
                continue
            for ray in range(directions.shape[1]):
                distance = _hit_disc(to_x, to_y, radius, directions[origin, ray, 0], directions[origin, ray, 1])
                if distance < out_distance[origin, ray]:
                    out_distance[origin, ray], out_other[origin, ray] = distance, discs.ids[disc]
                    out_kind[origin, ray] = PERSON if owner < 0 else AGENT
