"""Anticipation velocity model (Xu, Chraibi and Seyfried 2021, arXiv 2107.00624)."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.elementary import short_exp
from ecs_anim.kernels.hashing import hashed
from ecs_anim.kernels.neighbours import SCRATCH, TOUCHING, WITH_EX, WITH_EY, WITH_VX, WITH_VY
from ecs_anim.kernels.steering import go, steering_kernel, unit
from ecs_anim.kernels.steering_contacts import HALF, ONE, ZERO, offsets_of
from ecs_anim.kernels.steering_walls import turned_along
from ecs_anim.simd import load, maximum, select, store
from ecs_anim.steering.agents import DX, DY, EX, EY, NAME, RADIUS, ROOM, VX, VY, X, Y
from ecs_anim.steering.models import AnticipationVelocity


@inlined
def _sideways_push(view, own, turn):
    """Return the sum of pushes to the left. Neighbours straight ahead push to a random side."""
    near, seen, wish = view.near, view.agents.seen[view.row], view.agents.own[view.row]
    vx, vy, ex, ey, dx, dy = seen[VX], seen[VY], seen[EX], seen[EY], wish[DX], wish[DY]
    room, name = uint64(view.agents.identity[view.row, ROOM]), np.int64(view.agents.identity[view.row, NAME])
    tie = ONE if hashed(turn.seed[room], name, turn.number[room]) & 1 else -ONE
    strength, ahead, steepness = own.strength, own.anticipation, -ONE / own.range
    for number in range(0, view.count, 8):
        x, y, size = offsets_of(near, number)
        wx, wy = load(near, number + WITH_VX), load(near, number + WITH_VY)
        closing = ((vx - wx) * x + (vy - wy) * y) / size
        gap = maximum(size - load(near, number + TOUCHING) - ahead * closing, ZERO)
        alignment = dx * load(near, number + WITH_EX) + dy * load(near, number + WITH_EY)
        push = strength * (ONE + (ONE - alignment) * HALF) * short_exp(gap * steepness)
        side = dx * (y + ahead * wy) - dy * (x + ahead * wx)
        push = select(side < ZERO, push, select(side > ZERO, -push, tie * push))
        is_in_front = (dx * x + dy * y >= ZERO) | (ex * x + ey * y >= ZERO)
        store(near, number + SCRATCH, select(is_in_front, push, ZERO))
    total = ZERO
    for number in range(view.count):
        total += near[uint64(number + SCRATCH)]
    return total


@inlined
def _direction(view, own, turn):
    """Return the next heading: within the reaction time, it approaches the direction that results from the pushes. Near
    walls, the heading turns parallel to the walls.
    """
    seen, wish = view.agents.seen[view.row], view.agents.own[view.row]
    ex, ey, dx, dy = seen[EX], seen[EY], wish[DX], wish[DY]
    push = _sideways_push(view, own, turn)
    to_x, to_y = unit(dx - push * dy, dy + push * dx, ex, ey)
    if (dx * to_x + dy * to_y) * (dx * ex + dy * ey) < ZERO:
        ex, ey = to_x, to_y
    else:
        share = np.float32(turn.seconds) / own.reaction
        share = share if share < ONE else ONE
        ex, ey = unit(ex + share * (to_x - ex), ey + share * (to_y - ey), to_x, to_y)
    clearance = seen[RADIUS] + own.buffer
    if view.wall < clearance + clearance:
        to_x, to_y = turned_along(view.walls, np.float64(seen[X]), np.float64(seen[Y]), ex, ey, clearance)
        ex, ey = unit(to_x, to_y, ex, ey)
    return ex, ey


@steering_kernel(AnticipationVelocity)
def steer(view, parameters, turn):
    """Write the decision of an agent. See `steering_kernel`."""
    own = parameters[view.row]
    ex, ey = _direction(view, own, turn)
    go(view, ex, ey, own.time_gap, turn)
