"""Neighbours: agents in the order of the cells of a grid, so that those near each other lie together in memory."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.eights import eight_of, starts_of
from ecs_anim.kernels.lanes import borrowed, eight, flat, put
from ecs_anim.kernels.masks import list_lanes
from ecs_anim.kernels.prefetching import prefetch
from ecs_anim.kernels.traversal import read_eight
from ecs_anim.kernels.types import AGENTS, CELLS, COUNT, void
from ecs_anim.steering.agents import CHOSEN, OWN, RADIUS, SEEN, WHO, X, Y
from ecs_anim.walls.arrays import SIGHT

CELL = 1.5  # [m]
RING = 2  # cells to each side of an agent's own in which neighbours are
REACH = np.float32(SIGHT)  # [m], RING * CELL at most
NOWHERE = np.float32(1e-6)  # [m], nearer than which nobody can say on which side somebody is
FEWEST = 8  # columns and rows, 2 RING + 1 at least
# Neighbours, a column for each number: where it is from the agent, its velocity, where it faces, the sum of both radii,
# and two numbers that models use. The columns' length is no power of two, so that they do not meet in the cache.
MOST = 1008  # of 35 people a square metre; of more, those beyond are not noted
TO_X, TO_Y, WITH_VX, WITH_VY, WITH_EX, WITH_EY, TOUCHING, ONE_NUMBER, OTHER_NUMBER = range(0, 9 * MOST, MOST)
FOUND = 7 * MOST  # length of what is found
NEAR = 9 * MOST  # length of all
ROWS = ONE_NUMBER  # where rows of those who are found are noted, until models use the column
AHEAD = 8  # agents, whose numbers are asked for before they are copied
LANE = np.arange(8, dtype=np.float32)
PER_CELL = np.float32(1 / CELL)


@inlined
def _cell_at(x, size):
    """Column or row of the cell that x is in, of `size` in turn."""
    return np.int64(np.floor(x * PER_CELL)) & (size - 1)


@inlined
def _side(low, high, most):
    """Columns or rows that the plane from `low` to `high` [m] takes, a power of two."""
    size = FEWEST
    while size < most and size * CELL < high - low + CELL:
        size *= 2
    return size


@inlined
def _lay(seen, count, most, size):
    """Fit the grid to where agents are, in `most` cells."""
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
def _lay_out(agents, count, order, places, sorted_agents):
    """Copy agents in their order: read from anywhere and written one after the other, which beats the reverse."""
    seen, own, who, _ = agents
    sorted_seen, sorted_own, sorted_who, _ = sorted_agents
    all_seen, all_own, all_who, all_sorted = flat(seen), flat(own), flat(who), flat(sorted_seen)
    for place in range(count):
        soon = np.int64(order[uint64(min(place + AHEAD, count - 1))])
        prefetch(all_seen, soon * SEEN)
        prefetch(all_own, soon * OWN)
        prefetch(all_who, soon * WHO)
        to, row = uint64(place), uint64(order[uint64(place)])
        places[0, to], places[1, to] = seen[row, X], seen[row, Y]
        put(all_sorted, place * SEEN, eight(all_seen, np.int64(row) * SEEN))
        _copy(own, row, sorted_own, to, OWN)
        _copy(who, row, sorted_who, to, WHO)


@kernel(void(AGENTS, COUNT, CELLS, AGENTS))
def sort_into_cells(agents, count, cells, sorted_agents):
    """Sort the first `count` `Agents` by cell, those of a cell in their own order (a counting sort).

    Writes the `Cells`, as many as there is memory for at most, and all but `chosen` of the sorted `Agents`.
    """
    agents, cells, sorted_agents = borrowed(agents), borrowed(cells), borrowed(sorted_agents)
    seen = agents[0]
    order, cell, first, size, places = cells
    first[:] = 0
    size[:] = FEWEST
    if count == 0:
        return
    _lay(seen, count, len(first) - 1, size)
    columns, rows = np.int64(size[0]), np.int64(size[1])
    for agent in range(count):
        number = _cell_at(seen[uint64(agent), Y], rows) * columns + _cell_at(seen[uint64(agent), X], columns)
        cell[uint64(agent)] = number
        first[uint64(number + 1)] += 1
    for number in range(columns * rows):
        first[uint64(number + 1)] += first[uint64(number)]
    for agent in range(count - 1, -1, -1):  # the last one first: each cell is filled from its end
        end = uint64(cell[uint64(agent)] + 1)
        first[end] -= 1
        order[uint64(first[end])] = agent
    _lay_out(agents, count, order, places, sorted_agents)
    for number in range(columns * rows):  # each says by now where the cell before it begins
        first[uint64(number)] = first[uint64(number + 1)]
    first[uint64(columns * rows)] = count


@inlined
def _find_among(places, begin, end, at, rows, found):
    """Note those of a run of agents who are within `REACH` of the one at `at`; returns how many there are by now."""
    x, y, all_places, lane = places[0, uint64(at)], places[1, uint64(at)], flat(places), eight(LANE, 0)
    for number in range(begin, end, 8):
        aside, onward = eight(all_places, number) - x, eight(all_places, places.shape[1] + number) - y
        is_other = (lane < np.float32(end - number)) & ~(lane == np.float32(at - number))
        is_near = is_other & (aside * aside + onward * onward < REACH * REACH)
        found = min(found + list_lanes(rows, found, number, is_near), MOST - 1)
    return found


@inlined
def pad_rows(rows, found, at):
    """Have nobody but the agent itself behind the last row that is noted."""
    for number in range(found, found + 7):
        rows[uint64(number)] = at


@inlined
def describe(seen, at, rows, found, near):
    """Tell where those are whose rows were noted, and what they do, eight at a time."""
    x, y, radius, all_seen = seen[uint64(at), X], seen[uint64(at), Y], seen[uint64(at), RADIUS], flat(seen)
    pad_rows(rows, found, at)
    for number in range(0, found, 8):
        begins = starts_of(eight_of(rows, number), np.int64(SEEN))
        to_x, to_y, vx, vy, ex, ey, size, _ = read_eight(all_seen, begins, 0)
        put(near, number, to_x - x)
        put(near, number + TO_Y, to_y - y)
        put(near, number + WITH_VX, vx)
        put(near, number + WITH_VY, vy)
        put(near, number + WITH_EX, ex)
        put(near, number + WITH_EY, ey)
        put(near, number + TOUCHING, size + radius)


@inlined
def find_near(seen, cells, at, noted):
    """Note the rows of those within `REACH` of the agent at `at` among the sorted; returns how many that are."""
    first, size, places = cells[2], cells[3], cells[4]
    columns, rows = np.int64(size[0]), np.int64(size[1])
    column, row = _cell_at(seen[uint64(at), X], columns), _cell_at(seen[uint64(at), Y], rows)
    left, right = (column - RING) & (columns - 1), (column + RING) & (columns - 1)
    found = 0
    for aside in range(-RING, RING + 1):
        start = ((row + aside) & (rows - 1)) * columns
        begin, end = first[uint64(start + left)], first[uint64(start + right + 1)]
        if left > right:  # round the grid's edge
            found = _find_among(places, begin, first[uint64(start + columns)], at, noted, found)
            begin = first[uint64(start)]
        found = _find_among(places, begin, end, at, noted, found)
    return found


@inlined
def _row_among(seen, begin, end, at, to_x, to_y):
    x, y = seen[uint64(at), X], seen[uint64(at), Y]
    for number in range(begin, end):
        if number != at and seen[uint64(number), X] - x == to_x and seen[uint64(number), Y] - y == to_y:
            return number
    return -1


@helper
def row_of(seen, first, size, at, to_x, to_y):
    """The row of the neighbour who was found `to_x` and `to_y` from the agent at `at` among the sorted."""
    columns, rows = np.int64(size[0]), np.int64(size[1])
    column, row = _cell_at(seen[uint64(at), X] + to_x, columns), _cell_at(seen[uint64(at), Y] + to_y, rows)
    for onward in range(-1, 2):  # sums are rounded: it may be the next cell
        for aside in range(-1, 2):
            cell = uint64(((row + onward) & (rows - 1)) * columns + ((column + aside) & (columns - 1)))
            found = _row_among(seen, first[cell], first[uint64(cell + uint64(1))], at, to_x, to_y)
            if found >= 0:
                return found
    return at


@kernel(void(AGENTS, CELLS, COUNT, AGENTS))
def give_back(sorted_agents, cells, count, agents):
    """Write what was chosen for the sorted agents to their own rows."""
    chosen, order, out_chosen = borrowed(sorted_agents[3]), borrowed(cells[0]), borrowed(agents[3])
    for at in range(count):
        _copy(chosen, uint64(at), out_chosen, uint64(order[uint64(at)]), CHOSEN)
