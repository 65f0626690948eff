"""Social force model (Helbing and Molnár 1995; Helbing, Farkas and Vicsek 2000)."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.elementary import short_exp
from ecs_anim.kernels.neighbours import LANE, NOWHERE, REACH, SCRATCH, TOUCHING, WITH_VX, WITH_VY
from ecs_anim.kernels.steering import steering_kernel
from ecs_anim.kernels.steering_contacts import ONE, ZERO, offsets_of, turn_direction
from ecs_anim.kernels.steering_forces import accelerate, faced_wall, positive, walls_within
from ecs_anim.simd import broadcast, load, maximum, minimum, select, store
from ecs_anim.steering.agents import DX, DY, RADIUS, VX, VY, X, Y
from ecs_anim.steering.models import SocialForce

BEHIND = np.float32(-0.17364818)  # cosine of 100 degrees, half of the field of view (Helbing and Molnár 1995)
MOST = np.float32(20.0)  # largest exponent; larger forces overflow


@inlined
def _sum(near, lanes):
    """Return the sum of eight lanes, added in the order of the lanes."""
    store(near, SCRATCH, lanes)
    total = ZERO
    for lane in range(8):
        total += near[uint64(SCRATCH + lane)]
    return total


@inlined
def _neighbours(view, own, turn):
    """Return sums for all neighbours: pushes [N], sliding friction [N], and friction per speed [kg/s]. Neighbours at
    the same position push in a random direction.
    """
    near, lane = view.near, load(LANE, 0)
    seen, wish = view.agents.seen[view.row], view.agents.own[view.row]
    tie_x, tie_y = turn_direction(view, turn)
    push_x = push_y = slide_x = slide_y = grip = broadcast(ZERO)
    for number in range(0, view.count, 8):
        x, y, size = offsets_of(near, number)
        is_apart, overlap = size > NOWHERE, load(near, number + TOUCHING) - size
        x, y = select(is_apart, x / size, tie_x), select(is_apart, y / size, tie_y)
        is_one, depth = lane < np.float32(view.count - number), maximum(overlap, ZERO)
        weight = select(wish[DX] * x + wish[DY] * y < BEHIND, own.rear_weight, ONE)
        push = weight * own.strength * short_exp(minimum(overlap / own.range, MOST)) + own.body_force * depth
        rub = select(is_one, own.friction * depth, ZERO)
        faster_x, faster_y = load(near, number + WITH_VX) - seen[VX], load(near, number + WITH_VY) - seen[VY]
        slide = rub * (faster_y * x - faster_x * y)
        push_x, push_y = push_x - select(is_one, push * x, ZERO), push_y - select(is_one, push * y, ZERO)
        slide_x, slide_y = slide_x - select(is_one, slide * y, ZERO), slide_y + select(is_one, slide * x, ZERO)
        grip = grip + rub
    return _sum(near, push_x), _sum(near, push_y), _sum(near, slide_x), _sum(near, slide_y), _sum(near, grip)


@inlined
def _walls(view, own):
    """Return sums for all walls: pushes [N], sliding friction [N], and friction per speed [kg/s]."""
    seen, push_x, push_y, slide_x, slide_y, grip = view.agents.seen[view.row], ZERO, ZERO, ZERO, ZERO, ZERO
    x, y = np.float64(seen[X]), np.float64(seen[Y])
    first, end, is_listed = walls_within(view.walls, x, y)
    for number in range(first, end):
        to_x, to_y, size = faced_wall(view.walls, number, is_listed, x, y)
        if size < REACH:
            to_x, to_y, overlap = to_x / max(size, NOWHERE), to_y / max(size, NOWHERE), seen[RADIUS] - size
            push = own.strength * short_exp(min(overlap / own.range, MOST)) + own.body_force * positive(overlap)
            rub = own.friction * positive(overlap)
            slide = rub * (seen[VX] * to_y - seen[VY] * to_x)
            push_x, push_y, grip = push_x - push * to_x, push_y - push * to_y, grip + rub
            slide_x, slide_y = slide_x - slide * to_y, slide_y + slide * to_x
    return push_x, push_y, slide_x, slide_y, grip


@steering_kernel(SocialForce)
def steer(view, parameters, turn):
    """Write the decision of an agent for a sub-step. See `steering_kernel`. Friction can stop the sliding of two bodies
    in a sub-step, but never reverses it.
    """
    own = parameters[view.row]
    push_x, push_y, slide_x, slide_y, grip = _neighbours(view, own, turn)
    if view.wall < REACH:
        by_x, by_y, rub_x, rub_y, rub = _walls(view, own)
        push_x, push_y, grip = push_x + by_x, push_y + by_y, grip + rub
        slide_x, slide_y = slide_x + rub_x, slide_y + rub_y
    grip *= np.float32(turn.seconds)
    share = own.mass / grip if grip > own.mass else ONE
    ax, ay = (push_x + share * slide_x) / own.mass, (push_y + share * slide_y) / own.mass
    accelerate(view, own.relaxation, ax, ay, turn)
