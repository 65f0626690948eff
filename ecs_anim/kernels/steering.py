"""Steering: for each agent a direction and a speed, by its model, from what all were when the step began.

The formulas are of the papers that `ecs_anim.steering.models` names, in plan coordinates.
"""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.elementary import short_exp
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.lanes import borrowed, eight, put
from ecs_anim.kernels.masks import chosen, most
from ecs_anim.kernels.neighbours import (
    NOWHERE,
    ONE_NUMBER,
    OTHER_NUMBER,
    REACH,
    TOUCHING,
    WITH_EX,
    WITH_EY,
    WITH_VX,
    WITH_VY,
    row_of,
)
from ecs_anim.kernels.steering_contacts import (
    FAR,
    HALF,
    ONE,
    ZERO,
    any_way,
    gaps,
    kept_clear,
    look,
    offset_of,
    offsets_of,
)
from ecs_anim.kernels.steering_walls import repelled_by, turned_along
from ecs_anim.kernels.types import AGENTS, CELLS, COUNT, OUT, REAL, WALLS, void
from ecs_anim.kernels.walls import sees
from ecs_anim.maths import elementary
from ecs_anim.steering.agents import (
    DX,
    DY,
    EX,
    EY,
    LEFT,
    MODEL,
    NAME,
    NOBODY,
    PARAMETERS,
    RADIUS,
    SPEED,
    STUCK,
    VX,
    VY,
    X,
    Y,
)
from ecs_anim.steering.models import (
    ANTICIPATION,
    ANTICIPATION_VELOCITY,
    BUFFER,
    OWN,
    RANGE,
    REACTION,
    STRENGTH,
    TIME_GAP,
    WALL_RANGE,
    WALL_STRENGTH,
)

CREEP = np.float32(0.03)  # [m/s], at which agents who are stuck try any way, another each second
BLOCKED, HEAD_ON = np.float32(0.2), np.float32(-0.2)  # share of the speed wanted; cosine of ways that oppose
MOST_OF_TURN = np.float32(0.75)  # for which the others are thought to go on as they do
ROUND = np.float32(2.0)  # [m] from where agents are to stand, nearer than which they go round nobody
STANDS, IMPATIENT = np.float32(0.1), 2**32 // 8  # [m/s]; of 2^32, how often those who queue and stand look round
PATIENCE = np.float32(4.0)  # [s] for which one is stuck, after which they look round all the time
TIGHT, ASIDE = np.float32(0.15), np.float32(0.3)  # [m] of a gap, and [m/s] at which those who stand let others by
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
def _push_aside(near, found, seen, own, tie):
    """How far what comes pushes an agent to its left; `tie` 1 or -1, where it would go from what comes straight."""
    vx, vy, ex, ey, dx, dy = seen[VX], seen[VY], seen[EX], seen[EY], own[DX], own[DY]
    strength, ahead = own[PARAMETERS + STRENGTH], own[PARAMETERS + ANTICIPATION]
    steepness = -ONE / own[PARAMETERS + RANGE]
    for number in range(0, found, 8):
        x, y, size = offsets_of(near, number)
        wx, wy = eight(near, number + WITH_VX), eight(near, number + WITH_VY)
        closing = ((vx - wx) * x + (vy - wy) * y) / size
        gap = most(size - eight(near, number + TOUCHING) - ahead * closing, ZERO)
        same = dx * eight(near, number + WITH_EX) + dy * eight(near, number + WITH_EY)
        push = strength * (ONE + (ONE - same) * HALF) * short_exp(gap * steepness)
        side = dx * (y + ahead * wy) - dy * (x + ahead * wx)
        push = chosen(side < ZERO, push, chosen(side > ZERO, -push, tie * push))
        counts = (dx * x + dy * y >= ZERO) | (ex * x + ey * y >= ZERO)
        put(near, number + ONE_NUMBER, chosen(counts, push, ZERO))
    total = ZERO
    for number in range(found):
        total += near[uint64(number + ONE_NUMBER)]
    return total


@inlined
def _push_away(near, found, own):
    """The sum of what pushes an agent away from its neighbours."""
    strength, per_range = own[PARAMETERS + STRENGTH], ONE / own[PARAMETERS + RANGE]
    for number in range(0, found, 8):
        x, y, size = offsets_of(near, number)
        push = -strength * short_exp((eight(near, number + TOUCHING) - size) * per_range) / size
        put(near, number + ONE_NUMBER, push * x)
        put(near, number + OTHER_NUMBER, push * y)
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
def _stands(seen):
    """Whether an agent hardly gets on."""
    return seen[VX] * seen[VX] + seen[VY] * seen[VY] < STANDS * STANDS


@helper
def _is_opposed(agents, cells, at, near, found):
    """Whether somebody whom an agent sees wants to go the other way."""
    own, row = agents[1], uint64(at)
    for number in range(found):
        x, y, _ = offset_of(near, number)
        other = uint64(row_of(agents[0], cells[2], cells[3], at, x, y))
        if own[other, SPEED] > CREEP and own[row, DX] * own[other, DX] + own[row, DY] * own[other, DY] < HEAD_ON:
            return True
    return False


@helper
def _is_met(agents, cells, at, near, found, seed, turn):
    """Whether the one who is in an agent's way stands there, or wants to go the other way."""
    own, blocker, ahead = agents[1], -1, FAR
    for number in range(found):
        if near[uint64(number + ONE_NUMBER)] < ahead:
            blocker, ahead = number, near[uint64(number + ONE_NUMBER)]
    if blocker < 0:
        return False
    to_x, to_y, _ = offset_of(near, blocker)
    other, row = uint64(row_of(agents[0], cells[2], cells[3], at, to_x, to_y)), uint64(at)
    if own[other, SPEED] < CREEP or own[row, DX] * own[other, DX] + own[row, DY] * own[other, DY] < HEAD_ON:
        return True
    seen = agents[0]
    if not (_stands(seen[row]) and _stands(seen[other])):
        return False
    if hashed(seed, turn, agents[2][row, NAME]) < IMPATIENT:
        return True
    return own[row, STUCK] > PATIENCE and _is_opposed(agents, cells, at, near, found)


@helper
def _detour(near, found, walls, seen, own, soon):
    """The direction in which an agent who is met goes round, and how far it can [m]: 0 = there is none."""
    dx, dy, ex, ey = own[DX], own[DY], seen[EX], seen[EY]
    best, best_x, best_y, best_gap = -FAR, ex, ey, ZERO
    for number in range(len(DETOURS)):
        cosine, sine = DETOURS[number, 0], DETOURS[number, 1]
        x, y = cosine * dx - sine * dy, cosine * dy + sine * dx
        gap = min(gaps(near, found, x, y, soon)[0], LONGEST)
        value = gap * (ONE + cosine) + KEPT * (x * ex + y * ey)
        if gap < SHORTEST or value <= best:
            continue
        reach = np.float64(gap + seen[RADIUS])
        at_x, at_y = np.float64(seen[X]), np.float64(seen[Y])
        if sees(walls, at_x, at_y, at_x + reach * x, at_y + reach * y):
            best, best_x, best_y, best_gap = value, x, y, gap
    return best_x, best_y, best_gap


@helper
def _way_made(agents, cells, at, near, found):
    """The velocity [m/s] at which one who is where they are to stand lets by who comes straight, and its size."""
    seen, own, _, _ = agents
    vx, vy, speed, least = ZERO, ZERO, ZERO, TIGHT
    for number in range(found):
        gap = near[uint64(number + OTHER_NUMBER)]
        if gap >= least:
            continue
        x, y, size = offset_of(near, number)
        other = uint64(row_of(seen, cells[2], cells[3], at, x, y))
        dx, dy = own[other, DX], own[other, DY]
        if seen[other, LEFT] > ROUND and own[other, SPEED] > CREEP and -(dx * x + dy * y) > HALF * size:
            side = ASIDE if dx * y < dy * x else -ASIDE  # of their way, on which one is
            vx, vy, speed, least = -side * dy, side * dx, ASIDE, gap
    return vx, vy, speed


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
    agents, cells, walls, near = borrowed(agents), borrowed(cells), borrowed(walls), borrowed(near)
    all_seen, all_own, who, chosen = agents
    step, soon = np.float32(dt), MOST_OF_TURN * np.float32(dt)
    for at in range(begin, end):
        row = uint64(at)
        if who[row, MODEL] == NOBODY or who[row, MODEL] >= OWN:
            continue
        seen, own, name = all_seen[row], all_own[row], np.int64(who[row, NAME])
        found, far = look(agents, cells, walls, at, near)
        if who[row, MODEL] == ANTICIPATION_VELOCITY:
            tie = ONE if hashed(seed, name, turn) & 1 else -ONE
            ex, ey = _anticipate(near, found, walls, far, seen, own, tie, step)
        else:
            ex, ey = _avoid(near, found, walls, far, seen, own)
        gap, least = gaps(near, found, ex, ey, soon)
        speed = _speed(gap, own)
        is_blocked = speed < BLOCKED * own[SPEED] and own[SPEED] > CREEP and seen[LEFT] > ROUND
        if is_blocked and _is_met(agents, cells, at, near, found, seed, turn):
            to_x, to_y, free = _detour(near, found, walls, seen, own, soon)
            if free > gap:
                ex, ey, speed = to_x, to_y, _speed(free, own)
        vx, vy = speed * ex, speed * ey
        if least < TIGHT and seen[LEFT] < ROUND:
            aside_x, aside_y, aside = _way_made(agents, cells, at, near, found)
            if aside > ZERO:
                vx, vy, speed = aside_x, aside_y, aside
        if speed < CREEP < own[SPEED]:
            vx, vy = any_way(seed, name, np.int64(turn * dt))
            vx, vy = CREEP * vx, CREEP * vy
        chosen[row, 0], chosen[row, 1] = kept_clear(
            near, found, walls, far, seen, (vx, vy, speed), least, (seed, name, turn), step
        )
        chosen[row, 2], chosen[row, 3] = ex, ey
