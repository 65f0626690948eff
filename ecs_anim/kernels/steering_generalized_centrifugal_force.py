"""Generalized centrifugal force model (Chraibi, Seyfried and Schadschneider 2010, arXiv 1008.4297)."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.neighbours import NOWHERE, REACH, TOUCHING, WITH_EX, WITH_EY, WITH_VX, WITH_VY
from ecs_anim.kernels.steering import steering_kernel
from ecs_anim.kernels.steering_contacts import ONE, ZERO, offset_of
from ecs_anim.kernels.steering_forces import accelerate, faced_wall, most_one, positive, walls_within
from ecs_anim.steering.agents import EX, EY, MODEL, RADIUS, SPEED, VX, VY, X, Y
from ecs_anim.steering.models import GeneralizedCentrifugalForce

FARTHEST = np.float32(2.0)  # [m], gap between two bodies without repulsion
NEAREST = np.float32(0.1)  # [m], gap from which the repulsion grows to its largest value at contact
FADES = np.float32(0.1)  # [m], the repulsion falls to 0 over this part of the gap before FARTHEST
LARGEST = np.float32(3.0)  # repulsion at contact, as a multiple of the repulsion at the gap NEAREST
TWO, THREE = np.float32(2), np.float32(3)


@inlined
def _hermite(share, from_value, from_slope, to_value, to_slope):
    """Return the value of a cubic polynomial at `share`. The polynomial has the given values and slopes (per share) at
    0 and 1.
    """
    change = to_value - from_value
    third, second = from_slope + to_slope - TWO * change, THREE * change - TWO * from_slope - to_slope
    return from_value + share * (from_slope + share * (second + share * third))


@inlined
def _per_gap(gap):
    """Return the reciprocal [1/m] of a gap, interpolated to fixed values near contact and near FARTHEST."""
    begins = FARTHEST - FADES
    if gap >= FARTHEST:
        return ZERO
    if gap > begins:
        return _hermite((gap - begins) / FADES, ONE / begins, -FADES / (begins * begins), ZERO, ZERO)
    if gap > NEAREST:
        return ONE / gap
    share = gap / NEAREST if gap > ZERO else ZERO
    return _hermite(share, LARGEST / NEAREST, ZERO, ONE / NEAREST, -ONE / NEAREST)


@inlined
def _reach(own, speed, desired, ex, ey, x, y):
    """Return the distance [m] from an ellipse's centre to its border in the direction x, y. The ellipse has the half
    axes a `along` the direction ex, ey and b `across`. The distance is ab / sqrt((b cos)^2 + (a sin)^2).
    """
    share = most_one(speed / desired) if desired > ZERO else ONE
    along, across = own.length + own.stretch * speed, own.width - (own.width - own.least_width) * share
    b_cosine, a_sine = across * (ex * x + ey * y), along * (ex * y - ey * x)
    return along * across / max(np.sqrt(b_cosine * b_cosine + a_sine * a_sine), NOWHERE)


@inlined
def _speed(vx, vy):
    return np.sqrt(vx * vx + vy * vy)


@inlined
def _push(onward, speed, closing, strength, desired, gap):
    """Return the repulsion [m/s²] by a neighbour or a wall. `onward` [m/s] is the agent's speed towards it, and
    `closing` [m/s] the speed at which the gap shrinks.
    """
    rate = strength * desired + positive(closing)
    return positive(onward) / max(speed, NOWHERE) * rate * rate * _per_gap(gap)


@inlined
def _by_neighbours(view, parameters, speed):
    """Return the acceleration [m/s²] by all neighbours. Neighbours with other steering models count as discs."""
    agents, near, own, ax, ay = view.agents, view.near, parameters[view.row], ZERO, ZERO
    seen, desired, model = agents.seen[view.row], agents.own[view.row, SPEED], agents.identity[view.row, MODEL]
    for number in range(view.count):
        x, y, size = offset_of(near, number)
        x, y, other = x / size, y / size, uint64(view.rows[uint64(number)])
        onward = seen[VX] * x + seen[VY] * y
        if onward <= ZERO:
            continue
        vx, vy = near[uint64(number + WITH_VX)], near[uint64(number + WITH_VY)]
        theirs = near[uint64(number + TOUCHING)] - seen[RADIUS]
        if agents.identity[other, MODEL] == model:
            ex, ey = near[uint64(number + WITH_EX)], near[uint64(number + WITH_EY)]
            theirs = _reach(parameters[other], _speed(vx, vy), agents.own[other, SPEED], ex, ey, x, y)
        gap = size - theirs - _reach(own, speed, desired, seen[EX], seen[EY], x, y)
        push = _push(onward, speed, onward - vx * x - vy * y, own.strength, desired, gap)
        ax, ay = ax - push * x, ay - push * y
    return ax, ay


@inlined
def _by_walls(view, own, speed):
    """Return the acceleration [m/s²] by the nearest points of all walls."""
    seen, desired, ax, ay = view.agents.seen[view.row], view.agents.own[view.row, SPEED], ZERO, ZERO
    at_x, at_y = np.float64(seen[X]), np.float64(seen[Y])
    first, end, is_listed = walls_within(view.walls, at_x, at_y)
    for number in range(first, end):
        x, y, size = faced_wall(view.walls, number, is_listed, at_x, at_y)
        if size < REACH:
            x, y = x / max(size, NOWHERE), y / max(size, NOWHERE)
            onward = seen[VX] * x + seen[VY] * y
            gap = size - _reach(own, speed, desired, seen[EX], seen[EY], x, y)
            push = _push(onward, speed, onward, own.wall_strength, desired, gap)
            ax, ay = ax - push * x, ay - push * y
    return ax, ay


@steering_kernel(GeneralizedCentrifugalForce)
def steer(view, parameters, turn):
    """Write the decision of an agent for a sub-step. See `steering_kernel`."""
    own, seen = parameters[view.row], view.agents.seen[view.row]
    speed = _speed(seen[VX], seen[VY])
    ax, ay = _by_neighbours(view, parameters, speed)
    if view.wall < REACH:
        by_x, by_y = _by_walls(view, own, speed)
        ax, ay = ax + by_x, ay + by_y
    accelerate(view, own.relaxation, ax, ay, turn)  # adds the drive towards the desired velocity
