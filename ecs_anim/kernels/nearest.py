"""Search for the nearest actor of another crowd, by horizontal distance."""

import numpy as np

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.types import FLAG, FLOATS_2D, OUT_INTS, void


@inlined
def _cell(value, low, size, count):
    return min(max(int((value - low) / size), 0), count - 1)


@helper
def _nearest_in(x, z, others, skip, rows, begin, end, best, found):
    """Return the squared distance [m^2] and the row of the nearest in rows[begin:end], or `best` and `found`."""
    for index in range(begin, end):
        row = rows[index]
        if row == skip:
            continue
        away_x, away_z = np.float64(others[row, 0]) - x, np.float64(others[row, 2]) - z
        square = away_x * away_x + away_z * away_z
        if square < best or (square == best and row < found):
            best, found = square, row
    return best, found


@helper
def _search(x, z, others, skip, low_x, low_z, size, side, first, rows):
    """Return the row of the nearest actor, or -1. The search visits rings of cells."""
    own_x, own_z = _cell(x, low_x, size, side), _cell(z, low_z, size, side)
    best, found = np.inf, -1
    for ring in range(side):
        for cell_z in range(max(own_z - ring, 0), min(own_z + ring, side - 1) + 1):
            whole = abs(cell_z - own_z) == ring
            step = 1 if whole or ring == 0 else 2 * ring
            for cell_x in range(own_x - ring, own_x + ring + 1, step):
                if 0 <= cell_x < side:
                    cell = cell_z * side + cell_x
                    best, found = _nearest_in(x, z, others, skip, rows, first[cell], first[cell + 1], best, found)
        if best <= (ring * size) ** 2:
            break
    return found


@helper
def _sort_into_cells(others, low_x, low_z, size, side):
    """Return the index of each cell's first actor [side x side + 1], and the actors' rows sorted by cell."""
    first = np.zeros(side * side + 2, np.int32)
    for row in range(others.shape[0]):
        first[_cell(others[row, 2], low_z, size, side) * side + _cell(others[row, 0], low_x, size, side) + 2] += 1
    for cell in range(side * side):
        first[cell + 2] += first[cell + 1]
    rows = np.empty(others.shape[0], np.int32)
    for row in range(others.shape[0]):
        cell = _cell(others[row, 2], low_z, size, side) * side + _cell(others[row, 0], low_x, size, side) + 1
        rows[first[cell]] = row
        first[cell] += 1
    return first, rows


@kernel(void(FLOATS_2D, FLOATS_2D, FLAG, OUT_INTS))
def nearest_rows(positions, others, same, out_rows):
    """For each of `positions` [m, 3], write the row of the horizontally nearest actor in `others` [n, 3] to out_rows
    [m]. The search uses a grid with about one actor in each cell. With `same`, both arrays are one crowd, and an actor
    finds itself only if it is alone.
    """
    low_x, high_x = np.float64(others[:, 0].min()), np.float64(others[:, 0].max())
    low_z, high_z = np.float64(others[:, 2].min()), np.float64(others[:, 2].max())
    side = max(int(np.sqrt(others.shape[0])), 1)
    size = max(high_x - low_x, high_z - low_z, 1e-6) / side
    first, rows = _sort_into_cells(others, low_x, low_z, size, side)
    for row in range(positions.shape[0]):
        skip = row if same else -1
        x, z = np.float64(positions[row, 0]), np.float64(positions[row, 2])
        found = _search(x, z, others, skip, low_x, low_z, size, side, first, rows)
        out_rows[row] = found if found >= 0 else row % others.shape[0]
