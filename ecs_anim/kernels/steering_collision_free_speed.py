"""Collision-free speed model (Tordeux, Chraibi and Seyfried 2016, arXiv 1512.05597)."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.elementary import short_exp
from ecs_anim.kernels.neighbours import REACH, SCRATCH, SCRATCH_2, TOUCHING
from ecs_anim.kernels.steering import go, steering_kernel, unit
from ecs_anim.kernels.steering_contacts import ONE, ZERO, offsets_of
from ecs_anim.kernels.steering_walls import repelled_by
from ecs_anim.simd import load, store
from ecs_anim.steering.agents import DX, DY, EX, EY, RADIUS, X, Y
from ecs_anim.steering.models import CollisionFreeSpeed


@inlined
def _push(view, own):
    """Return the sum of the pushes away from all neighbours, relative to the desired direction."""
    near, strength, per_range = view.near, own.strength, ONE / own.range
    for number in range(0, view.count, 8):
        x, y, size = offsets_of(near, number)
        push = -strength * short_exp((load(near, number + TOUCHING) - size) * per_range) / size
        store(near, number + SCRATCH, push * x)
        store(near, number + SCRATCH_2, push * y)
    x, y = ZERO, ZERO
    for number in range(view.count):
        x += near[uint64(number + SCRATCH)]
        y += near[uint64(number + SCRATCH_2)]
    return x, y


@inlined
def _direction(view, own):
    """Return the next heading: the unit vector along the desired direction plus the pushes of neighbours and walls."""
    seen, wish = view.agents.seen[view.row], view.agents.own[view.row]
    x, y = _push(view, own)
    if view.wall < REACH:
        at_x, at_y = np.float64(seen[X]), np.float64(seen[Y])
        wall_x, wall_y = repelled_by(view.walls, at_x, at_y, seen[RADIUS], own.wall_strength, own.wall_range)
        x, y = x + wall_x, y + wall_y
    return unit(wish[DX] + x, wish[DY] + y, seen[EX], seen[EY])


@steering_kernel(CollisionFreeSpeed)
def steer(view, parameters, turn):
    """Write the decision of an agent. See `steering_kernel`."""
    own = parameters[view.row]
    ex, ey = _direction(view, own)
    go(view, ex, ey, own.time_gap, turn)
