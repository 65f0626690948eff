"""Layouts: where the actors of a crowd stand, as arrays [actor_count, 2] f64 of x, z in metres."""

import math

import numpy as np
from numpy.typing import NDArray

from ecs_anim.scenes.schema import DiscLayout, GridLayout, Layout, PointsLayout, ScatterLayout

Places = NDArray[np.float64]

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
HEXAGON_AREA = math.sqrt(3) / 2  # of a hexagonal grid's cell with unit spacing


def place(layout: Layout, count: int, rng: np.random.Generator, density_count: int | None = None) -> Places:
    """Places of `count` actors.

    `density_count` is the count the scene file was written for: a scatter grows or shrinks with the count,
    so that its density stays. Raises ValueError where the actors do not fit.
    """
    match layout:
        case GridLayout():
            places = _grid(layout, count)
        case DiscLayout():
            places = _disc(layout, count)
        case ScatterLayout():
            grown = layout.radius * math.sqrt(count / (density_count or count))
            places = _scatter(grown, layout.min_distance, count, rng)
        case PointsLayout():
            return np.resize(np.array(layout.points, np.float64), (count, 2))
    return places + np.array(layout.center)


def _grid(layout: GridLayout, count: int) -> Places:
    columns = layout.columns or math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    row, column = np.divmod(np.arange(count), columns)
    middle = np.array([(min(columns, count) - 1) / 2, (rows - 1) / 2])
    return (np.stack([column, row], axis=-1) - middle) * layout.spacing


def _disc(layout: DiscLayout, count: int) -> Places:
    """Vogel's spiral (1979): equal areas, turned by the golden angle."""
    index = np.arange(count)
    radius = layout.spacing / math.sqrt(math.pi) * np.sqrt(index + 0.5)
    angle = index * GOLDEN_ANGLE
    return np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=-1)


def _scatter(radius: float, min_distance: float, count: int, rng: np.random.Generator) -> Places:
    """Randomly chosen cells of a hexagonal grid, each place moved at random as far as the distance allows.

    Linear in the number of actors, where Poisson-disc sampling is not. The grid is as wide as it can be
    while it has a third more cells than actors.
    """
    area = math.pi * radius * radius
    spacing = max(min_distance, math.sqrt(area / (4 / 3 * count * HEXAGON_AREA)))
    cells = _hexagonal_cells(radius, spacing, rng)
    while len(cells) < count and spacing > min_distance:  # a small disc's rim costs cells
        spacing = max(min_distance, 0.97 * spacing)
        cells = _hexagonal_cells(radius, spacing, rng)
    if len(cells) < count:
        needed = radius * math.sqrt(count / max(len(cells), 1)) * 1.05
        raise ValueError(
            f"{count} actors do not fit {min_distance:g} m apart in a radius of {radius:g} m;"
            f" raise radius to about {needed:.3g} or lower min_distance"
        )
    chosen = cells[rng.permutation(len(cells))[:count]]
    angle, reach = rng.random((2, count)) * np.array([[math.tau], [1.0]])
    offset = np.sqrt(reach) * (spacing - min_distance) / 2
    return chosen + np.stack([np.sin(angle), np.cos(angle)], axis=-1) * offset[:, None]


def _hexagonal_cells(radius: float, spacing: float, rng: np.random.Generator) -> Places:
    """Centres of a randomly shifted hexagonal grid inside a disc."""
    half_rows, half_columns = math.ceil(radius / (HEXAGON_AREA * spacing)) + 1, math.ceil(radius / spacing) + 1
    row = np.arange(-half_rows, half_rows + 1)[:, None]
    column = np.arange(-half_columns, half_columns + 1)[None, :] + 0.5 * (row % 2)
    z = np.broadcast_to(row * (HEXAGON_AREA * spacing), column.shape)
    cells = np.stack([column * spacing, z], axis=-1).reshape(-1, 2) + rng.random(2) * spacing
    return cells[np.sum(cells * cells, axis=-1) <= radius * radius]
