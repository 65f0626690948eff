"""Models of somebody's own: what their agents see, as arrays, and velocities that lead into nobody and no wall."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import kernel
from ecs_anim.kernels.lanes import borrowed
from ecs_anim.kernels.neighbours import MOST
from ecs_anim.kernels.steering_contacts import ZERO, gaps, kept_clear, look
from ecs_anim.kernels.types import AGENTS, CELLS, COUNT, INTS, OUT, OUT_2D, OUT_INTS, REAL, WALLS, void
from ecs_anim.steering.agents import MODEL, NAME
from ecs_anim.steering.models import OWN


@kernel(void(AGENTS, CELLS, WALLS, COUNT, COUNT, REAL, COUNT, COUNT, OUT))
def keep_clear(agents, cells, walls, seed, turn, dt, begin, end, near):
    """Have no velocity that a model of somebody's own chose lead into others or walls; as `steer` does."""
    agents, cells, walls, near = borrowed(agents), borrowed(cells), borrowed(walls), borrowed(near)
    all_seen, _, who, chosen = agents
    step = np.float32(dt)
    for at in range(begin, end):
        row = uint64(at)
        if who[row, MODEL] < OWN:
            continue
        found, far = look(agents, cells, walls, at, near)
        vx, vy = chosen[row, 0], chosen[row, 1]
        _, least = gaps(near, found, chosen[row, 2], chosen[row, 3], ZERO)
        velocity, chance = (vx, vy, np.sqrt(vx * vx + vy * vy)), (seed, np.int64(who[row, NAME]), turn)
        vx, vy = kept_clear(near, found, walls, far, all_seen[row], velocity, least, chance, step)
        chosen[row, 0], chosen[row, 1] = vx, vy


@kernel(void(AGENTS, CELLS, WALLS, INTS, OUT, OUT_INTS))
def count_neighbours(agents, cells, walls, rows, near, out_count):
    """How many others each of some of the sorted `Agents` sees; rows [n]: their numbers."""
    for number in range(len(rows)):
        out_count[uint64(number)] = look(agents, cells, walls, rows[uint64(number)], near)[0]


@kernel(void(AGENTS, CELLS, WALLS, INTS, OUT, OUT_2D))
def list_neighbours(agents, cells, walls, rows, near, out_seen):
    """What each of them sees, as many rows [m, 7] as were counted: the columns of what is found of neighbours."""
    to = 0
    for number in range(len(rows)):
        found = look(agents, cells, walls, rows[uint64(number)], near)[0]
        for other in range(found):
            for column in range(out_seen.shape[1]):
                out_seen[uint64(to), uint64(column)] = near[uint64(other + column * MOST)]
            to += 1
