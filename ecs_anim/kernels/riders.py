"""Riders: the actors that moving steps, lifts and closed connections can move or stop."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import BOOLS, COUNT, FLOATS_2D, INTS, OUT_2D, OUT_INTS, REAL, REALS_2D, void
from ecs_anim.storeys.connections import FAR, FROM_X, FROM_Y, INWARD_X, INWARD_Y, LEVEL, WIDE

MARGIN = 0.01  # [m], larger than all rounding errors of positions


@inlined
def _is_before(end, level, x, y, way):
    """Return whether an actor of a level is in the box in front of an end. `way` [m] lengthens the box."""
    if level != end[LEVEL]:
        return False
    x, y = x - end[FROM_X], y - end[FROM_Y]
    before = -(x * end[INWARD_X] + y * end[INWARD_Y])
    aside = abs(y * end[INWARD_X] - x * end[INWARD_Y])
    return -MARGIN < before < end[FAR] + way + MARGIN and aside < end[WIDE] + MARGIN


@kernel(COUNT(INTS, FLOATS_2D, FLOATS_2D, FLOATS_2D, REALS_2D, BOOLS, REAL, OUT_INTS))
def find_riders(space, translation, velocity, carried, ends, rides, seconds, out_rows):
    """Write the rows of the riders of a crowd to `out_rows` [actor]. Return their number. Riders are carried actors
    (`carried` as in `Storeyed`), actors in spaces with `rides` [space], and actors that are in front of `ends` [end,
    `END_COLUMNS`] or arrive there within `seconds`.
    """
    count = 0
    for number in range(len(space)):
        actor = uint64(number)
        own = space[actor]
        is_rider = not np.isnan(carried[actor, 2]) or (own >= 0 and rides[uint64(own)])
        if not is_rider:
            x, y = np.float64(translation[actor, 0]), -np.float64(translation[actor, 2])
            way = seconds * (abs(np.float64(velocity[actor, 0])) + abs(np.float64(velocity[actor, 1])))
            for end in range(len(ends)):
                is_rider = is_rider or _is_before(ends[uint64(end)], own, x, y, way)
        if is_rider:
            out_rows[uint64(count)] = number
            count += 1
    return count


@kernel(void(FLOATS_2D, REAL, OUT_2D))
def stand_on_steps(carried, offset, out_translation):
    """Move carried actors [actor, 3] vertically, to `offset` [m] above the steps or the car below them."""
    above = np.float32(offset)
    for number in range(len(carried)):
        height = carried[uint64(number), 2]
        if not np.isnan(height):
            out_translation[uint64(number), 1] = height + above
