"""The ground of recordings with heights: a slab below each floor, and small plates below stairs and slopes.

A recording contains no floors, only people. Therefore, each drawn floor covers those cells of a grid in which people
walked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.arrays import NOWHERE
from ecs_anim.ground.boxes import Box, box_surface
from ecs_anim.ground.ground import Ground, flat, triangle_mesh
from ecs_anim.ground.surface import Surface

if TYPE_CHECKING:  # this module reads trajectory files, which few scenes need
    from ecs_anim.scenes.recordings import Recorded

Points = NDArray[np.float64]
Cells = NDArray[np.int64]

ON_FLOOR = 0.3  # [m], largest distance between a floor and a person on this floor
FLOOR_CELL, PLATE_CELL = 0.5, 0.3  # [m], smallest sizes of the cells of floors and of stairs
FLOOR_MARGIN, PLATE_MARGIN = 2, 2  # cells around the cells with people
HEADROOM = 2.3  # [m]; a floor has a hole above people that are less than this distance below the floor
SLAB, PLATE = 0.2, 0.1  # [m], thickness
STOREY = 2.0  # [m]; people in one cell with a greater distance in height are on different stairs
MOST_CELLS = 20_000  # of one floor
MOST_POINTS = 200_000  # of all people


def ground_of_recordings(recorded: "Sequence[Recorded | None]") -> Ground | None:
    """Return the ground below the people of the recordings with heights, or None if no recording has heights.

    The lowest floor is an infinite plane. If the recordings have no floors, the ground has only plates.
    """
    found = [own for own in recorded if own is not None and own.has_heights]
    if not found:
        return None
    points = np.concatenate([_points(own) for own in found])
    floors = sorted({height for own in found for height in own.floors})
    levels = [_level(points, height) for height in floors]
    boxes = [box for level in levels[1:] for box in _slabs(points, level)]
    boxes += _plates(points[_is_between(points, levels)])
    lowest = levels[0] if levels else NOWHERE
    if not boxes:
        return flat(lowest) if levels else None
    surfaces = tuple(_surfaces(boxes, levels))
    corners = np.concatenate([surface.corners() for surface in surfaces])
    return triangle_mesh(corners, floor=lowest, surfaces=surfaces)


def recorded_storeys(recorded: "Sequence[Recorded | None]") -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return the least heights [m] of people on each floor of the recordings, ascending, and the names of the floors.

    If the recordings do not have several floors, both results are empty.
    """
    found = [own for own in recorded if own is not None]
    names = {height: name for own in found for height, name in zip(own.floors, own.floor_names, strict=True)}
    heights = sorted(names)
    if len(heights) < 2:
        return (), ()
    return tuple(height - ON_FLOOR for height in heights), tuple(names[height] for height in heights)


def _surfaces(boxes: Sequence[Box], levels: Sequence[float]) -> Iterator[Surface]:
    """Yield one surface for the boxes of each storey. A plate of stairs belongs to the storey below the plate."""
    storeys = np.searchsorted(np.array(levels) - ON_FLOOR, [box.top[1] for box in boxes], side="right") - 1
    for storey in np.unique(storeys).tolist():
        own = [box for box, number in zip(boxes, storeys.tolist(), strict=True) if number == storey]
        yield replace(box_surface(own), storey=max(storey, 0) if levels else None)


def _points(recorded: "Recorded") -> Points:
    """Return the positions [n, 3] of people: east, north and the height of the ground [m]."""
    points = np.concatenate(
        [np.column_stack([own.xy, own.heights]) for own in recorded.lines if own.heights is not None]
    )
    return points[:: 1 + len(points) // MOST_POINTS]


def _level(points: Points, height: float) -> float:
    """Return the median height [m] of the people near `height`, the height of a floor [m].

    Without people near this height, return `height`.
    """
    near = points[np.abs(points[:, 2] - height) < ON_FLOOR, 2]
    return float(np.median(near)) if len(near) else height


def _is_between(points: Points, levels: Sequence[float]) -> NDArray[np.bool_]:
    """Return a mask [n] of the points that are on no floor. `levels` are the heights of the floors [m]."""
    away = np.abs(points[:, 2, None] - np.array(levels)).min(axis=1, initial=np.inf)
    return away > ON_FLOOR / 2


def _slabs(points: Points, level: float) -> list[Box]:
    """Return boxes whose tops are at the height `level` [m], below the people on this floor."""
    xy = points[np.abs(points[:, 2] - level) < ON_FLOOR / 2, :2]
    below = level - points[:, 2]
    under = points[(below > ON_FLOOR / 2) & (below < HEADROOM), :2]
    size = FLOOR_CELL
    while len(cells := _floor_cells(xy, under, size)) > MOST_CELLS:
        size *= 2
    return [
        Box(((column + length / 2) * size, level, -(row + 0.5) * size), (length * size, SLAB, size))
        for row, column, length in _runs(cells)
    ]


def _floor_cells(xy: Points, under: Points, size: float) -> Cells:
    """Return the cells of a floor with people at `xy` [n, 2]. The floor has holes above people at `under` [m, 2]."""
    walked = _cells(xy, size)
    holes = _without(_wider(_cells(under, size), 1), walked)
    return _without(_wider(walked, FLOOR_MARGIN), holes)


def _plates(points: Points) -> list[Box]:
    """Return small boxes below people on stairs and slopes. A plate has the mean height of the people in its cell."""
    size = PLATE_CELL
    while len(cells := _cells(points[:, :2], size)) > MOST_CELLS:
        size *= 2
    storeys = np.floor(points[:, 2] / STOREY).astype(np.int64)
    columns = np.column_stack([np.floor(points[:, :2] / size).astype(np.int64), storeys])
    cells, number = np.unique(columns, axis=0, return_inverse=True)
    heights = np.bincount(number.ravel(), points[:, 2]) / np.bincount(number.ravel())
    return [_plate(cell, float(height), size) for cell, height in _filled(cells, heights)]


def _plate(cell: Cells, height: float, size: float) -> Box:
    x, y = ((index + 0.5) * size for index in cell[:2].tolist())
    return Box((x, height, -y), (size, PLATE, size))


def _filled(cells: Cells, heights: Points) -> list[tuple[Cells, float]]:
    """Return the cells with people and the cells around them, each with its height [m].

    A cell has three numbers: column, row and storey. A cell without people has the height of the nearest cell with
    people.
    """
    known = {tuple(cell): height for cell, height in zip(cells.tolist(), heights.tolist(), strict=True)}
    reach = range(-PLATE_MARGIN, PLATE_MARGIN + 1)
    around = sorted(((i, j) for i in reach for j in reach), key=lambda step: step[0] ** 2 + step[1] ** 2)
    filled = dict(known)
    for i, j in around:
        for (x, y, storey), height in known.items():
            if not any((x + i, y + j, storey + step) in filled for step in (-1, 1)):
                filled.setdefault((x + i, y + j, storey), height)
    return [(np.array(cell), height) for cell, height in filled.items()]


def _cells(xy: Points, size: float) -> Cells:
    """Return the cells [n, 2] with people, sorted by row. A cell is a pair of row and column."""
    return np.unique(np.floor(xy[:, ::-1] / size).astype(np.int64), axis=0)


def _wider(cells: Cells, margin: int) -> Cells:
    """Return the cells, and all cells within `margin` cells."""
    reach = np.arange(-margin, margin + 1)
    steps = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
    return np.unique((cells[:, None] + steps).reshape(-1, 2), axis=0)


def _without(cells: Cells, others: Cells) -> Cells:
    """Return the cells that are not in `others`."""
    left_out = set(map(tuple, others.tolist()))
    kept = [tuple(cell) not in left_out for cell in cells.tolist()]
    return cells[np.array(kept, bool)]


def _runs(cells: Cells) -> list[tuple[int, int, int]]:
    """Return runs of neighbouring cells in a row: row, first column and length. `cells` must be sorted."""
    edges = np.flatnonzero((np.diff(cells[:, 0]) != 0) | (np.diff(cells[:, 1]) != 1)) + 1
    first, end = np.append(0, edges), np.append(edges, len(cells))
    return [(*cells[a].tolist(), int(b - a)) for a, b in zip(first, end, strict=True)] if len(cells) else []
