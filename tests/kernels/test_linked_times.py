"""Arrival times over links: two linked halves of a room have the arrival times of the whole room."""

import numpy as np

from ecs_anim.components.routing import Routing
from ecs_anim.routing.grid import Grid
from ecs_anim.routing.lattice import CellLinks, Goal
from ecs_anim.systems.route_fields import lattice_of, lead_to
from ecs_anim.walls.build import walls_from_text

WIDE = "POLYGON ((0 0, 8 0, 8 2, 0 2, 0 0))"
# the same room in two halves: the second half begins at x = 14; each half has 1 m of the other half as an apron
HALVES = "MULTIPOLYGON (((0 0, 5 0, 5 2, 0 2, 0 0)), ((13 0, 18 0, 18 2, 13 2, 13 0)))"
GRID = Grid(-1.0, -1.0, 0.2, 100, 20)


def times_of(plan: str, links: CellLinks | None, goal: Goal) -> np.ndarray:
    walls = walls_from_text(plan).arrays
    routing = Routing("scene", "key", GRID, np.ones(GRID.cell_count, np.float32), walls, walls, links=links)
    lattice = lattice_of(routing, walls, 0.2)
    lead_to(routing, lattice, [goal])
    return lattice.fields.times[0].reshape(GRID.rows, GRID.columns)


def links_between(one_way: bool = False) -> CellLinks:
    """Return links of each cell with x from 3 to 5 to the cell 10 m to the east, and back."""
    middles = GRID.middles
    west = np.flatnonzero((middles[:, 0] > 3) & (middles[:, 0] < 5) & (middles[:, 1] > 0) & (middles[:, 1] < 2))
    pairs = np.concatenate([np.stack([west, west + 50], 1), np.stack([west + 50, west], 1)][: 1 if one_way else 2])
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    first = np.searchsorted(pairs[:, 0], np.arange(GRID.cell_count + 1)).astype(np.int32)
    return CellLinks(first, np.ascontiguousarray(pairs[:, 1], np.int32))


def test_two_linked_halves_have_the_times_of_the_whole_room():
    whole = times_of(WIDE, None, Goal(7.0, 1.0))
    halves = times_of(HALVES, links_between(), Goal(17.0, 1.0))
    # compare the west half away from its apron, which ends at a wall
    west, east = (whole[6:14, 6:25], halves[6:14, 6:25]), (whole[6:14, 27:44], halves[6:14, 77:94])
    for one, other in (west, east):
        assert np.isfinite(one).all()
        np.testing.assert_allclose(other, one, rtol=0.03, atol=0.03)


def test_times_pass_along_a_link_in_one_direction_only():
    to_east = times_of(HALVES, links_between(one_way=True), Goal(17.0, 1.0))
    to_west = times_of(HALVES, links_between(one_way=True), Goal(1.0, 1.0))
    assert np.isinf(to_east[10, 10])  # the links lead from west to east, so times of a goal in the east do not pass
    assert np.isfinite(to_west[10, 90])
