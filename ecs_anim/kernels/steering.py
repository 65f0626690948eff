"""Steering: for each agent a direction and a speed, by its model, from what all were when the step began.

The formulas are of the papers that `ecs_anim.steering.models` names, in plan coordinates.
"""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import short_exp, sin_cos
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.neighbours import (
    FOUND,
    MOST,
    ONE_NUMBER,
    OTHER_NUMBER,
    REACH,
    TO_Y,
    TOUCHING,
    WITH_EX,
    WITH_EY,
    WITH_VX,
    WITH_VY,
    find_near,
    row_of,
)
from ecs_anim.kernels.steering_walls import held_off, let_out, repelled_by, turned_along
from ecs_anim.kernels.types import AGENTS, CELLS, COUNT, OUT, REAL, WALLS, void
from ecs_anim.kernels.walls import is_free, nearest_wall, sees
from ecs_anim.maths import elementary
from ecs_anim.steering.agents import DX, DY, EX, EY, LEFT, MODEL, NAME, NOBODY, PARAMETERS, RADIUS, SPEED, VX, VY, X, Y
from ecs_anim.steering.models import (
    ANTICIPATION,
    ANTICIPATION_VELOCITY,
    BUFFER,
    RANGE,
    REACTION,
    STRENGTH,
    TIME_GAP,
    WALL_RANGE,
    WALL_STRENGTH,
)

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
NOWHERE = np.float32(1e-6)  # [m], nearer than which nobody can say on which side somebody is
FAR = np.float32(1e9)  # [m]
CREEP = np.float32(0.03)  # [m/s], at which agents who are stuck try any way, another each second
FASTEST_PUSH = np.float32(0.5)  # [m/s], at which those who overlap part
FULL_TURN = 2 * np.pi / 2**32  # [rad], of 32 bits
BLOCKED, HEAD_ON = np.float32(0.2), np.float32(-0.2)  # share of the speed wanted; cosine of ways that oppose
MOST_OF_TURN = np.float32(0.75)  # for which the others are thought to go on as they do
ROUND = np.float32(2.0)  # [m] from where agents are to stand, nearer than which they go round nobody
STANDS, IMPATIENT = np.float32(0.1), 2**32 // 8  # [m/s]; of 2^32, how often those who queue and stand look round
SIDES = np.radians([40, -40, 70, -70, 100, -100, 130, -130])  # of the way that is wanted, where detours are looked for
DETOURS = np.column_stack([elementary.cos(SIDES), elementary.sin(SIDES)]).astype(np.float32)
SHORTEST, LONGEST = np.float32(0.15), np.float32(1.0)  # [m] that a detour leads at least, and that are looked at
KEPT = np.float32(0.3)  # [m] that it counts as longer which goes where an agent faces anyway


@inlined
def _unit(x, y, or_x, or_y):
    """A vector in length 1; another one in place of none."""
    size = np.sqrt(x * x + y * y)
    return (x / size, y / size) if size > NOWHERE else (or_x, or_y)


@inlined
def _distance(near, number):
    """Where a neighbour is [m], and how far away, which is never 0."""
    x, y = near[uint64(number)], near[uint64(number + TO_Y)]
    size = np.sqrt(x * x + y * y)
    return x, y, (size if size > NOWHERE else NOWHERE)


@helper
def _any_way(seed, name, turn):
    """A direction, by chance."""
    sine, cosine = sin_cos(hashed(seed, name, turn) * FULL_TURN)
    return np.float32(cosine), np.float32(sine)


@helper
def _unhidden(walls, x, y, far, near, found):
    """Leave out neighbours whom walls hide from an agent at x, y; the nearest wall is `far` away [m]."""
    kept = 0
    for number in range(found):
        to_x, to_y, size = _distance(near, number)
        if size < far or sees(walls, x, y, x + to_x, y + to_y):
            for column in range(0, FOUND, MOST):
                near[uint64(kept + column)] = near[uint64(number + column)]
            kept += 1
    return kept


@inlined
def _push_aside(near, found, seen, own, tie):
    """How far what comes pushes an agent to its left; `tie` 1 or -1, where it would go from what comes straight."""
    vx, vy, ex, ey, dx, dy = seen[VX], seen[VY], seen[EX], seen[EY], own[DX], own[DY]
    strength, ahead = own[PARAMETERS + STRENGTH], own[PARAMETERS + ANTICIPATION]
    steepness = -ONE / own[PARAMETERS + RANGE]
    for number in range(found):
        x, y, size = _distance(near, number)
        wx, wy = near[uint64(number + WITH_VX)], near[uint64(number + WITH_VY)]
        closing = ((vx - wx) * x + (vy - wy) * y) / size
        gap = size - near[uint64(number + TOUCHING)] - ahead * closing
        gap = gap if gap > ZERO else ZERO
        same = dx * near[uint64(number + WITH_EX)] + dy * near[uint64(number + WITH_EY)]
        push = strength * (ONE + (ONE - same) * HALF) * short_exp(gap * steepness)
        side = dx * (y + ahead * wy) - dy * (x + ahead * wx)
        push = push if side < ZERO else (-push if side > ZERO else tie * push)
        counts = (dx * x + dy * y >= ZERO) | (ex * x + ey * y >= ZERO)
        near[uint64(number + ONE_NUMBER)] = push if counts else ZERO
    total = ZERO
    for number in range(found):
        total += near[uint64(number + ONE_NUMBER)]
    return total


@inlined
def _push_away(near, found, own):
    """The sum of what pushes an agent away from its neighbours."""
    strength, per_range = own[PARAMETERS + STRENGTH], ONE / own[PARAMETERS + RANGE]
    for number in range(found):
        x, y, size = _distance(near, number)
        push = -strength * short_exp((near[uint64(number + TOUCHING)] - size) * per_range) / size
        near[uint64(number + ONE_NUMBER)], near[uint64(number + OTHER_NUMBER)] = push * x, push * y
    x, y = ZERO, ZERO
    for number in range(found):
        x += near[uint64(number + ONE_NUMBER)]
        y += near[uint64(number + OTHER_NUMBER)]
    return x, y


@inlined
def _anticipate(near, found, walls, far, seen, own, tie, dt):
    """Where an agent faces next, by anticipation velocity."""
    ex, ey, dx, dy = seen[EX], seen[EY], own[DX], own[DY]
    push = _push_aside(near, found, seen, own, tie)
    to_x, to_y = _unit(dx - push * dy, dy + push * dx, ex, ey)
    if (dx * to_x + dy * to_y) * (dx * ex + dy * ey) < ZERO:
        ex, ey = to_x, to_y
    else:
        share = dt / own[PARAMETERS + REACTION]
        share = share if share < ONE else ONE
        ex, ey = _unit(ex + share * (to_x - ex), ey + share * (to_y - ey), to_x, to_y)
    keeps = seen[RADIUS] + own[PARAMETERS + BUFFER]
    if far < keeps + keeps:
        to_x, to_y = turned_along(walls, np.float64(seen[X]), np.float64(seen[Y]), ex, ey, keeps)
        ex, ey = _unit(to_x, to_y, ex, ey)
    return ex, ey


@inlined
def _avoid(near, found, walls, far, seen, own):
    """Where an agent faces next, by collision-free speed."""
    x, y = _push_away(near, found, own)
    if far < REACH:
        strength, reach = own[PARAMETERS + WALL_STRENGTH], own[PARAMETERS + WALL_RANGE]
        wall_x, wall_y = repelled_by(walls, np.float64(seen[X]), np.float64(seen[Y]), seen[RADIUS], strength, reach)
        x, y = x + wall_x, y + wall_y
    return _unit(own[DX] + x, own[DY] + y, seen[EX], seen[EY])


@inlined
def _gaps(near, found, ex, ey, soon):
    """How far agents can go where they face until they touch somebody, and the least gap to anybody [m].

    Others count as ahead where they are, and where they will be `soon` [s].
    """
    for number in range(found):
        x, y, size = _distance(near, number)
        touching = near[uint64(number + TOUCHING)]
        x_then, y_then = x + soon * near[uint64(number + WITH_VX)], y + soon * near[uint64(number + WITH_VY)]
        now = (ex * x + ey * y >= ZERO) & (np.abs(ex * y - ey * x) <= touching)
        then = (ex * x_then + ey * y_then >= ZERO) & (np.abs(ex * y_then - ey * x_then) <= touching)
        size_then = np.sqrt(x_then * x_then + y_then * y_then)
        gap = size - touching if now else FAR
        gap_then = size_then - touching if then else FAR
        near[uint64(number + ONE_NUMBER)] = gap if gap < gap_then else gap_then
        near[uint64(number + OTHER_NUMBER)] = size - touching
    ahead, least = FAR, FAR
    for number in range(found):
        ahead = min(ahead, near[uint64(number + ONE_NUMBER)])
        least = min(least, near[uint64(number + OTHER_NUMBER)])
    return ahead, least


@inlined
def _stands(seen):
    """Whether an agent hardly gets on."""
    return seen[VX] * seen[VX] + seen[VY] * seen[VY] < STANDS * STANDS


@helper
def _is_met(agents, cells, at, near, found, seed, turn):
    """Whether the one who is in an agent's way stands there, or wants to go the other way."""
    own, blocker, ahead = agents[1], -1, FAR
    for number in range(found):
        if near[uint64(number + ONE_NUMBER)] < ahead:
            blocker, ahead = number, near[uint64(number + ONE_NUMBER)]
    if blocker < 0:
        return False
    to_x, to_y, _ = _distance(near, blocker)
    other, row = uint64(row_of(agents[0], cells[2], cells[3], at, to_x, to_y)), uint64(at)
    if own[other, SPEED] < CREEP or own[row, DX] * own[other, DX] + own[row, DY] * own[other, DY] < HEAD_ON:
        return True
    seen = agents[0]
    return _stands(seen[row]) and _stands(seen[other]) and hashed(seed, turn, agents[2][row, NAME]) < IMPATIENT


@helper
def _detour(near, found, walls, seen, own, soon):
    """The direction in which an agent who is met goes round, and how far it can [m]: 0 = there is none."""
    dx, dy, ex, ey = own[DX], own[DY], seen[EX], seen[EY]
    best, best_x, best_y, best_gap = -FAR, ex, ey, ZERO
    for number in range(len(DETOURS)):
        cosine, sine = DETOURS[number, 0], DETOURS[number, 1]
        x, y = cosine * dx - sine * dy, cosine * dy + sine * dx
        gap = min(_gaps(near, found, x, y, soon)[0], LONGEST)
        value = gap * (ONE + cosine) + KEPT * (x * ex + y * ey)
        if gap < SHORTEST or value <= best:
            continue
        reach = np.float64(gap + seen[RADIUS])
        at_x, at_y = np.float64(seen[X]), np.float64(seen[Y])
        if sees(walls, at_x, at_y, at_x + reach * x, at_y + reach * y):
            best, best_x, best_y, best_gap = value, x, y, gap
    return best_x, best_y, best_gap


@helper
def _part(near, found, seed, name, turn, dt):
    """The velocity [m/s] that takes an agent out of others, half the way, as they go the other half."""
    vx, vy = ZERO, ZERO
    for number in range(found):
        overlap = -near[uint64(number + OTHER_NUMBER)]
        if overlap > ZERO:
            x, y, size = _distance(near, number)
            if size <= NOWHERE:
                x, y = _any_way(seed, name, turn)
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
        x, y, size = _distance(near, number)
        gap = near[uint64(number + OTHER_NUMBER)]
        most = HALF * gap / dt if gap > ZERO else ZERO
        beyond = (vx * x + vy * y) / size - most
        if beyond > ZERO:
            vx, vy = vx - beyond * x / size, vy - beyond * y / size
    return vx, vy


@inlined
def _speed(gap, own):
    """The speed that keeps a time behind whoever is ahead [m/s]."""
    speed = gap / own[PARAMETERS + TIME_GAP]
    speed = speed if speed > ZERO else ZERO
    return speed if speed < own[SPEED] else own[SPEED]


@kernel(void(AGENTS, CELLS, WALLS, COUNT, COUNT, REAL, COUNT, COUNT, OUT))
def steer(agents, cells, walls, seed, turn, dt, begin, end, near):
    """Choose what the sorted `Agents` from `begin` to `end` do in the next dt seconds.

    seed and turn, which of them it is: what is chosen by chance hangs on; near [NEAR]: memory. Writes `chosen`.
    """
    all_seen, all_own, who, chosen = agents
    _, _, first, size = cells
    step, soon = np.float32(dt), MOST_OF_TURN * np.float32(dt)
    for at in range(begin, end):
        row = uint64(at)
        if who[row, MODEL] == NOBODY:
            continue
        seen, own, name = all_seen[row], all_own[row], np.int64(who[row, NAME])
        x, y = np.float64(seen[X]), np.float64(seen[Y])
        found = find_near(all_seen, first, size, at, near)
        far = np.float32(nearest_wall(walls, x, y)[2])
        if far < REACH:
            found = _unhidden(walls, x, y, far, near, found)
        if who[row, MODEL] == ANTICIPATION_VELOCITY:
            tie = ONE if hashed(seed, name, turn) & 1 else -ONE
            ex, ey = _anticipate(near, found, walls, far, seen, own, tie, step)
        else:
            ex, ey = _avoid(near, found, walls, far, seen, own)
        gap, least = _gaps(near, found, ex, ey, soon)
        speed = _speed(gap, own)
        is_blocked = speed < BLOCKED * own[SPEED] and own[SPEED] > CREEP and seen[LEFT] > ROUND
        if is_blocked and _is_met(agents, cells, at, near, found, seed, turn):
            to_x, to_y, free = _detour(near, found, walls, seen, own, soon)
            if free > gap:
                ex, ey, speed = to_x, to_y, _speed(free, own)
        vx, vy = speed * ex, speed * ey
        if speed < CREEP < own[SPEED]:
            vx, vy = _any_way(seed, name, np.int64(turn * dt))
            vx, vy = CREEP * vx, CREEP * vy
        if least < (speed + speed) * step:
            vx, vy = _held_clear(near, found, vx, vy, step)
        if least < ZERO:
            push_x, push_y = _part(near, found, seed, name, turn, step)
            vx, vy = vx + push_x, vy + push_y
        if far < seen[RADIUS] and not is_free(walls, x, y):
            vx, vy = let_out(walls, x, y)
        elif far < REACH:
            vx, vy = held_off(walls, x, y, vx, vy, seen[RADIUS], step)
        chosen[row, 0], chosen[row, 1], chosen[row, 2], chosen[row, 3] = vx, vy, ex, ey
