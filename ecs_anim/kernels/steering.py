"""Steering rules that all built-in models share: speeds, detours and deadlocks. The kernel of a model selects
directions. Directions are in plan coordinates: x east, y north.
"""

import numpy as np
from numba import from_dtype, types, uint64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.columns import placed_like
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.neighbours import NOWHERE
from ecs_anim.kernels.steering_contacts import (
    FAR,
    GAP,
    GAP_AHEAD,
    gaps,
    kept_clear,
    look,
    offset_of,
    random_direction,
)
from ecs_anim.kernels.types import AGENTS, CELLS, LONGS, OUT, TURN, WALLS, void
from ecs_anim.kernels.walls import ROUNDING, sees
from ecs_anim.maths import elementary
from ecs_anim.steering import agents as col

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
CREEP = np.float32(0.03)  # [m/s], speed of stuck agents; they move in random directions, which change each second
BLOCKED = np.float32(0.2)  # share of the desired speed; a slower agent is blocked
HEAD_ON = np.float32(-0.2)  # two desired directions with a smaller cosine are opposed
MOST_OF_TURN = np.float32(0.75)  # share of a turn for which the positions of neighbours are extrapolated
ROUND = np.float32(2.0)  # [m] from the final goal; a nearer agent takes no detour
STANDS = np.float32(0.1)  # [m/s]; a slower agent stands
IMPATIENT = 2**32 // 8  # of 2^32: probability that a standing agent in a queue looks for a detour in a turn
PATIENCE = np.float32(4.0)  # [s] without progress; afterwards, a standing agent always looks for a detour
TIGHT = np.float32(0.15)  # [m], gap to a neighbour; with a smaller gap, a standing agent gives way
ASIDE = np.float32(0.3)  # [m/s], speed of an agent that gives way
SIDES = np.radians([40, -40, 70, -70, 100, -100, 130, -130])  # directions of detours, relative to the desired direction
DETOURS = np.column_stack([elementary.cos(SIDES), elementary.sin(SIDES)]).astype(np.float32)
# [m], least free distance of a detour, and the longest free distance that counts
SHORTEST, LONGEST = np.float32(0.15), np.float32(1.0)
KEPT = np.float32(0.3)  # [m], free distance that is added for a detour in the present direction


def steering_kernel(model):
    """Return the decorator of a model's function `steer(view, parameters, turn)`, which writes the decision of one
    agent, the `View`, to the column `chosen` of the sorted `Agents`. `parameters` contains the `Model.records` of all
    sorted agents, and `turn` is a `Turn`. The decorator makes the kernel `steer(agents, cells, walls, parameters, turn,
    rows, near)`, which calls this function for the agents in `rows` [n]. `near` [NEAR] is memory.
    """
    records = types.Array(from_dtype(model.record()), 1, "C", readonly=True)
    compiled = kernel(void(AGENTS, CELLS, WALLS, records, TURN, LONGS, OUT))
    return lambda function: compiled(placed_like(function, _steer_all, _steer=inlined(function)))


def _steer_all(agents, cells, walls, parameters, turn, rows, near):
    """Call a model's function for the agents in `rows`. Each model has a copy of this function."""
    for number in range(len(rows)):
        _steer(look(agents, cells, walls, rows[uint64(number)], near), parameters, turn)  # type: ignore[name-defined]  # noqa: F821


@inlined
def unit(x, y, or_x, or_y):
    """Return a vector that is scaled to length 1. If the length of the vector is 0, return or_x, or_y."""
    size = np.sqrt(x * x + y * y)
    return (x / size, y / size) if size > NOWHERE else (or_x, or_y)


@inlined
def _speed(gap, time_gap, desired):
    """Return the speed [m/s] that keeps a time gap [s] to the agent ahead. The speed is at most `desired`."""
    speed = gap / time_gap
    speed = speed if speed > ZERO else ZERO
    return speed if speed < desired else desired


@inlined
def _stands(seen):
    return seen[col.VX] * seen[col.VX] + seen[col.VY] * seen[col.VY] < STANDS * STANDS


@inlined
def _are_opposed(own, other):
    return own[col.DX] * other[col.DX] + own[col.DY] * other[col.DY] < HEAD_ON


@helper
def _sees_opposed(view):
    wishes = view.agents.own
    for number in range(view.count):
        other = wishes[uint64(view.rows[uint64(number)])]
        if other[col.SPEED] > CREEP and _are_opposed(wishes[view.row], other):
            return True
    return False


@helper
def _is_met(view, turn):
    """Return whether an agent looks for a detour: the next agent ahead stands by choice, or comes towards it. If both
    stand, as in a queue, the agent looks in one of eight random turns. After PATIENCE seconds without progress, it also
    looks in each turn in which it sees an agent with an opposite direction.
    """
    blocker, ahead = -1, FAR
    for number in range(view.count):
        if view.near[uint64(number + GAP_AHEAD)] < ahead:
            blocker, ahead = number, view.near[uint64(number + GAP_AHEAD)]
    if blocker < 0:
        return False
    seen, own, _, identity, _ = view.agents
    other, row = uint64(view.rows[uint64(blocker)]), view.row
    if own[other, col.SPEED] < CREEP or _are_opposed(own[row], own[other]):
        return True
    if not (_stands(seen[row]) and _stands(seen[other])):
        return False
    room = uint64(identity[row, col.ROOM])
    if hashed(turn.seed[room], turn.number[room], identity[row, col.NAME]) < IMPATIENT:
        return True
    return own[row, col.STUCK] > PATIENCE and _sees_opposed(view)


@helper
def _detour(view, soon):
    """Return the direction of the best detour, a unit vector, and its free distance [m]: 0 without a detour."""
    seen, own = view.agents.seen[view.row], view.agents.own[view.row]
    dx, dy, ex, ey = own[col.DX], own[col.DY], seen[col.EX], seen[col.EY]
    best, best_x, best_y, best_gap = -FAR, ex, ey, ZERO
    for number in range(len(DETOURS)):
        cosine, sine = DETOURS[number, 0], DETOURS[number, 1]
        x, y = cosine * dx - sine * dy, cosine * dy + sine * dx
        gap = min(gaps(view, x, y, soon)[0], LONGEST)
        value = gap * (ONE + cosine) + KEPT * (x * ex + y * ey)
        if gap < SHORTEST or value <= best:
            continue
        reach = np.float64(gap + seen[col.RADIUS])
        at_x, at_y = np.float64(seen[col.X]), np.float64(seen[col.Y])
        if view.wall > reach + ROUNDING or sees(view.walls, at_x, at_y, at_x + reach * x, at_y + reach * y):
            best, best_x, best_y, best_gap = value, x, y, gap
    return best_x, best_y, best_gap


@helper
def _way_made(view):
    """Return the velocity and the speed [m/s] with which a standing agent makes way for the nearest agent that comes
    straight towards it, or 0. To the left of that agent's way, it steps to the left, and otherwise to the right.
    """
    seen, own = view.agents.seen, view.agents.own
    vx, vy, speed, least = ZERO, ZERO, ZERO, TIGHT
    for number in range(view.count):
        gap = view.near[uint64(number + GAP)]
        if gap >= least:
            continue
        x, y, size = offset_of(view.near, number)
        other = uint64(view.rows[uint64(number)])
        dx, dy = own[other, col.DX], own[other, col.DY]
        if seen[other, col.LEFT] > ROUND and own[other, col.SPEED] > CREEP and -(dx * x + dy * y) > HALF * size:
            side = ASIDE if dx * y < dy * x else -ASIDE
            vx, vy, speed, least = -side * dy, side * dx, ASIDE, gap
    return vx, vy, speed


@inlined
def go(view, ex, ey, time_gap, turn):
    """Write the decision of an agent, for a direction ex, ey (unit vector) and a time gap [s] from its model. The speed
    is the free distance divided by the time gap (Tordeux, Chraibi and Seyfried 2016). All other rules come from this
    project.
    """
    seen, own, chosen = view.agents.seen[view.row], view.agents.own[view.row], view.agents.chosen[view.row]
    soon = MOST_OF_TURN * np.float32(turn.seconds)
    gap, least = gaps(view, ex, ey, soon)
    speed = _speed(gap, time_gap, own[col.SPEED])
    is_blocked = speed < BLOCKED * own[col.SPEED] and own[col.SPEED] > CREEP and seen[col.LEFT] > ROUND
    if is_blocked and _is_met(view, turn):
        to_x, to_y, free = _detour(view, soon)
        if free > gap:
            ex, ey, speed = to_x, to_y, _speed(free, time_gap, own[col.SPEED])
    vx, vy = speed * ex, speed * ey
    if least < TIGHT and seen[col.LEFT] < ROUND:
        aside_x, aside_y, aside = _way_made(view)
        if aside > ZERO:
            vx, vy, speed = aside_x, aside_y, aside
    if speed < CREEP < own[col.SPEED]:
        identity = view.agents.identity[view.row]
        room, name = uint64(identity[col.ROOM]), np.int64(identity[col.NAME])
        x, y = random_direction(turn.seed[room], name, np.int64(turn.number[room] * turn.seconds))
        vx, vy = CREEP * x, CREEP * y
    chosen[col.TO_VX], chosen[col.TO_VY] = kept_clear(view, vx, vy, speed, least, turn)
    chosen[col.TO_EX], chosen[col.TO_EY] = ex, ey
