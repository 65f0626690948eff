"""Support for steering models in Python: the neighbours of agents as arrays, and velocities without collisions."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import kernel
from ecs_anim.kernels.neighbours import DESCRIBED, MOST
from ecs_anim.kernels.steering_contacts import ZERO, gaps, kept_clear, look
from ecs_anim.kernels.types import AGENTS, CELLS, LONGS, OUT, OUT_2D, OUT_INTS, TURN, WALLS, void
from ecs_anim.steering.agents import TO_EX, TO_EY, TO_VX, TO_VY


@kernel(void(AGENTS, CELLS, WALLS, TURN, LONGS, OUT))
def keep_clear(agents, cells, walls, turn, rows, near):
    """Change the velocities of the agents in `rows` [n], so that no velocity leads into a neighbour or a wall."""
    for number in range(len(rows)):
        view = look(agents, cells, walls, rows[uint64(number)], near)
        chosen = agents.chosen[view.row]
        vx, vy = chosen[TO_VX], chosen[TO_VY]
        _, least = gaps(view, chosen[TO_EX], chosen[TO_EY], ZERO)
        chosen[TO_VX], chosen[TO_VY] = kept_clear(view, vx, vy, np.sqrt(vx * vx + vy * vy), least, turn)


@kernel(void(AGENTS, CELLS, WALLS, LONGS, OUT, OUT_INTS))
def count_neighbours(agents, cells, walls, rows, near, out_count):
    """Write the number of neighbours that each agent in `rows` [n] sees to out_count [n]."""
    for number in range(len(rows)):
        out_count[uint64(number)] = look(agents, cells, walls, rows[uint64(number)], near).count


@kernel(void(AGENTS, CELLS, WALLS, LONGS, OUT, OUT_2D))
def list_neighbours(agents, cells, walls, rows, near, out_seen):
    """Write a row to out_seen [m, DESCRIBED] for each seen neighbour, sorted by agent."""
    to = 0
    for number in range(len(rows)):
        for other in range(look(agents, cells, walls, rows[uint64(number)], near).count):
            for column in range(DESCRIBED):
                out_seen[uint64(to), uint64(column)] = near[uint64(other + column * MOST)]
            to += 1
