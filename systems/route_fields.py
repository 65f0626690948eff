"""Computation of arrival time fields: the travel time from each cell of a grid to a goal."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.routing import Routing
from ecs_anim.ecs.records import checked
from ecs_anim.maths.plan import mirrored
from ecs_anim.routing.arrays import FREE, SOLID, TIGHT, RouteCells, RouteFields, no_fields
from ecs_anim.routing.grid import Grid, delays, slowness
from ecs_anim.routing.lattice import CellLinks, Goal, Lattice
from ecs_anim.support.budgets import require
from ecs_anim.support.reuse import reusable
from ecs_anim.walls.arrays import WallArrays

ON_BELTS = 0.1  # share of the extra cost near walls that remains on moving steps, to lead actors to the middle
ADVICE = "choose larger cells, or fewer goals"


def lattice_of(routing: Routing, walls: WallArrays, radius: float, avoids_stairs: bool = False) -> Lattice:
    """Return the lattice for bodies with the radius `radius` [m] between the walls `walls`.

    With `avoids_stairs`, no route of the lattice leads over stairs. The result is the stored lattice, or a new lattice
    without fields.
    """
    key = radius, avoids_stairs, walls is routing.unlocked
    found = routing.lattices.get(key)
    if found is None or found.walls is not walls:
        closed = routing.stairs if avoids_stairs else None
        cells = make_cells(routing.grid, routing.speed_factor, walls, radius, closed, routing.spaces)
        fields = no_fields(routing.grid.cell_count)
        found = Lattice(walls, cells, fields, links=routing.links, on_belts=routing.on_belts, closed=closed)
        found.cells = cells._replace(slowness=_slowness_of(found))
        routing.lattices[key] = found
    if routing.congestion_interval and found.ease is not routing.ease:
        _heed(found, routing.ease)
    return found


def _heed(lattice: Lattice, ease: NDArray[np.float32]) -> None:
    """Write the delays from congestion into a lattice, and remove the arrival time fields of the lattice.

    `ease` [cell] is the ratio of actual to desired walking speed. The caller must compute new fields.
    """
    cells = lattice.cells
    delay = delays(ease)
    slow = (_slowness_of(lattice) * delay).astype(np.float32)
    lattice.cells = cells._replace(delay=delay, slowness=slow, is_even=False)
    lattice.fields, lattice.goals, lattice.ease = no_fields(len(cells.kinds)), (), ease


def _slowness_of(lattice: Lattice) -> NDArray[np.float32]:
    """Return the cost of one metre [s/m] in each cell: the walking time at 1 m/s, and an extra cost near walls.

    On moving steps, the extra cost is very small.
    """
    cells = lattice.cells
    found = slowness(cells.speed_factor, cells.room, cells.radius)
    if lattice.on_belts is None:
        return found
    free = 1 / cells.speed_factor
    return np.where(lattice.on_belts, free + np.float32(ON_BELTS) * (found - free), found)


def lead_to(routing: Routing, lattice: Lattice, goals: Sequence[Goal]) -> None:
    """Compute the arrival time fields of a lattice for the goals in `goals`.

    The function removes the fields of all other goals. Existing fields for the goals in `goals` are not computed again.

    Raises InputError if the fields exceed the budget.
    """
    wanted = tuple(dict.fromkeys(goals))
    if wanted == lattice.goals:
        return
    require("route_cells", routing.grid.cell_count * len(wanted), routing.key, ADVICE)
    add_fields(lattice, wanted)


def add_fields(lattice: Lattice, wanted: tuple[Goal, ...]) -> None:
    """Compute the arrival time fields of a lattice for the goals in `wanted`, in place of the present fields."""
    own = lattice.walls, lattice.cells, lattice.fields, lattice.goals, lattice.links, lattice.closed
    lattice.fields, lattice.goals = _fields(*own, wanted), wanted


@reusable
def _fields(
    walls: WallArrays,
    cells: RouteCells,
    fields: RouteFields,
    goals: tuple[Goal, ...],
    links: CellLinks | None,
    closed: NDArray[np.bool_] | None,
    wanted: tuple[Goal, ...],
) -> RouteFields:
    """Return the arrival time fields of a lattice for the goals in `wanted`. `fields` are the fields for `goals`."""
    lattice = Lattice(walls, cells, fields, links=links, closed=closed)
    before = {goal: number for number, goal in enumerate(goals)}
    shape = len(wanted), len(cells.kinds)
    made = checked(RouteFields(np.empty(shape, np.float32), np.empty((*shape, 2), np.float32)))
    for number, goal in enumerate(wanted):
        if goal in before:
            made.times[number], made.ways[number] = (column[before[goal]] for column in fields)
        else:
            make_field(lattice, goal, made.times[number], made.ways[number])
    return made


@reusable
def make_cells(
    grid: Grid,
    speed_factor: NDArray[np.float32],
    walls: WallArrays,
    radius: float,
    closed: NDArray[np.bool_] | None = None,
    spaces: NDArray[np.int16] | None = None,
) -> RouteCells:
    """Return the cells of `grid` between the walls, for bodies with the radius `radius` [m].

    The cells in the mask `closed` [cell] count as cells in walls. `spaces` [cell] is the column `space` of `RouteCells`
    (None = no storeys).
    """
    from ecs_anim.kernels.route_cells import lay_nodes, link_nodes  # compiled at first use

    count, least, most = grid.cell_count, float(speed_factor.min()), float(speed_factor.max())
    nodes, (kinds, links) = np.zeros((count, 2), np.float32), np.zeros((2, count), np.uint8)
    room, slow = np.zeros((2, count), np.float32)
    cells = checked(
        RouteCells(
            *grid,
            least == most,
            most,
            radius,
            nodes,
            kinds,
            links,
            room,
            slow,
            speed_factor,
            np.ones(count, np.float32),
            np.zeros(count, np.int16) if spaces is None else spaces,
        )
    )
    lay_nodes(walls, cells)
    if closed is not None:
        kinds[closed] = SOLID
    link_nodes(walls, cells)
    return cells


def make_field(lattice: Lattice, goal: Goal, times: NDArray[np.float32], ways: NDArray[np.float32]) -> None:
    """Write the travel times to a goal [s] into `times`, and the walking directions into `ways`, cell by cell."""
    from ecs_anim.kernels.arrival_times import lead_down, march

    cells, count = lattice.cells, len(lattice.cells.kinds)
    exact, heap, where = np.full(count, np.inf), np.empty(count, np.int32), np.empty(count, np.int32)
    for kind in (FREE, TIGHT):  # near a wall, all cells around a goal can be of the kind TIGHT
        if np.isinf(exact).all():
            _begin(lattice, goal, kind, exact)
    links = _arrays_of(lattice.links)
    for kind in range(3):
        march(cells, links, kind, exact, heap, where)
    if lattice.closed is not None:
        exact[lattice.closed] = np.inf  # actors that stand near stairs must not step onto the stairs
    lead_down(cells, exact, times, ways)


def _arrays_of(links: CellLinks | None) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return the arrays of links, which connect cells of different spaces. Without links, the arrays are empty."""
    if links is None:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    return links.first, links.to, np.zeros(len(links.to)) if links.seconds is None else links.seconds


def _begin(lattice: Lattice, goal: Goal, kind: int, times: NDArray[np.float64]) -> None:
    """Set the initial travel times in `times` [cell] for the cells of the kind `kind` at a goal."""
    from ecs_anim.kernels.arrival_times import begin_at_point

    if goal.area is None:
        begin_at_point(lattice.walls, lattice.cells, goal.x, goal.y, kind, times)
    else:
        inside = goal.area.contains(lattice.cells.nodes.astype(np.float64))
        times[inside & (lattice.cells.kinds == kind)] = 0


def spots_of(lattice: Lattice, goal: Goal) -> NDArray[np.float32]:
    """Return the free positions in the area of a goal, x and z, [n, 2] [m]. If the goal has no area, n is 0."""
    if goal.area is None:
        return np.zeros((0, 2), np.float32)
    times = lattice.fields.times[lattice.goals.index(goal)]
    return mirrored(lattice.cells.nodes[times == 0])


def arrivals_at(lattice: Lattice, goal: Goal, points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the travel times [n] [s] from plan points [n, 2] [m] to a goal of the lattice.

    If there is no route, the travel time is inf.
    """
    from ecs_anim.kernels.routing import arrivals

    found = np.empty(len(points), np.float32)
    arrivals(lattice.walls, lattice.cells, lattice.fields, lattice.goals.index(goal), points, found)
    return found
