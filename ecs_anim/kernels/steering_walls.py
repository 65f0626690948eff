"""What walls do to agents who steer: they turn along them, and never go through."""

import numpy as np

from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.elementary import short_exp
from ecs_anim.kernels.walls import nearest_of, walls_about

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
AWAY = np.float32(0.3)  # from a wall, beside 1 of where the agent goes
NOWHERE = np.float32(1e-6)  # [m], nearer than which nobody can say on which side of a wall they are
FASTEST = np.float32(0.5)  # [m/s], at which those who stand in a wall come out


@inlined
def _away(walls, number, is_listed, x, y):
    """The direction away from one of `walls_about`, and its distance [m]; 0 and 0 for those who stand on it."""
    at_x, at_y, squared, _ = nearest_of(walls, number, is_listed, x, y)
    distance = np.float32(np.sqrt(squared))
    if distance < NOWHERE:
        return ZERO, ZERO, ZERO
    return np.float32(x - at_x) / distance, np.float32(y - at_y) / distance, distance


@helper
def turned_along(walls, x, y, ex, ey, keeps):
    """Where an agent goes who keeps a distance [m] from walls: no longer into them, and a little away."""
    first, end, is_listed = walls_about(walls, x, y)
    for number in range(first, end):
        mx, my, distance = _away(walls, number, is_listed, x, y)
        share = (TWO * keeps - distance) / keeps
        if share > ZERO:
            into = -(ex * mx + ey * my)
            push = (share if share < ONE else ONE) * (AWAY + (into if into > ZERO else ZERO))
            ex, ey = ex + push * mx, ey + push * my
    return ex, ey


@helper
def repelled_by(walls, x, y, radius, strength, reach):
    """The sum of what pushes an agent away from walls (collision-free speed)."""
    push_x, push_y = ZERO, ZERO
    first, end, is_listed = walls_about(walls, x, y)
    for number in range(first, end):
        mx, my, distance = _away(walls, number, is_listed, x, y)
        push = strength * short_exp((radius - distance) / reach)
        push_x, push_y = push_x + push * mx, push_y + push * my
    return push_x, push_y


@helper
def held_off(walls, x, y, vx, vy, radius, dt):
    """A velocity [m/s] that brings nobody nearer to a wall than their radius [m], and out where they are nearer."""
    first, end, is_listed = walls_about(walls, x, y)
    for number in range(first, end):
        mx, my, distance = _away(walls, number, is_listed, x, y)
        least = (radius - distance) / dt  # away from the wall
        least = least if least < FASTEST else FASTEST
        more = least - (vx * mx + vy * my)
        if more > ZERO:
            vx, vy = vx + more * mx, vy + more * my
    return vx, vy
