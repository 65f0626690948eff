"""Contacts: whom agents see, how near they are, and velocities that lead into nobody and no wall."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.lanes import borrowed, eight, put, splat_eight
from ecs_anim.kernels.masks import chosen, least, least_of, most
from ecs_anim.kernels.neighbours import (
    LANE,
    NOWHERE,
    ONE_NUMBER,
    OTHER_NUMBER,
    REACH,
    ROWS,
    TO_Y,
    TOUCHING,
    WITH_VX,
    WITH_VY,
    describe,
    find_near,
)
from ecs_anim.kernels.sight import seen_of
from ecs_anim.kernels.steering_walls import held_off, let_out
from ecs_anim.kernels.walls import is_free, nearest_wall
from ecs_anim.steering.agents import RADIUS, X, Y

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
FAR = np.float32(1e9)  # [m]
FASTEST_PUSH = np.float32(0.5)  # [m/s], at which those who overlap part
FULL_TURN = 2 * np.pi / 2**32  # [rad], of 32 bits


@inlined
def offset_of(near, number):
    """Where a neighbour is [m], and how far away, which is never 0."""
    x, y = near[uint64(number)], near[uint64(number + TO_Y)]
    size = np.sqrt(x * x + y * y)
    return x, y, (size if size > NOWHERE else NOWHERE)


@inlined
def offsets_of(near, number):
    """The same of eight neighbours, from one on; behind the last one they are nobody's."""
    x, y = eight(near, number), eight(near, number + TO_Y)
    return x, y, most(np.sqrt(x * x + y * y), NOWHERE)


@helper
def any_way(seed, name, turn):
    """A direction, by chance."""
    sine, cosine = sin_cos(hashed(seed, name, turn) * FULL_TURN)
    return np.float32(cosine), np.float32(sine)


@inlined
def look(agents, cells, walls, at, near):
    """Note whom one of the sorted agents sees; how many that are, and how far the nearest wall is [m]."""
    seen = agents[0]
    x, y = np.float64(seen[uint64(at), X]), np.float64(seen[uint64(at), Y])
    rows = borrowed(near)[ROWS:].view(np.int32)
    found = find_near(seen, cells, at, rows)
    far = np.float32(nearest_wall(walls, x, y)[2])
    if far < REACH:
        found = seen_of(walls, cells[4], at, far, rows, near, found)
    describe(seen, at, rows, found, near)
    return found, far


@inlined
def gaps(near, found, ex, ey, soon):
    """How far agents can go where they face until they touch somebody, and the least gap to anybody [m].

    Others count as ahead where they are, and where they will be `soon` [s].
    """
    lane, ahead, nearest = eight(LANE, 0), splat_eight(FAR), splat_eight(FAR)
    for number in range(0, found, 8):
        x, y, size = offsets_of(near, number)
        touching = eight(near, number + TOUCHING)
        x_then, y_then = x + soon * eight(near, number + WITH_VX), y + soon * eight(near, number + WITH_VY)
        size_then = np.sqrt(x_then * x_then + y_then * y_then)
        now = (ex * x + ey * y >= ZERO) & (abs(ex * y - ey * x) <= touching)
        then = (ex * x_then + ey * y_then >= ZERO) & (abs(ex * y_then - ey * x_then) <= touching)
        gap = size - touching
        gap_ahead = least(chosen(now, gap, FAR), chosen(then, size_then - touching, FAR))
        put(near, number + ONE_NUMBER, gap_ahead)
        put(near, number + OTHER_NUMBER, gap)
        is_one = lane < np.float32(found - number)
        ahead, nearest = least(ahead, chosen(is_one, gap_ahead, FAR)), least(nearest, chosen(is_one, gap, FAR))
    return least_of(ahead), least_of(nearest)


@helper
def _part(near, found, seed, name, turn, dt):
    """The velocity [m/s] that takes an agent out of others, half the way, as they go the other half."""
    vx, vy = ZERO, ZERO
    for number in range(found):
        overlap = -near[uint64(number + OTHER_NUMBER)]
        if overlap > ZERO:
            x, y, size = offset_of(near, number)
            if size <= NOWHERE:
                x, y = any_way(seed, name, turn)
                size = ONE
            push = HALF * overlap / (size * dt)
            vx, vy = vx - push * x, vy - push * y
    speed = np.sqrt(vx * vx + vy * vy)
    share = FASTEST_PUSH / speed if speed > FASTEST_PUSH else ONE
    return share * vx, share * vy


@inlined
def _held_clear(near, found, vx, vy, dt):
    """A velocity [m/s] that closes at most half of the gap to each neighbour, who may close the other half."""
    for number in range(found):
        x, y, size = offset_of(near, number)
        gap = near[uint64(number + OTHER_NUMBER)]
        most = HALF * gap / dt if gap > ZERO else ZERO
        beyond = (vx * x + vy * y) / size - most
        if beyond > ZERO:
            vx, vy = vx - beyond * x / size, vy - beyond * y / size
    return vx, vy


@helper
def _short_of(near, found, vx, vy, dt):
    """A velocity [m/s], slower where it closes more than half of the gap to a neighbour."""
    share = ONE
    for number in range(found):
        x, y, size = offset_of(near, number)
        gap, onward = near[uint64(number + OTHER_NUMBER)], (vx * x + vy * y) / size * dt
        most = HALF * gap if gap > ZERO else ZERO
        if onward > most:
            share = min(share, most / onward)
    return share * vx, share * vy


@inlined
def kept_clear(near, found, walls, far, seen, velocity, least, chance, dt):
    """A velocity vx, vy, speed [m/s] without what leads into walls, or others, the nearest of whom is `least` away."""
    vx, vy, speed = velocity
    seed, name, turn = chance
    x, y = np.float64(seen[X]), np.float64(seen[Y])
    if least < (speed + speed) * dt:
        vx, vy = _held_clear(near, found, vx, vy, dt)
    if least < ZERO:
        push_x, push_y = _part(near, found, seed, name, turn, dt)
        vx, vy = vx + push_x, vy + push_y
    if far < seen[RADIUS] and not is_free(walls, x, y):
        vx, vy = let_out(walls, x, y)
    elif far < REACH:
        to_x, to_y = held_off(walls, x, y, vx, vy, seen[RADIUS], dt)
        is_turned = to_x != vx or to_y != vy  # along a wall, maybe into others
        vx, vy = to_x, to_y
        if is_turned and far >= seen[RADIUS] and least < (speed + speed) * dt:
            vx, vy = _short_of(near, found, vx, vy, dt)
    return vx, vy
