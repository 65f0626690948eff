"""Steering rules that all force models share: they integrate accelerations, and find the walls that push an agent. The
kernel of a model computes the accelerations. All vectors are on the plan: x east, y north.
"""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.neighbours import REACH
from ecs_anim.kernels.steering_contacts import HALF, ONE, ZERO
from ecs_anim.kernels.steering_walls import held_off, let_out
from ecs_anim.kernels.walls import cell_of, is_free, nearest_of, side_of, walls_about
from ecs_anim.steering.agents import DX, DY, EX, EY, RADIUS, SPEED, TO_EX, TO_EY, TO_VX, TO_VY, VX, VY, X, Y
from ecs_anim.walls.arrays import ABOUT

FASTEST = np.float32(1.3)  # highest speed, as a share of the desired speed (Helbing and Molnár 1995)
PUSHED = np.float32(0.5)  # [m/s], speed that forces can always cause, also if the agent wants to stand
CORE = HALF  # share of the radius; the distance from a wall is never smaller than the core
MOVES = np.float32(1e-3)  # [m/s]; a slower agent keeps its heading


@inlined
def walls_within(walls, x, y):
    """Return the range of wall segments within `REACH` of a point, and whether the range is in the list of a cell. On a
    very large plan, the list contains only segments that can be the nearest wall.
    """
    cell = cell_of(walls, x, y)
    if cell >= 0:
        first, end = walls.starts[ABOUT, uint64(cell)], walls.starts[ABOUT, uint64(cell + 1)]
        if first < end:
            return np.int64(first), np.int64(end), True
    return walls_about(walls, x, y)


@inlined
def faced_wall(walls, number, is_listed, x, y):
    """Return the offset [m] from a point to the nearest point of a wall segment, and its length: inf if the point is
    not on the walkable side of the segment. At a convex corner, only the second of the two segments counts.
    """
    at_x, at_y, squared, segment = nearest_of(walls, number, is_listed, x, y)
    ax, ay = np.float64(walls.segments[segment, 0, 0]), np.float64(walls.segments[segment, 0, 1])
    bx, by = np.float64(walls.segments[segment, 1, 0]), np.float64(walls.segments[segment, 1, 1])
    faces = side_of(ax, ay, bx, by, x, y) > 0.0 and not (at_x == bx and at_y == by)
    if faces and at_x == ax and at_y == ay and segment > 0:
        before = uint64(segment - 1)
        px, py = np.float64(walls.segments[before, 0, 0]), np.float64(walls.segments[before, 0, 1])
        is_joined = walls.segments[before, 1, 0] == ax and walls.segments[before, 1, 1] == ay
        faces = not is_joined or (x - ax) * (ax - px) + (y - ay) * (ay - py) >= 0.0
    return np.float32(at_x - x), np.float32(at_y - y), np.float32(np.sqrt(squared)) if faces else np.float32(np.inf)


@helper
def accelerate(view, relaxation, ax, ay, turn):
    """Write the velocity of an agent after a sub-step of `turn.seconds` [s], and its heading, the direction of the
    velocity. `relaxation` [s] is the time constant of the driving force, and `ax`, `ay` [m/s²] is the acceleration by
    neighbours and walls.
    """
    seen, wish, chosen = view.agents.seen[view.row], view.agents.own[view.row], view.agents.chosen[view.row]
    dt, desired = np.float32(turn.seconds), wish[SPEED]
    vx = seen[VX] + dt * ((desired * wish[DX] - seen[VX]) / relaxation + ax)
    vy = seen[VY] + dt * ((desired * wish[DY] - seen[VY]) / relaxation + ay)
    most, speed = max(FASTEST * desired, PUSHED), np.sqrt(vx * vx + vy * vy)
    if speed > most:
        vx, vy = vx * most / speed, vy * most / speed
    x, y = np.float64(seen[X]), np.float64(seen[Y])
    if view.wall < seen[RADIUS] and not is_free(view.walls, x, y):
        vx, vy = let_out(view.walls, x, y)
    elif view.wall < REACH:
        vx, vy = held_off(view.walls, x, y, vx, vy, CORE * seen[RADIUS], dt)
    speed = np.sqrt(vx * vx + vy * vy)
    chosen[TO_VX], chosen[TO_VY] = vx, vy
    chosen[TO_EX] = vx / speed if speed > MOVES else seen[EX]
    chosen[TO_EY] = vy / speed if speed > MOVES else seen[EY]


@inlined
def positive(number):
    """Return `number`, but at least 0."""
    return number if number > ZERO else ZERO


@inlined
def most_one(number):
    """Return `number`, but at most 1."""
    return number if number < ONE else ONE
