"""Layouts: functions that compute the positions of the actors of a crowd.

Positions are plan points [actor_count, 2] f64 [m]: x is east, and y is north. Angles in a disc are measured
counter-clockwise from south.
"""

import math
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary
from ecs_anim.maths.plan import yaw_degrees_from_heading
from ecs_anim.scenes.free_ground import IsFree, nearest_free
from ecs_anim.scenes.schema_layout import (
    BlocksLayout,
    DiscLayout,
    GridLayout,
    Layout,
    PointsLayout,
    ScatterLayout,
    SeatsLayout,
)

Points = NDArray[np.float64]

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
MORE = tuple(1.1**step for step in range(0, 31))  # factors for the number of points in an enlarged layout
HEXAGON_AREA = math.sqrt(3) / 2  # area of a hexagonal grid's cell with unit spacing


def place(
    layout: Layout,
    count: int,
    rng: np.random.Generator,
    density_count: int | None = None,
    is_free: IsFree | None = None,
) -> Points:
    """Return the plan points of `count` actors.

    `density_count` is the number of actors in the scene file. The area of a scatter layout grows or shrinks with
    `count`, so the density remains constant. A formation keeps its shape. If `count` is larger than `density_count`,
    and if the caller passes `is_free`, the layout grows until enough of its points are free. Raises ValueError if the
    actors do not fit.
    """
    if is_free is not None and count > (density_count or count) and not isinstance(layout, PointsLayout | SeatsLayout):
        return _place_free(layout, count, rng, density_count or count, is_free)
    match layout:
        case ScatterLayout():
            grown = layout.radius * math.sqrt(count / (density_count or count))
            found: Points = _scatter(grown, layout.min_distance, count, rng) + np.array(layout.center)
            return found
        case SeatsLayout():
            raise TypeError(
                "place() cannot place actors in seats. Call take_seats() and pass the seats of the grandstands."
            )
        case GridLayout() | DiscLayout() | BlocksLayout() | PointsLayout():
            return _formation(layout, 0, count, density_count or count)
        case _:
            assert_never(layout)


def _place_free(
    layout: ScatterLayout | GridLayout | DiscLayout | BlocksLayout,
    count: int,
    rng: np.random.Generator,
    density_count: int,
    is_free: IsFree,
) -> Points:
    """Return `count` free points in a layout. The function enlarges the layout as little as possible.

    If even the largest layout has too few free points, actors stand closer than in the layout. If the actors still do
    not fit on the free ground, return the points of the layout in its normal size, without a test for free ground.
    """
    for more in MORE:
        wanted = math.ceil(more * count)
        found = place(layout, wanted, rng, density_count)
        free = found[is_free(found)]
        if len(free) >= count:
            return free[:count]
    close = nearest_free(layout.center, count, is_free)
    return place(layout, count, rng, density_count) if close is None else close


def place_more(layout: Layout, have: int, count: int, rng: np.random.Generator, density_count: int) -> Points:
    """Return positions for `count` new actors that join a crowd with `have` actors.

    The function ignores the positions of the actors that are already in the crowd. A scatter layout draws random
    positions from its disc. In a formation, new actors get the next positions of the larger formation. Raises
    ValueError for seats.
    """
    match layout:
        case ScatterLayout():
            grown = layout.radius * math.sqrt((have + count) / density_count)
            # float32 sines and cosines take half as long as float64 ones
            turn, reach = rng.random((2, count), np.float32)
            angle, spoke = np.float32(math.tau) * turn, np.float32(grown) * np.sqrt(reach)
            (x, y), points = layout.center, np.empty((count, 2))
            points[:, 0], points[:, 1] = x + spoke * elementary.sin(angle), y - spoke * elementary.cos(angle)
            return points
        case SeatsLayout():
            raise ValueError("new actors of a crowd in seats need positions. Pass `positions` to add().")
        case GridLayout() | DiscLayout() | BlocksLayout() | PointsLayout():
            return _formation(layout, have, have + count, density_count)
        case _:
            assert_never(layout)


def _formation(
    layout: GridLayout | DiscLayout | BlocksLayout | PointsLayout, first: int, count: int, full_count: int
) -> Points:
    """Return the positions of the actors with the indices `first` to `count` - 1 in a formation of `count` actors.

    `full_count` is the number of actors in the scene file. This number determines the shape of a layout of blocks.
    """
    index = np.arange(first, count)
    match layout:
        case GridLayout():
            points = _grid(layout, index, count)
        case DiscLayout():
            points = _disc(layout, index)
        case BlocksLayout():
            points = _blocks(layout, index, count, full_count)
        case PointsLayout():
            return np.array(layout.points, np.float64).take(index, axis=0, mode="wrap")
        case _:
            assert_never(layout)
    found: Points = points + np.array(layout.center)
    return found


def take_seats(
    layout: SeatsLayout, count: int, rng: np.random.Generator, density_count: int, seats: Points | None
) -> Points:
    """Return random rows [count, 3] of `seats` [seat_count, 3]. Each row contains x, z [m] and yaw [rad] of a seat.

    `density_count` actors get seats in the whole sector. If `count` is smaller than `density_count`, the actors get
    seats in the rows next to the pitch. The density of actors does not change. Raises ValueError if the ground has no
    seats or too few seats.
    """
    if seats is None:
        raise ValueError("the ground must have seats. Use a ground of kind 'stands'.")
    first, last = layout.sector_degrees
    yaw = np.degrees(elementary.arctan2(seats[:, 0], seats[:, 1]))
    found = seats[np.mod(yaw - yaw_degrees_from_heading(first), 360.0) < last - first]
    if len(found) < count:
        raise ValueError(
            f"{count} actors do not fit into the {len(found)} seats of the sector. Add rows of seats to the ground."
        )
    offered = math.ceil(len(found) * min(count / density_count, 1.0))
    result: Points = found[rng.permutation(max(offered, count))[:count]]
    return result


def _blocks(layout: BlocksLayout, index: NDArray[np.int64], count: int, full_count: int) -> Points:
    """Return the positions of the actors with the numbers `index` in a layout of blocks.

    Actors fill the blocks from south to north, rank by rank.
    """
    size = layout.files * layout.ranks
    blocks, full = math.ceil(count / size), math.ceil(full_count / size)
    across = (layout.across or math.sqrt(full)) * math.sqrt(blocks / full)
    columns = min(max(round(across), 1), blocks)
    block, index_in_block = np.divmod(index, size)
    rank, file = np.divmod(index_in_block, layout.files)
    row, column = np.divmod(block, columns)
    (aside, behind), (between, after) = layout.spacing, layout.gaps
    next_column = layout.files * aside + between
    x = file * aside + column * next_column
    y = rank * behind + row * (layout.ranks * behind + after)
    last_file = min(layout.files, count - (columns - 1) * size) - 1  # number of the last file in the last column
    width = last_file * aside + (columns - 1) * next_column
    return np.stack([x - width / 2, y], axis=-1)


def _grid(layout: GridLayout, index: NDArray[np.int64], count: int) -> Points:
    """Return the positions of the actors with the numbers `index` in a grid.

    Actors fill the rows from north to south, and each row from west to east.
    """
    columns = layout.columns or math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    row, column = np.divmod(index, columns)
    middle = np.array([(min(columns, count) - 1) / 2, (rows - 1) / 2])
    found: Points = (np.stack([column, row], axis=-1) - middle) * (layout.spacing, -layout.spacing)
    return found


def _disc(layout: DiscLayout, index: NDArray[np.int64]) -> Points:
    """Return the positions of the actors with the numbers `index` on Vogel's spiral (1979).

    The points fill the disc evenly. The angle between consecutive points is the golden angle.
    """
    radius = layout.spacing / math.sqrt(math.pi) * np.sqrt(index + 0.5)
    angle = index * GOLDEN_ANGLE
    return np.stack([radius * elementary.sin(angle), -radius * elementary.cos(angle)], axis=-1)


def _scatter(radius: float, min_distance: float, count: int, rng: np.random.Generator) -> Points:
    """Return `count` random positions in a disc: the centres of random cells of a hexagonal grid, with random offsets.

    The offsets keep the minimum distance between positions. The computing time is proportional to the number of actors,
    and is shorter than the time of Poisson-disc sampling. The spacing of the grid is the largest spacing with which the
    number of cells still exceeds the number of actors by a third.
    """
    area = math.pi * radius * radius
    spacing = max(min_distance, math.sqrt(area / (4 / 3 * count * HEXAGON_AREA)))
    cells = _hexagonal_cells(radius, spacing, rng)
    while len(cells) < count and spacing > min_distance:  # the rim of a small disc loses cells
        spacing = max(min_distance, 0.97 * spacing)
        cells = _hexagonal_cells(radius, spacing, rng)
    if len(cells) < count:
        needed = radius * math.sqrt(count / max(len(cells), 1)) * 1.05
        raise ValueError(
            f"{count} actors with a distance of {min_distance:g} m do not fit into a circle with the radius {radius:g}"
            f" m. Raise radius to about {needed:.3g}, or lower min_distance."
        )
    chosen = cells[rng.permutation(len(cells))[:count]]
    angle, reach = rng.random((2, count)) * np.array([[math.tau], [1.0]])
    offset = np.sqrt(reach) * (spacing - min_distance) / 2
    found: Points = chosen + np.stack([elementary.sin(angle), -elementary.cos(angle)], axis=-1) * offset[:, None]
    return found


def _hexagonal_cells(radius: float, spacing: float, rng: np.random.Generator) -> Points:
    """Return the cell centres of a hexagonal grid inside a disc. The grid has a random offset."""
    half_rows, half_columns = math.ceil(radius / (HEXAGON_AREA * spacing)) + 1, math.ceil(radius / spacing) + 1
    row = np.arange(-half_rows, half_rows + 1)[:, None]
    column = np.arange(-half_columns, half_columns + 1)[None, :] + 0.5 * (row % 2)
    y = np.broadcast_to(row * -(HEXAGON_AREA * spacing), column.shape)
    shift = rng.random(2) * (spacing, -spacing)
    cells = np.stack([column * spacing, y], axis=-1).reshape(-1, 2) + shift
    found: Points = cells[np.sum(cells * cells, axis=-1) <= radius * radius]
    return found
