"""Contacts between agents: visible neighbours, the gaps to these neighbours, and velocities without collisions."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels import neighbours as col
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.neighbours import LANE, NOWHERE, REACH, describe, find_near
from ecs_anim.kernels.sight import seen_of
from ecs_anim.kernels.steering_walls import held_off, let_out
from ecs_anim.kernels.walls import ROUNDING, is_free, nearest_wall
from ecs_anim.simd import borrow, broadcast, load, maximum, minimum, reduce_minimum, select, store
from ecs_anim.steering.agents import NAME, RADIUS, ROOM, X, Y

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
FAR = np.float32(1e9)  # [m], gap without a neighbour
FASTEST_PUSH = np.float32(0.5)  # [m/s], fastest separation of overlapping agents
FULL_TURN = 2 * np.pi / 2**32  # [rad], converts a 32-bit hash to an angle
GAP_AHEAD, GAP = col.SCRATCH, col.SCRATCH_2  # columns [m] that `gaps` writes


class View(NamedTuple):
    """One agent and the neighbours that it sees. Helpers use this tuple as an argument."""

    agents: Any  # the sorted `Agents`
    walls: Any  # `WallArrays`
    row: Any  # row of the agent
    near: Any  # [NEAR], columns of the neighbours
    rows: Any  # rows of the neighbours
    count: Any  # number of neighbours
    wall: Any  # distance [m] to the nearest wall


@njit(inline="always")  # inlined by numba, because the function returns arrays
def look(agents, cells, walls, at, near):
    """Return the `View` of the sorted agent `at`, with all neighbours within `REACH` that no wall hides."""
    row = uint64(at)
    rows = borrow(near[col.ROWS :].view(np.int32))
    count = find_near(agents, cells, at, rows)
    wall = np.float32(nearest_wall(walls, np.float64(agents.seen[row, X]), np.float64(agents.seen[row, Y]))[2])
    if wall < REACH:
        count = seen_of(walls, cells.places, at, wall, rows, near, count)
    describe(agents.seen, at, rows, count, near)
    return View(agents, walls, row, near, rows, count, wall)


@inlined
def offset_of(near, number):
    """Return the offset [m] from an agent to a neighbour, and the length of the offset. The length is never 0."""
    x, y = near[uint64(number)], near[uint64(number + col.TO_Y)]
    size = np.sqrt(x * x + y * y)
    return x, y, (size if size > NOWHERE else NOWHERE)


@inlined
def offsets_of(near, number):
    """Return the offsets [m] from an agent to eight neighbours (past the last: padding), and their lengths."""
    x, y = load(near, number), load(near, number + col.TO_Y)
    return x, y, maximum(np.sqrt(x * x + y * y), NOWHERE)


@helper
def random_direction(seed, name, number):
    """Return a random unit vector that depends only on the arguments."""
    sine, cosine = sin_cos(hashed(seed, name, number) * FULL_TURN)
    return np.float32(cosine), np.float32(sine)


@helper
def turn_direction(view, turn):
    """Return a random unit vector for an agent in a turn."""
    room = uint64(view.agents.identity[view.row, ROOM])
    return random_direction(turn.seed[room], np.int64(view.agents.identity[view.row, NAME]), turn.number[room])


@inlined
def gaps(view, ex, ey, soon):
    """Return the free distance [m] in the direction ex, ey, and the least gap [m] to any neighbour. Both can be
    negative. A neighbour limits the free distance if it is ahead at present or after `soon` [s]. Writes the columns
    `GAP_AHEAD` and `GAP`.
    """
    near, lane, ahead, nearest = view.near, load(LANE, 0), broadcast(FAR), broadcast(FAR)
    for number in range(0, view.count, 8):
        x, y, size = offsets_of(near, number)
        touching = load(near, number + col.TOUCHING)
        x_then, y_then = x + soon * load(near, number + col.WITH_VX), y + soon * load(near, number + col.WITH_VY)
        size_then = np.sqrt(x_then * x_then + y_then * y_then)
        now = (ex * x + ey * y >= ZERO) & (abs(ex * y - ey * x) <= touching)
        then = (ex * x_then + ey * y_then >= ZERO) & (abs(ex * y_then - ey * x_then) <= touching)
        gap = size - touching
        gap_ahead = minimum(select(now, gap, FAR), select(then, size_then - touching, FAR))
        store(near, number + GAP_AHEAD, gap_ahead)
        store(near, number + GAP, gap)
        is_one = lane < np.float32(view.count - number)
        ahead, nearest = minimum(ahead, select(is_one, gap_ahead, FAR)), minimum(nearest, select(is_one, gap, FAR))
    return reduce_minimum(ahead), reduce_minimum(nearest)


@helper
def _separation(view, turn):
    """Return the velocity [m/s] by which an agent removes half of its overlap with each neighbour."""
    vx, vy = ZERO, ZERO
    for number in range(view.count):
        overlap = -view.near[uint64(number + GAP)]
        if overlap > ZERO:
            x, y, size = offset_of(view.near, number)
            if size <= NOWHERE:
                x, y = turn_direction(view, turn)
                size = ONE
            push = HALF * overlap / (size * np.float32(turn.seconds))
            vx, vy = vx - push * x, vy - push * y
    speed = np.sqrt(vx * vx + vy * vy)
    share = FASTEST_PUSH / speed if speed > FASTEST_PUSH else ONE
    return share * vx, share * vy


@inlined
def _projected(view, vx, vy, dt):
    """Return a velocity [m/s] without the component that would close more than half of a gap in one step."""
    for number in range(view.count):
        x, y, size = offset_of(view.near, number)
        gap = view.near[uint64(number + GAP)]
        most = HALF * gap / dt if gap > ZERO else ZERO
        beyond = (vx * x + vy * y) / size - most
        if beyond > ZERO:
            vx, vy = vx - beyond * x / size, vy - beyond * y / size
    return vx, vy


@helper
def _slowed(view, vx, vy, dt):
    """Return a velocity [m/s], shortened so that it closes at most half of each gap in one step."""
    share = ONE
    for number in range(view.count):
        x, y, size = offset_of(view.near, number)
        gap, onward = view.near[uint64(number + GAP)], (vx * x + vy * y) / size * dt
        most = HALF * gap if gap > ZERO else ZERO
        if onward > most:
            share = min(share, most / onward)
    return share * vx, share * vy


@inlined
def kept_clear(view, vx, vy, speed, least, turn):
    """Return a velocity of length `speed` [m/s], changed so that the agent avoids walls and neighbours. `least` [m] is
    the least gap that `gaps` has returned.
    """
    seen, dt = view.agents.seen[view.row], np.float32(turn.seconds)
    x, y = np.float64(seen[X]), np.float64(seen[Y])
    if least < (speed + speed) * dt:
        vx, vy = _projected(view, vx, vy, dt)
    if least < ZERO:
        push_x, push_y = _separation(view, turn)
        vx, vy = vx + push_x, vy + push_y
    if view.wall < seen[RADIUS] and not is_free(view.walls, x, y):
        vx, vy = let_out(view.walls, x, y)
    elif view.wall < REACH and view.wall < seen[RADIUS] + (abs(vx) + abs(vy)) * dt + ROUNDING:
        to_x, to_y = held_off(view.walls, x, y, vx, vy, seen[RADIUS], dt)
        is_turned = to_x != vx or to_y != vy  # a wall has turned the velocity, possibly towards neighbours
        vx, vy = to_x, to_y
        if is_turned and view.wall >= seen[RADIUS] and least < (speed + speed) * dt:
            vx, vy = _slowed(view, vx, vy, dt)
    return vx, vy
