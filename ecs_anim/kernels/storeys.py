"""Spaces of an unfolded plan: kernels move actors to other spaces, and copy agents near seams as ghosts. On an unfolded
plan, all levels and flights of a building lie side by side as spaces. A seam is the line between two spaces. Seams and
agents have plan coordinates: x east, y north [m].
"""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.neighbours import REACH
from ecs_anim.kernels.types import AGENTS, COUNT, FLOATS_2D, INTS, OUT_2D, OUT_INTS, STEERING, record, void
from ecs_anim.steering.agents import MODEL, NOBODY, X, Y
from ecs_anim.steering.columns import WAY_SPEED, WAY_X, WAY_Z
from ecs_anim.storeys import arrays as col
from ecs_anim.storeys.arrays import SpaceArrays

SPACES = record(SpaceArrays)
ZERO = np.float32(0)
SEAMS = 3  # largest number of seams that an actor crosses in a step
BESIDE = np.float32(0.3)  # [m], distance from a seam's end; up to it, an actor beside the seam also changes the space


@inlined
def _beyond(line, x, y):
    """Return the distance [m] of a point beyond a seam, and the distance along the seam from the seam's middle."""
    aside, onward = x - line[col.AT_X], y - line[col.AT_Y]
    ahead = aside * line[col.AHEAD_X] + onward * line[col.AHEAD_Y]
    return ahead, abs(onward * line[col.AHEAD_X] - aside * line[col.AHEAD_Y])


@helper
def _next_space(spaces, space, x, y):
    """Return the space behind the seam that an actor has crossed. If the actor has crossed no seam, return `space`."""
    for number in range(spaces.first[uint64(space)], spaces.first[uint64(space + 1)]):
        line = spaces.lines[uint64(number)]
        ahead, along = _beyond(line, x, y)
        if ZERO < ahead < line[col.DEPTH] and along < line[col.HALF] + BESIDE:
            return np.int64(spaces.to[uint64(number)])
    return space


@kernel(COUNT(SPACES, OUT_2D, OUT_INTS, OUT_2D))
def unfold(spaces, translation, space, out_plan):
    """Update the spaces of actors, and write their translations [actor, 3] [m] on the unfolded plan. Return the number
    of actors whose space is -1 (not known), and whose translations do not change.
    """
    unknown = 0
    for number in range(len(space)):
        actor = uint64(number)
        own, x, y = np.int64(space[actor]), translation[actor, 0], -translation[actor, 2]
        out_plan[actor, 1] = translation[actor, 1]
        if own < 0:
            out_plan[actor, 0], out_plan[actor, 2] = x, -y
            unknown += 1
            continue
        for _ in range(SEAMS):
            offset = spaces.offsets[uint64(own)]
            to = _next_space(spaces, own, x + offset[0], y + offset[1])
            if to == own:
                break
            own = to
        offset = spaces.offsets[uint64(own)]
        space[actor] = own
        out_plan[actor, 0], out_plan[actor, 2] = x + offset[0], -(y + offset[1])
    return unknown


@inlined
def _is_seen_beyond(line, x, y):
    """Return whether a point in front of a seam is near enough that agents behind the seam can see it."""
    ahead, along = _beyond(line, x, y)
    return -REACH < ahead <= ZERO and along < line[col.HALF] + REACH


@kernel(COUNT(SPACES, FLOATS_2D, INTS))
def count_ghosts(spaces, plan, space):
    """Return the number of ghosts (see `add_ghosts`) for translations `plan` [actor, 3] [m] on the unfolded plan."""
    count = 0
    for number in range(len(space)):
        own, x, y = space[uint64(number)], plan[uint64(number), 0], -plan[uint64(number), 2]
        if own >= 0:
            for seam in range(spaces.first[uint64(own)], spaces.first[uint64(own + 1)]):
                if _is_seen_beyond(spaces.lines[uint64(seam)], x, y):
                    count += 1
    return count


@inlined
def _copy(rows, row, to):
    for column in range(rows.shape[1]):
        rows[to, uint64(column)] = rows[row, uint64(column)]


@kernel(COUNT(SPACES, INTS, COUNT, COUNT, AGENTS))
def add_ghosts(spaces, space, begin, end, agents):
    """Write the ghosts of a crowd to the `Agents` from the row `end` on. Return the next free row. `begin` is the first
    row of the crowd. A ghost is a copy of an agent near a seam in the space on the other side, where agents see it. It
    makes no decisions.
    """
    to = int(end)
    for number in range(len(space)):
        own = np.int64(space[uint64(number)])
        if own < 0:
            continue
        row = uint64(begin + number)
        x, y = agents.seen[row, X], agents.seen[row, Y]
        for seam in range(spaces.first[uint64(own)], spaces.first[uint64(own + 1)]):
            if not _is_seen_beyond(spaces.lines[uint64(seam)], x, y):
                continue
            ghost, other = uint64(to), uint64(spaces.to[uint64(seam)])
            _copy(agents.seen, row, ghost)
            _copy(agents.own, row, ghost)
            _copy(agents.parameters, row, ghost)
            _copy(agents.identity, row, ghost)
            _copy(agents.chosen, row, ghost)
            agents.seen[ghost, X] = x + (spaces.offsets[other, 0] - spaces.offsets[uint64(own), 0])
            agents.seen[ghost, Y] = y + (spaces.offsets[other, 1] - spaces.offsets[uint64(own), 1])
            agents.identity[ghost, MODEL] = NOBODY
            to += 1
    return to


@kernel(void(SPACES, INTS, STEERING))
def slow_on_slopes(spaces, space, crowd):
    """Multiply desired speeds on flights by the factor of the flight. The factors uphill and downhill differ."""
    for number in range(len(space)):
        own = space[uint64(number)]
        if own >= 0:
            slope, way = spaces.slope[uint64(own)], crowd.way[uint64(number)]
            rise = way[WAY_X] * slope[col.UP_X] - way[WAY_Z] * slope[col.UP_Y]
            way[WAY_SPEED] *= slope[col.UP_FACTOR] if rise > ZERO else slope[col.DOWN_FACTOR]
