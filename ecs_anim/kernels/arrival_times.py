"""Arrival times: the walking time from each cell to a goal, and the walking direction in each cell.

Fast marching (Sethian 1996) solves the eikonal equation |grad T| = slowness with first-order upwind differences. Fast
marching processes the cells in the order of their arrival times. The kernels process the cells that are too narrow for
a body after all free cells. Therefore, the routes of actors in free cells do not lead through narrow cells. An actor in
a narrow cell still finds a way out of this cell.
"""

import numpy as np
from numba import types, uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import COUNT, INTS, OUT, OUT_2D, OUT_INTS, OUT_REALS, REAL, REALS, ROUTE_CELLS, WALLS, void
from ecs_anim.kernels.walls import sees
from ecs_anim.routing.arrays import EAST, LEAST_TIME, NORTH, SOUTH, WEST

CELL_LINKS = types.Tuple([INTS, INTS, REALS])
UNSEEN, DONE = -1, -2  # values of `where`; a value of 0 or more is the index of the cell in the heap
POINT_REACH = 3  # number of cells to each side of a goal; their arrival times are the times of straight ways


@kernel(void(WALLS, ROUTE_CELLS, REAL, REAL, COUNT, OUT_REALS))
def begin_at_point(walls, cells, x, y, kind, times):
    """Write the arrival times [cell] [s] of the cells of one kind that are near the goal x, y [m] and visible from the
    goal. An arrival time is the distance to the goal times the cell's slowness, but at least LEAST_TIME. If the cells
    differ in slowness, only the nearest cell gets a time: with several times, the times would not decrease along the
    whole way.
    """
    reach = POINT_REACH + int(cells.radius / cells.spacing)
    middle = min(max(int((x - cells.origin_x) / cells.spacing), 0), cells.columns - 1)
    middle_row = min(max(int((y - cells.origin_y) / cells.spacing), 0), cells.rows - 1)
    nearest, least, is_alike = -1, np.inf, True
    for row in range(max(middle_row - reach, 0), min(middle_row + reach + 1, cells.rows)):
        for column in range(max(middle - reach, 0), min(middle + reach + 1, cells.columns)):
            cell = uint64(row * cells.columns + column)
            node_x, node_y = np.float64(cells.nodes[cell, 0]), np.float64(cells.nodes[cell, 1])
            if cells.kinds[cell] == kind and sees(walls, node_x, node_y, x, y):
                away = np.sqrt((node_x - x) * (node_x - x) + (node_y - y) * (node_y - y))
                times[cell] = max(away * cells.slowness[cell], np.float64(LEAST_TIME))
                is_alike &= nearest < 0 or cells.slowness[cell] == cells.slowness[uint64(nearest)]
                if away < least:
                    nearest, least = int(cell), away
    if not is_alike:
        time = times[uint64(nearest)]
        times[:] = np.inf
        times[uint64(nearest)] = time


@inlined
def _beyond(columns, cell, side):
    step = (columns if side & 1 else 1) if side < WEST else (-columns if side & 1 else -1)
    return cell + step


@inlined
def _time_beyond(links, columns, times, where, cell, side):
    """Return the arrival time of the cell to which a link on a side leads, or inf if the time is not final."""
    if (links >> side) & 1 == 0:
        return np.inf
    other = uint64(_beyond(columns, cell, side))
    return times[other] if where[other] == DONE else np.inf


@inlined
def _time_of(links, columns, cost, times, where, cell):
    """Compute the arrival time of a cell from its neighbours. `cost` [s] is the time to cross the cell."""
    east = _time_beyond(links, columns, times, where, cell, EAST)
    west = _time_beyond(links, columns, times, where, cell, WEST)
    north = _time_beyond(links, columns, times, where, cell, NORTH)
    south = _time_beyond(links, columns, times, where, cell, SOUTH)
    one, other = min(east, west), min(north, south)
    apart = abs(one - other)
    if not apart < cost:
        return min(one, other) + cost
    return 0.5 * (one + other + np.sqrt(2.0 * cost * cost - apart * apart))


@inlined
def _sift_up(times, heap, where, at):
    """Move the cell at index `at` up in the heap, until the arrival time of its parent in the heap is not later."""
    cell = heap[uint64(at)]
    while at > 0:
        above = (at - 1) // 2
        if times[uint64(heap[uint64(above)])] <= times[uint64(cell)]:
            break
        heap[uint64(at)] = heap[uint64(above)]
        where[uint64(heap[uint64(at)])] = at
        at = above
    heap[uint64(at)] = cell
    where[uint64(cell)] = at


@inlined
def _pop(times, heap, where, count):
    """Remove the cell with the earliest arrival time from a heap of `count` cells. Return the cell."""
    first, cell, at = heap[0], heap[uint64(count - 1)], 0
    while 2 * at + 1 < count - 1:
        below = 2 * at + 1
        if below + 1 < count - 1 and times[uint64(heap[uint64(below + 1)])] < times[uint64(heap[uint64(below)])]:
            below += 1
        if times[uint64(cell)] <= times[uint64(heap[uint64(below)])]:
            break
        heap[uint64(at)] = heap[uint64(below)]
        where[uint64(heap[uint64(at)])] = at
        at = below
    heap[uint64(at)] = cell
    where[uint64(cell)] = at
    where[uint64(first)] = DONE
    return first


@inlined
def _push(time, times, heap, where, count, cell):
    """Set a cell's arrival time if `time` is earlier, and move the cell up in the heap. Return the heap's size."""
    own = uint64(cell)
    if not time < times[own]:
        return count
    times[own] = time
    if where[own] == UNSEEN:
        heap[uint64(count)], where[own] = cell, count
        count += 1
    _sift_up(times, heap, where, where[own])
    return count


@inlined
def _pass_on(links, kinds, kind, times, heap, where, count, cell):
    """Copy the arrival time of a cell to the cells to which its links lead. Return the heap's size."""
    first, to, seconds = links
    for number in range(first[uint64(cell)], first[uint64(cell + 1)]):
        other = uint64(to[uint64(number)])
        if kinds[other] == kind and where[other] != DONE:
            count = _push(times[uint64(cell)] + seconds[uint64(number)], times, heap, where, count, to[uint64(number)])
    return count


@kernel(void(ROUTE_CELLS, CELL_LINKS, COUNT, OUT_REALS, OUT_INTS, OUT_INTS))
def march(cells, cell_links, kind, times, heap, where):
    """Write the arrival times [cell] [s] of all cells of the kind `kind` from which a way leads to the goal.

    Before the call, some cells near the goal must have arrival times. In each iteration, the kernel removes the cell
    with the earliest arrival time, which is final, from the heap. Then the kernel computes the arrival times of its
    neighbours again. `cell_links` contains `CellLinks`: a link copies the arrival time of a cell to a cell at the same
    place, such as on the other side of a seam, plus the `seconds` of the ride. Without links, the arrays are empty.
    `heap` [cell] and `where` [cell] are work memory. At the end, `where` is DONE for each cell with an arrival time.
    """
    kinds, links, slow, columns, spacing = cells.kinds, cells.links, cells.slowness, cells.columns, cells.spacing
    count, is_linked = 0, len(cell_links[0]) > 0
    for cell in range(len(times)):
        where[uint64(cell)] = DONE if times[uint64(cell)] < np.inf else UNSEEN
    for cell in range(len(times)):
        own = uint64(cell)
        if where[own] == DONE:
            if is_linked:
                count = _pass_on(cell_links, kinds, kind, times, heap, where, count, cell)
        elif kinds[own] == kind:
            time = _time_of(links[own], columns, spacing * np.float64(slow[own]), times, where, cell)
            count = _push(time, times, heap, where, count, cell)
    while count > 0:
        cell = _pop(times, heap, where, count)
        count -= 1
        if is_linked:
            count = _pass_on(cell_links, kinds, kind, times, heap, where, count, cell)
        for side in range(4):
            if (links[uint64(cell)] >> side) & 1 == 0:
                continue
            other = _beyond(columns, cell, side)
            own = uint64(other)
            if kinds[own] == kind and where[own] != DONE:
                time = _time_of(links[own], columns, spacing * np.float64(slow[own]), times, where, other)
                count = _push(time, times, heap, where, count, other)


@inlined
def _drop(kinds, links, columns, times, cell, side):
    """Return by how much [s] a neighbour's arrival time is earlier: 0 without a link, or if a body fits worse there."""
    own = uint64(cell)
    if (links[own] >> side) & 1 == 0:
        return 0.0
    other = uint64(_beyond(columns, cell, side))
    return max(times[own] - times[other], 0.0) if kinds[other] <= kinds[own] else 0.0


@kernel(void(ROUTE_CELLS, OUT_REALS, OUT, OUT_2D))
def lead_down(cells, times, out_times, out_ways):
    """Write the arrival time of each cell to `out_times` [cell], and the unit vector towards the neighbours with
    earlier arrival times to `out_ways` [cell, 2]. Without such a neighbour, the vector is 0, 0.
    """
    kinds, links, columns = cells.kinds, cells.links, cells.columns
    for cell in range(len(times)):
        own = uint64(cell)
        out_times[own], out_ways[own, 0], out_ways[own, 1] = times[own], 0.0, 0.0
        if not times[own] < np.inf:
            continue
        east = _drop(kinds, links, columns, times, cell, EAST)
        west = _drop(kinds, links, columns, times, cell, WEST)
        north = _drop(kinds, links, columns, times, cell, NORTH)
        south = _drop(kinds, links, columns, times, cell, SOUTH)
        x, y = (east if east >= west else -west), (north if north >= south else -south)
        size = np.sqrt(x * x + y * y)
        if size > 0.0:
            out_ways[own, 0], out_ways[own, 1] = x / size, y / size
