"""Links between route cells of different spaces of an unfolded plan."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.routing.grid import Grid
from ecs_anim.routing.lattice import CellLinks
from ecs_anim.storeys.connections import Use
from ecs_anim.storeys.lifts import FRONT
from ecs_anim.storeys.unfolded import Seam, Unfolded, may_cross

Cells = NDArray[np.int64]


class SeamCells:
    """For each seam, the pairs of route cells that are copies of the same place.

    The apron of a seam is a copy of the floor behind the seam. Therefore, each cell in the apron has an original cell
    in the space behind the seam.
    """

    def __init__(self, unfolded: Unfolded, grid: Grid) -> None:
        middles = grid.middles
        self._cell_count = grid.cell_count
        self._rides = list(_rides(unfolded, grid, middles))
        self._pairs = [(seam, *_copies(unfolded, grid, middles, seam)) for seam in unfolded.seams]
        self._opposite = {(seam.space, seam.to, seam.middle): seam for seam in unfolded.seams}

    def links(self, uses: Sequence[Use]) -> CellLinks:
        """Return the links between cells for the uses of all connections.

        A link passes an arrival time from one cell to another cell, against the walking direction. If actors can cross
        a seam into another space, the links lead from the cells of that space to their copies in the apron.
        """
        pairs = [np.zeros((0, 2), np.int64)]
        for seam, copies, owners in self._pairs:
            back, use = self._opposite[seam.to, seam.space, seam.middle], uses[seam.run]
            if may_cross(seam, use):
                pairs.append(np.stack([owners, copies], axis=1))
            if may_cross(back, use):
                pairs.append(np.stack([copies, owners], axis=1))
        found = np.unique(np.concatenate(pairs), axis=0)
        seconds = np.zeros(len(found))
        if rides := [own for own in self._rides if uses[own[0]].is_open]:
            found = np.concatenate([found, *(own for _, own, _ in rides)])
            seconds = np.concatenate([seconds, *(np.full(len(own), cost) for _, own, cost in rides)])
            order = np.argsort(found[:, 0], kind="stable")
            found, seconds = found[order], seconds[order]
        first = np.searchsorted(found[:, 0], np.arange(self._cell_count + 1)).astype(np.int32)
        return CellLinks(first, np.ascontiguousarray(found[:, 1], np.int32), np.ascontiguousarray(seconds))


def _rides(unfolded: Unfolded, grid: Grid, middles: NDArray[np.float64]) -> Iterator[tuple[int, Cells, float]]:
    """Yield the number of a lift, pairs of cells [n, 2] at two of its stops, and the cost of the ride.

    The number is the index in `Unfolded.connections`.
    """
    first = len(unfolded.building.runs)
    for number, lift in enumerate(unfolded.building.lifts, first):
        car = unfolded.connections[number].car
        assert car is not None  # the connection of a lift has a car
        for one, space in enumerate(car.spaces):
            area = unfolded.area_at(lift.rectangle(FRONT), space)
            cells = np.flatnonzero(area.contains(middles))
            for other, to in enumerate(car.spaces):
                if other != one:
                    shift = np.round((unfolded.offsets[to] - unfolded.offsets[space]) / grid.spacing).astype(int)
                    there = cells + shift[1] * grid.columns + shift[0]
                    yield number, np.stack([cells, there], axis=1), lift.ride_cost(one, other)


def _copies(unfolded: Unfolded, grid: Grid, middles: NDArray[np.float64], seam: Seam) -> tuple[Cells, Cells]:
    """Return the cells [n] in the apron of a seam, and the cells [n] behind the seam that show the same places."""
    copies = np.flatnonzero(unfolded.apron_of(seam).contains(middles))
    shift = np.round((unfolded.offsets[seam.to] - unfolded.offsets[seam.space]) / grid.spacing).astype(int)
    column, row = copies % grid.columns + shift[0], copies // grid.columns + shift[1]
    inside = (column >= 0) & (column < grid.columns) & (row >= 0) & (row < grid.rows)
    return copies[inside], (row * grid.columns + column)[inside]
