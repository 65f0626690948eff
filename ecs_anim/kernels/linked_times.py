"""Arrival times on a plan with links.

A link connects two cells that represent the same place, such as the two sides of a seam between storeys. A link leads
from a cell to another cell. If the first cell gets an arrival time, the second cell also gets this arrival time, plus
the time for the ride of a lift.
"""

from numba import uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.arrival_times import DONE, UNSEEN, _beyond, _pop, _push, _time_of
from ecs_anim.kernels.types import COUNT, INTS, OUT_INTS, OUT_REALS, ROUTE_CELLS, void


@inlined
def _pass_on(first, to, seconds, kinds, kind, times, heap, where, count, cell):
    """Copy the arrival time of a cell to the cells to which its links lead. Return the number of cells in the heap."""
    for number in range(first[uint64(cell)], first[uint64(cell + 1)]):
        other = uint64(to[uint64(number)])
        if kinds[other] == kind and where[other] != DONE:
            count = _push(times[uint64(cell)] + seconds[uint64(number)], times, heap, where, count, to[uint64(number)])
    return count


@kernel(void(ROUTE_CELLS, INTS, INTS, OUT_REALS, COUNT, OUT_REALS, OUT_INTS, OUT_INTS))
def march_linked(cells, first, to, seconds, kind, times, heap, where):
    """Write the arrival times [cell] [s] of all cells of the kind `kind`."""
    kinds, links, slow, columns, spacing = cells.kinds, cells.links, cells.slowness, cells.columns, cells.spacing
    count = 0
    for cell in range(len(times)):
        where[uint64(cell)] = DONE if times[uint64(cell)] < 1e300 else UNSEEN
    for cell in range(len(times)):
        own = uint64(cell)
        if where[own] == DONE:
            count = _pass_on(first, to, seconds, kinds, kind, times, heap, where, count, cell)
        elif kinds[own] == kind:
            time = _time_of(links[own], columns, spacing * slow[own], times, where, cell)
            count = _push(time, times, heap, where, count, cell)
    while count > 0:
        cell = _pop(times, heap, where, count)
        count -= 1
        count = _pass_on(first, to, seconds, kinds, kind, times, heap, where, count, cell)
        for side in range(4):
            if (links[uint64(cell)] >> side) & 1 == 0:
                continue
            other = _beyond(columns, cell, side)
            own = uint64(other)
            if kinds[own] == kind and where[own] != DONE:
                time = _time_of(links[own], columns, spacing * slow[own], times, where, other)
                count = _push(time, times, heap, where, count, other)
