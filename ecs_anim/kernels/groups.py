"""Groups of actors that walk together. Members change their speeds and directions so that they walk side by side."""

import numpy as np

from ecs_anim.body.movers import STEERED
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.types import INTS, MOVERS, PLACEMENT, STEERING, void

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
ABREAST = np.float32(0.7)  # [m], distance between neighbouring members
SLACK = np.float32(2.0)  # [m], distance from the middle, ahead or behind, that changes the haste by 1
LEAST, MOST = np.float32(0.3), np.float32(1.3)  # least and greatest haste
LEANS = np.float32(0.4)  # weight of the lean of a member that is a metre or more from its position
CLOSE = np.float32(2.0)  # [m] from a goal where members stop; nearer members leave the group
SLOW = np.float32(0.1)  # [m/s]; the direction of a slower group is the direction to its goals


@inlined
def _clipped(value, least, most):
    return least if value < least else (most if value > most else value)


@inlined
def _takes_part(actor, kind, translation, steering):
    """Return whether a member of a group is on its way: it has left its start and has not arrived."""
    if kind[actor] != STEERED or steering.haste[actor] == ZERO:
        return False
    x, z = steering.goal[actor, 0] - translation[actor, 0], steering.goal[actor, 1] - translation[actor, 2]
    return steering.halts[actor] == 0 or x * x + z * z > CLOSE * CLOSE


@helper
def _middle(members, count, translation, velocity, goal):
    """Return the middle x, z [m] of a group and its walking direction, a unit vector or 0, 0."""
    x, z, vx, vz, to_x, to_z = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for number in range(count):
        actor = members[number]
        x, z = x + translation[actor, 0], z + translation[actor, 2]
        vx, vz = vx + velocity[actor, 0], vz + velocity[actor, 1]
        to_x, to_z = to_x + goal[actor, 0] - translation[actor, 0], to_z + goal[actor, 1] - translation[actor, 2]
    many = np.float32(count)
    if vx * vx + vz * vz < SLOW * SLOW * many * many:
        vx, vz = to_x, to_z
    size = np.sqrt(vx * vx + vz * vz)
    return (x / many, z / many, vx / size, vz / size) if size > ZERO else (x / many, z / many, ZERO, ZERO)


@inlined
def _rank(sides, number, count):
    """Return how many members walk to the right of a member. Members that are equally far right keep their order."""
    rank = 0
    for other in range(count):
        rank += sides[other] < sides[number] or (sides[other] == sides[number] and other < number)
    return rank


@helper
def _keep_together(members, sides, count, translation, velocity, steering):
    """Write the speed factors `haste` and the sideways directions `lean` of a group with at least two members."""
    goal, haste, lean = steering.goal, steering.haste, steering.lean
    x, z, dx, dz = _middle(members, count, translation, velocity, goal)
    for number in range(count):
        actor = members[number]
        sides[number] = dz * (translation[actor, 0] - x) - dx * (translation[actor, 2] - z)
    for number in range(count):
        actor = members[number]
        ahead = dx * (translation[actor, 0] - x) + dz * (translation[actor, 2] - z)
        haste[actor] = _clipped(ONE - ahead / SLACK, LEAST, MOST)
        beside = (np.float32(_rank(sides, number, count)) - HALF * np.float32(count - 1)) * ABREAST
        push = LEANS * _clipped(beside - sides[number], -ONE, ONE)
        lean[actor, 0], lean[actor, 1] = push * dz, -push * dx


@kernel(void(INTS, INTS, MOVERS, PLACEMENT, STEERING))
def keep_together(order, group, movers, placement, steering):
    """Write the speed factors `haste` and the sideways directions `lean` of group members on their way. `order`
    contains the rows of the actors, sorted by `group` [actor] (-1 = none). Members ahead of the middle walk slower, and
    members behind it faster. Neighbours keep equal distances.
    """
    translation, haste, lean = placement.translation, steering.haste, steering.lean
    members, sides = np.empty(len(order), np.int32), np.empty(len(order), np.float32)
    begin = 0
    while begin < len(order):
        number, count, end = group[order[begin]], 0, begin
        while end < len(order) and group[order[end]] == number:
            actor, end = order[end], end + 1
            if number < 0:
                continue
            lean[actor, 0], lean[actor, 1] = ZERO, ZERO
            if haste[actor] > ZERO:
                haste[actor] = ONE
            if _takes_part(actor, movers.kind, translation, steering):
                members[count], count = actor, count + 1
        if count > 1:
            _keep_together(members, sides, count, translation, movers.velocity, steering)
        begin = end
