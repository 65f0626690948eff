"""Links between route cells of different spaces of an unfolded plan."""

import numpy as np

from ecs_anim.routing.grid import Grid
from ecs_anim.routing.lattice import CellLinks
from ecs_anim.storeys.unfolded import Unfolded


def cell_links(unfolded: Unfolded, grid: Grid) -> CellLinks:
    """Return the links between cells of `grid`.

    A cell in the apron of a seam shows the same place as a cell of the space behind the seam. Arrival times pass
    against the walking direction: if actors can cross a seam from a space to another space, times pass from the other
    space to the apron.
    """
    middles, pairs = grid.middles, [np.zeros((0, 2), np.int64)]
    is_open = {(seam.space, seam.to, seam.middle): seam.is_open for seam in unfolded.seams}
    for seam in unfolded.seams:
        copies = np.flatnonzero(unfolded.apron_of(seam).contains(middles))
        shift = np.round((unfolded.offsets[seam.to] - unfolded.offsets[seam.space]) / grid.spacing).astype(int)
        column, row = copies % grid.columns + shift[0], copies // grid.columns + shift[1]
        inside = (column >= 0) & (column < grid.columns) & (row >= 0) & (row < grid.rows)
        copies, owners = copies[inside], (row * grid.columns + column)[inside]
        if seam.is_open:
            pairs.append(np.stack([owners, copies], axis=1))
        if is_open[seam.to, seam.space, seam.middle]:
            pairs.append(np.stack([copies, owners], axis=1))
    found = np.unique(np.concatenate(pairs), axis=0)
    first = np.searchsorted(found[:, 0], np.arange(grid.cell_count + 1)).astype(np.int32)
    return CellLinks(first, np.ascontiguousarray(found[:, 1], np.int32))
