"""Blend spaces of two parameters, eight actors at a time, as `motion` has them one by one, to the bit.

`weights` is memory for the members' weights [MAX_MEMBERS, 8], `ways` for what hangs on members alone [WAYS]; both are
`flat`.
"""

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.motion import STILL
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.simd import broadcast, load, maximum, minimum, select, store

ZERO, ONE = np.float32(0), np.float32(1)
WAY = 3  # numbers: x, y and the square of the length
WAYS = MAX_MEMBERS * MAX_MEMBERS * WAY


@inlined
def measure_ways(table, members, number, ways):
    """Write the way from each member to each other one."""
    first, count = table[number]["first_member"], table[number]["member_count"]
    for member in range(count):
        for other in range(count):
            at = WAY * (MAX_MEMBERS * member + other)
            x = members[first + other]["x"] - members[first + member]["x"]
            y = members[first + other]["y"] - members[first + member]["y"]
            ways[at], ways[at + 1], ways[at + 2] = x, y, x * x + y * y


@inlined
def _influence(ways, count, member, x, y):
    """How much of a member there is where the parameters are x and y beyond it, 0 to 1."""
    influence = broadcast(ONE)
    for other in range(count):
        if other != member:
            at = WAY * (MAX_MEMBERS * member + other)
            influence = minimum(influence, ONE - (x * ways[at] + y * ways[at + 1]) / ways[at + 2])
    return maximum(influence, ZERO)


@inlined
def plane_weights(table, members, number, ways, x, y, weights):
    """Write the members' weights where the parameters are x and y; after `measure_ways`."""
    first, count, total = table[number]["first_member"], table[number]["member_count"], broadcast(ZERO)
    for member in range(count):
        influence = _influence(ways, count, member, x - members[first + member]["x"], y - members[first + member]["y"])
        store(weights, 8 * member, influence)
        total = total + influence
    for member in range(count):
        store(weights, 8 * member, load(weights, 8 * member) / total)


@inlined
def plane_rate(table, members, number, now, weights):
    """Cycles a second of a space that keeps pace; now: both parameters, speed and scale [m]. After `plane_weights`."""
    x, y, speed, scale = now
    first = table[number]["first_member"]
    duration = side = ahead = broadcast(ZERO)
    for member in range(table[number]["member_count"]):
        own = members[first + member]
        length = load(weights, 8 * member) * own["duration"]
        duration, side, ahead = duration + length, side + length * own["side"], ahead + length * own["ahead"]
    natural = select(duration > ZERO, speed / duration, ZERO)
    square = (side * side + ahead * ahead) * scale
    return select(square < STILL * STILL, natural, (x * side + y * ahead) / square)
