"""Neighbour search. The kernels sort agents by grid cell, so that neighbours are near each other in memory."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import AGENTS, CELLS, COUNT, void
from ecs_anim.simd import compress_indices, gather_each, load, pointer, prefetch, rows_at, store
from ecs_anim.steering.agents import CHOSEN, IDENTITY, OWN, RADIUS, ROOM, SEEN, X, Y
from ecs_anim.steering.own import PARAMETER_COUNT
from ecs_anim.walls.arrays import SIGHT

CELL = 1.5  # [m], size of a cell
RING = 2  # number of cells to each side of an agent's cell that the search visits
REACH = np.float32(SIGHT)  # [m], at most RING * CELL
NOWHERE = np.float32(1e-6)  # [m]; a shorter vector has no direction
FEWEST = 8  # least number of columns and rows; must be at least 2 RING + 1
# Memory for the neighbours of one agent: a column of `MOST` numbers for each quantity. `MOST` is not a power of two, so
# that the columns do not share cache sets. An agent has `MOST` neighbours at 35 agents per m^2. The search ignores all
# further neighbours.
MOST = 1008
# Offset from the agent [m], velocity [m/s], heading, sum of both radii [m], row (int32), and two scratch columns.
TO_X, TO_Y, WITH_VX, WITH_VY, WITH_EX, WITH_EY, TOUCHING, ROWS, SCRATCH, SCRATCH_2, NEAR = range(0, 11 * MOST, MOST)
DESCRIBED = 7  # columns that `describe` writes
AHEAD = 8  # number of agents between the prefetched agent and the copied agent
LANE = np.arange(8, dtype=np.float32)
PER_CELL = np.float32(1 / CELL)


@inlined
def _cell_at(x, size):
    """Return the column (or row) of the cell at a coordinate, in a periodic grid of `size` columns (or rows)."""
    return np.int64(np.floor(x * PER_CELL)) & (size - 1)


@inlined
def _side(low, high, most):
    """Return the number of columns (or rows), a power of two, for agents between `low` and `high` [m]."""
    size = FEWEST
    while size < most and size * CELL < high - low + CELL:
        size *= 2
    return size


@inlined
def _lay(seen, count, most, size):
    """Return the numbers of columns and rows of a grid that covers all agents. The grid has at most `most` cells."""
    low_x = high_x = seen[0, X]
    low_y = high_y = seen[0, Y]
    for agent in range(count):
        x, y = seen[uint64(agent), X], seen[uint64(agent), Y]
        low_x, high_x = min(low_x, x), max(high_x, x)
        low_y, high_y = min(low_y, y), max(high_y, y)
    columns, rows = _side(low_x, high_x, most), _side(low_y, high_y, most)
    while columns * rows > most:
        if columns > rows:
            columns //= 2
        else:
            rows //= 2
    size[0], size[1] = columns, rows


@inlined
def _copy(rows, row, to_rows, to, width):
    for column in range(width):
        to_rows[to, uint64(column)] = rows[row, uint64(column)]


@inlined
def _lay_out(agents, count, order, places, laid):
    """Copy agents to `laid` in the order `order`. The writes are sequential, which is faster than sequential reads."""
    sources = pointer(agents.seen), pointer(agents.own), pointer(agents.parameters), pointer(agents.identity)
    to_seen, to_parameters = pointer(laid.seen), pointer(laid.parameters)
    for place in range(count):
        soon = np.int64(order[uint64(min(place + AHEAD, count - 1))])
        prefetch(sources[0], soon * SEEN)
        prefetch(sources[1], soon * OWN)
        prefetch(sources[2], soon * PARAMETER_COUNT)
        prefetch(sources[3], soon * IDENTITY)
        to, row = uint64(place), uint64(order[uint64(place)])
        places[0, to], places[1, to] = agents.seen[row, X], agents.seen[row, Y]
        store(to_seen, place * SEEN, load(sources[0], np.int64(row) * SEEN))
        _copy(agents.own, row, laid.own, to, OWN)
        store(to_parameters, place * PARAMETER_COUNT, load(sources[2], np.int64(row) * PARAMETER_COUNT))
        _copy(agents.identity, row, laid.identity, to, IDENTITY)


@kernel(void(AGENTS, COUNT, CELLS, AGENTS))
def sort_into_cells(agents, count, cells, laid):
    """Sort the first `count` rows of the `Agents` by grid cell with a counting sort, which keeps the order in a cell.
    Writes the `Cells`, and all columns of `laid` (the sorted `Agents`) except `chosen`.
    """
    seen, first, cell = agents.seen, cells.first, cells.cell
    first[:] = 0
    cells.size[0], cells.size[1] = FEWEST, FEWEST
    if count == 0:
        return
    rooms = np.int64(cells.size[2])
    _lay(seen, count, (len(first) - 1) // rooms, cells.size)
    columns, rows = np.int64(cells.size[0]), np.int64(cells.size[1])
    cell_count = rooms * rows * columns
    for agent in range(count):
        row = agents.identity[uint64(agent), ROOM] * rows + _cell_at(seen[uint64(agent), Y], rows)
        number = row * columns + _cell_at(seen[uint64(agent), X], columns)
        cell[uint64(agent)] = number
        first[uint64(number + 1)] += 1
    for number in range(cell_count):
        first[uint64(number + 1)] += first[uint64(number)]
    for agent in range(count - 1, -1, -1):  # last agent first, because each cell is filled from its end
        end = uint64(cell[uint64(agent)] + 1)
        first[end] -= 1
        cells.order[uint64(first[end])] = agent
    _lay_out(agents, count, cells.order, cells.places, laid)
    for number in range(cell_count):  # now each entry is the first index of the previous cell
        first[uint64(number)] = first[uint64(number + 1)]
    first[uint64(cell_count)] = count


@inlined
def _find_among(places, begin, end, at, rows, found):
    """Append the agents in places[begin:end] within `REACH` of agent `at` to `rows`. Return the new length."""
    x, y, all_places, lane = places[0, uint64(at)], places[1, uint64(at)], pointer(places), load(LANE, 0)
    number = begin
    while True:  # also once for an empty range, because the CPU cannot predict which ranges are empty
        aside, onward = load(all_places, number) - x, load(all_places, places.shape[1] + number) - y
        is_other = (lane < np.float32(end - number)) & ~(lane == np.float32(at - number))
        is_near = is_other & (aside * aside + onward * onward < REACH * REACH)
        found = min(found + compress_indices(rows, found, number, is_near), MOST - 1)
        number += 8
        if number >= end:
            return found


@inlined
def pad_rows(rows, found, at):
    """Append the row of the agent `at` seven times, so that the last group of eight rows is full."""
    for number in range(found, found + 7):
        rows[uint64(number)] = at


@inlined
def describe(seen, at, rows, found, near):
    """Write the first `DESCRIBED` columns of the neighbours to `near`, in groups of eight with padding."""
    x, y, radius, all_seen = seen[uint64(at), X], seen[uint64(at), Y], seen[uint64(at), RADIUS], pointer(seen)
    pad_rows(rows, found, at)
    for number in range(0, found, 8):
        begins = rows_at(rows, number) * np.int64(SEEN)
        to_x, to_y, vx, vy, ex, ey, size, _ = gather_each(all_seen, begins, 0, 8)
        store(near, number, to_x - x)
        store(near, number + TO_Y, to_y - y)
        store(near, number + WITH_VX, vx)
        store(near, number + WITH_VY, vy)
        store(near, number + WITH_EX, ex)
        store(near, number + WITH_EY, ey)
        store(near, number + TOUCHING, size + radius)


@inlined
def find_near(agents, cells, at, rows):
    """Write the rows of the agents within `REACH` in the room of the agent `at` to `rows`. Return their number."""
    first, places, seen = cells.first, cells.places, agents.seen
    columns, height = np.int64(cells.size[0]), np.int64(cells.size[1])
    column, row = _cell_at(seen[uint64(at), X], columns), _cell_at(seen[uint64(at), Y], height)
    left, right = (column - RING) & (columns - 1), (column + RING) & (columns - 1)
    found, room = 0, np.int64(agents.identity[uint64(at), ROOM]) * height
    for aside in range(-RING, RING + 1):
        start = (room + ((row + aside) & (height - 1))) * columns
        begin, end = first[uint64(start + left)], first[uint64(start + right + 1)]
        if left > right:  # the cells continue at the other edge of the grid
            found = _find_among(places, begin, first[uint64(start + columns)], at, rows, found)
            begin = first[uint64(start)]
        found = _find_among(places, begin, end, at, rows, found)
    return found


@kernel(void(AGENTS, CELLS, COUNT, AGENTS))
def give_back(laid, cells, count, agents):
    """Copy the decisions of the sorted agents back: agents.chosen[order[i]] = laid.chosen[i]."""
    for at in range(count):
        _copy(laid.chosen, uint64(at), agents.chosen, uint64(cells.order[uint64(at)]), CHOSEN)
