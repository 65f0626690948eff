"""Entrances and exits: free points in an area, and actors in an area. Plan coordinates: x east, y north [m]."""

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.types import COUNT, FLOATS_2D, OUT, OUT_BOOLS, REAL, REALS_2D, WALLS, void
from ecs_anim.kernels.walls import is_free, nearest_wall

TRIES = 16
APART = 0.05  # [m], least gap between the circles of two actors
PER_ONE = 2.0**-32


@inlined
def _is_inside(corners, x, y):
    """Return whether a point is inside a polygon: an odd number of the polygon's sides is to the left of the point."""
    inside, last = False, len(corners) - 1
    for number in range(len(corners)):
        (ax, ay), (bx, by) = (corners[last, 0], corners[last, 1]), (corners[number, 0], corners[number, 1])
        if (ay <= y) != (by <= y) and ax + (y - ay) / (by - ay) * (bx - ax) < x:
            inside = not inside
        last = number
    return inside


@kernel(void(REALS_2D, FLOATS_2D, OUT_BOOLS))
def are_inside(corners, translation, out):
    """Write to `out` [n] whether `translation` [n, 3] [m] is in the polygon with the corners [k, 2] [m]."""
    for number in range(len(translation)):
        out[number] = _is_inside(corners, translation[number, 0], -translation[number, 2])


@inlined
def _drawn(corners, first, second):
    """Return a point on a line or in the bounding box of a polygon for two random numbers, 0 to 1."""
    if len(corners) < 3:
        x, y, to = corners[0, 0], corners[0, 1], len(corners) - 1
        return x + first * (corners[to, 0] - x), y + first * (corners[to, 1] - y)
    low_x, low_y = high_x, high_y = corners[0, 0], corners[0, 1]
    for number in range(1, len(corners)):
        x, y = corners[number, 0], corners[number, 1]
        low_x, low_y, high_x, high_y = min(low_x, x), min(low_y, y), max(high_x, x), max(high_y, y)
    return low_x + first * (high_x - low_x), low_y + second * (high_y - low_y)


@inlined
def _has_room(taken, walls, x, y, radius):
    """Return whether an actor with the radius `radius` at x, y touches no wall and none of the actors in `taken`."""
    if not is_free(walls, x, y) or nearest_wall(walls, x, y)[2] < radius:
        return False
    for number in range(len(taken)):
        aside, onward = taken[number, 0] - x, taken[number, 1] - y
        least = taken[number, 2] + radius + APART
        if aside * aside + onward * onward < least * least:
            return False
    return True


@kernel(void(REALS_2D, FLOATS_2D, WALLS, COUNT, COUNT, COUNT, REAL, OUT))
def find_entrance(corners, taken, walls, seed, name, turn, radius, out):
    """Find a free point for an actor in an area. Write x and y of the point [m], and the number 1, to out [3]. Of up to
    TRIES random points, which depend only on `seed`, `name` and `turn`, the kernel takes the first with enough distance
    from `taken` [m, 3] (x, y and radius of actors) and from walls. Without such a point, out[2] is 0. `corners` [n, 2]
    [m] describes a polygon, a line or one point. `radius` [m] is the radius of the new actor.
    """
    out[2] = 0
    for number in range(TRIES):
        first = hashed(seed, name, (turn * TRIES + number) * 2) * PER_ONE
        second = hashed(seed, name, (turn * TRIES + number) * 2 + 1) * PER_ONE
        x, y = _drawn(corners, first, second)
        if len(corners) > 2 and not _is_inside(corners, x, y):
            continue
        if _has_room(taken, walls, x, y, radius):
            out[0], out[1], out[2] = x, y, 1
            return
