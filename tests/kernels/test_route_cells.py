"""Cells of routes, against plain numpy; gaps that bodies fit through, and those that they do not."""

import numpy as np
import pytest

from ecs_anim.routing.arrays import EAST, FREE, NORTH, SOLID, SOUTH, TIGHT, WEST
from ecs_anim.routing.lattice import Goal
from ecs_anim.walls.queries import is_clear, may_be_at
from tests.helpers.routing import MAZE, clearance, lattice

SLANTED = (
    "GEOMETRYCOLLECTION (POLYGON ((0 0, 7 1, 8 6, 3 7, 0 0)), LINESTRING (2 2, 5 4), POLYGON ((5 2, 6 2, 5.5 3, 5 2)))"
)


@pytest.mark.parametrize("wkt", [MAZE, SLANTED])
@pytest.mark.parametrize("radius", [0.1, 0.3])
def test_kinds_say_where_bodies_fit(wkt, radius):
    found = lattice(wkt, [], radius=radius)
    nodes, kinds = found.cells.nodes.astype(np.float64), found.cells.kinds
    free, room = may_be_at(found.walls, nodes), clearance(found.walls, nodes)
    assert (free[kinds != SOLID]).all()
    assert (room[kinds == FREE] > radius - 0.04).all()
    assert (room[kinds == TIGHT] < radius).all()
    middles = nodes_of_grid(found.cells)
    middle_free, middle_room = may_be_at(found.walls, middles), clearance(found.walls, middles)
    assert (kinds[middle_free & (middle_room >= radius)] == FREE).all()
    assert (kinds[~middle_free & (middle_room > 0.15)] == SOLID).all()
    assert min((kinds == FREE).sum(), (kinds == SOLID).sum()) > 20
    assert (kinds == TIGHT).any() or radius == 0.1


def nodes_of_grid(cells):
    x = cells.origin_x + (np.arange(cells.columns) + 0.5) * cells.spacing
    y = cells.origin_y + (np.arange(cells.rows) + 0.5) * cells.spacing
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def test_links_lead_through_no_wall_but_out_of_walls_on_every_side():
    found = lattice(SLANTED, [])
    shape = found.cells.rows, found.cells.columns
    nodes, links = found.cells.nodes.astype(np.float64).reshape(*shape, 2), found.cells.links.reshape(shape)
    inside = found.cells.kinds.reshape(shape) != SOLID
    for one, other, side, back in [
        ((slice(None), slice(0, -1)), (slice(None), slice(1, None)), EAST, WEST),
        ((slice(0, -1), slice(None)), (slice(1, None), slice(None)), NORTH, SOUTH),
    ]:
        clear = is_clear(found.walls, nodes[one].reshape(-1, 2), nodes[other].reshape(-1, 2))
        expected = clear.reshape(inside[one].shape) & inside[one] & inside[other]
        np.testing.assert_array_equal((links[one] >> side) & 1, expected | ~inside[one])
        np.testing.assert_array_equal((links[other] >> back) & 1, expected | ~inside[other])
        assert 0 < expected.mean() < 1


@pytest.mark.parametrize("degrees", [0, 17, 45, 71])
@pytest.mark.parametrize(("width", "passes"), [(0.41, True), (0.6, True), (0.3, False), (0.1, False)])
def test_gaps_as_wide_as_bodies_are_found_at_any_angle(degrees, width, passes):
    turn, rng = np.radians(degrees), np.random.default_rng(degrees)
    ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    middle = np.array([6.0, 4.0]) + rng.uniform(-0.1, 0.1, 2)
    lines = [(middle + s * (width / 2 + 0.1) * aside, middle + s * 20 * aside) for s in (1, -1)]  # caps are 0.1 m long
    text = ", ".join(f"LINESTRING ({a[0]} {a[1]}, {b[0]} {b[1]})" for a, b in lines)
    hall = "POLYGON ((0 0, 12 0, 12 8, 0 8, 0 0))"
    goal = Goal(*(middle + 2 * ahead).tolist())
    found = lattice(f"GEOMETRYCOLLECTION ({hall}, {text})", [goal], radius=0.2)
    behind = np.linalg.norm(found.cells.nodes - (middle - 2 * ahead), axis=1).argmin()
    assert np.isfinite(found.fields.times[0, behind]) == passes
