"""Effects of walls on agents: directions turn along walls, and velocities never lead through walls."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.elementary import short_exp
from ecs_anim.kernels.walls import nearest_of, nearest_wall, walls_about

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
AWAY = np.float32(0.3)  # weight of the direction away from a wall; the weight of the agent's direction is 1
NOWHERE = np.float32(1e-6)  # [m] from a wall; a nearer agent is on the wall
FASTEST = np.float32(0.5)  # [m/s], highest speed of agents that leave a wall


@inlined
def _inward(walls, segment):
    """Return the unit normal of a wall segment. The normal points to the left of the segment, the walkable side."""
    along_x = walls.segments[uint64(segment), 1, 0] - walls.segments[uint64(segment), 0, 0]
    along_y = walls.segments[uint64(segment), 1, 1] - walls.segments[uint64(segment), 0, 1]
    length = np.sqrt(along_x * along_x + along_y * along_y)
    return -along_y / length, along_x / length


@inlined
def _away(walls, number, is_listed, x, y):
    """Return the unit vector from a wall segment to a point, and their distance [m]. `number` and `is_listed` come from
    `walls_about`. On the segment, the vector is the left normal of the segment.
    """
    at_x, at_y, squared, segment = nearest_of(walls, number, is_listed, x, y)
    distance = np.float32(np.sqrt(squared))
    if distance < NOWHERE:
        left_x, left_y = _inward(walls, segment)
        return left_x, left_y, distance
    return np.float32(x - at_x) / distance, np.float32(y - at_y) / distance, distance


@helper
def turned_along(walls, x, y, ex, ey, clearance):
    """Turn the direction ex, ey parallel to walls within twice the clearance [m], and slightly away from the walls."""
    first, end, is_listed = walls_about(walls, x, y)
    for number in range(first, end):
        mx, my, distance = _away(walls, number, is_listed, x, y)
        share = (TWO * clearance - distance) / clearance
        if share > ZERO:
            into = -(ex * mx + ey * my)
            push = (share if share < ONE else ONE) * (AWAY + (into if into > ZERO else ZERO))
            ex, ey = ex + push * mx, ey + push * my
    return ex, ey


@helper
def repelled_by(walls, x, y, radius, strength, reach):
    """Return the sum of the pushes away from all walls. A push falls by a factor of e for each `reach` [m]."""
    push_x, push_y = ZERO, ZERO
    first, end, is_listed = walls_about(walls, x, y)
    for number in range(first, end):
        mx, my, distance = _away(walls, number, is_listed, x, y)
        push = strength * short_exp((radius - distance) / reach)
        push_x, push_y = push_x + push * mx, push_y + push * my
    return push_x, push_y


@helper
def held_off(walls, x, y, vx, vy, radius, dt):
    """Return a velocity [m/s] with which the agent stays or comes at least one radius [m] away from walls."""
    first, end, is_listed = walls_about(walls, x, y)
    for number in range(first, end):
        mx, my, distance = _away(walls, number, is_listed, x, y)
        least = (radius - distance) / dt  # [m/s], least speed away from the wall
        least = least if least < FASTEST else FASTEST
        more = least - (vx * mx + vy * my)
        if more > ZERO:
            vx, vy = vx + more * mx, vy + more * my
    return vx, vy


@helper
def let_out(walls, x, y):
    """Return the velocity [m/s] with which an agent inside a wall leaves the wall on the shortest way."""
    at_x, at_y, distance, segment = nearest_wall(walls, x, y)
    if distance < NOWHERE:
        out_x, out_y = _inward(walls, segment)
        return FASTEST * out_x, FASTEST * out_y
    return FASTEST * np.float32((at_x - x) / distance), FASTEST * np.float32((at_y - y) / distance)
