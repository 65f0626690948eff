"""A map of the density of people on the ground."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.color import hex_to_linear

Reals = NDArray[np.float64]

RADIUS = 1.5  # [m]; a person adds to the density up to this distance
CELL = 0.25  # [m], side of the cells in small maps
MOST_CELLS = 40_000  # in larger maps, the cells are larger
LEAST = 0.1  # [1/m²]; cells with a lower density have no colour
# The fraction of a cell that is coloured, by the lowest density with this fraction [1/m²]. The fractions are quarters,
# because a pixel has 4 samples. Other fractions would show as a pattern of dots.
COVERAGE = {LEAST: 0.25, 0.25: 0.5, 0.5: 0.75}
COLORS = {  # by density [1/m²]: the colour, and its name in texts
    0.5: ("#2c6fbb", "blue"),
    1.0: ("#27a79a", "teal"),
    2.0: ("#9ccc3c", "green"),
    3.0: ("#fdd835", "yellow"),
    4.0: ("#f57c1f", "orange"),
    6.0: ("#c2185b", "red"),
}
LEGEND = "people per square metre"


class DensityMap(NamedTuple):
    """The cells of a map of the density of people. Points have two coordinates [m], on any plane.

    The map omits cells with a density below `LEAST`.
    """

    centers: Reals  # [n, 2]
    densities: Reals  # [n] [1/m²]
    size: float  # [m], side of a cell


def density_map(points: Reals) -> DensityMap:
    """Return the density of people around the points `points` [people, 2] [m].

    The density at a cell is a sum over the people. The weight of a person at the distance r is proportional to (1 -
    r²/R²)², with the radius R = `RADIUS`. The density of one person, multiplied by the cell area and summed over all
    cells, is 1. Walls do not change the weights.
    """
    if not len(points):
        return DensityMap(np.zeros((0, 2)), np.zeros(0), CELL)
    low, high = points.min(axis=0) - RADIUS, points.max(axis=0) + RADIUS
    size = CELL
    while float(np.prod(high - low)) > MOST_CELLS * size * size:
        size *= 2
    low = np.floor(low / size) * size  # the cells do not move with the people
    reach = math.ceil(RADIUS / size)
    cells = np.floor((points - low) / size).astype(np.intp) + reach
    counts = np.zeros(cells.max(axis=0) + reach + 1)
    np.add.at(counts, (cells[:, 0], cells[:, 1]), 1.0)
    weights = _weights(size, reach)
    found = np.zeros_like(counts)
    for offset in np.argwhere(weights > 0) - reach:
        found += weights[tuple(offset + reach)] * np.roll(counts, tuple(offset), (0, 1))
    kept = np.argwhere(found >= LEAST)
    return DensityMap(low + (kept - reach + 0.5) * size, found[kept[:, 0], kept[:, 1]], size)


def colors_of_densities(densities: Reals) -> tuple[Reals, NDArray[np.float32]]:
    """Return the linear RGB colour [n, 3] and the covered fraction [n] f32 of cells with the densities [n] [1/m²]."""
    ramp = np.array([hex_to_linear(color) for color, _ in COLORS.values()])
    colors = np.stack([np.interp(densities, list(COLORS), channel) for channel in ramp.T], axis=-1)
    step = np.searchsorted(list(COVERAGE), densities, "right") - 1
    return colors, np.array([*COVERAGE.values()], np.float32)[np.maximum(step, 0)]


def legend_of_densities() -> tuple[str, list[tuple[str, str]]]:
    """Return the title of the legend, and its entries: colours and densities [1/m²]."""
    return LEGEND, [(color, f"{density:g}") for density, (color, _) in COLORS.items()]


def _weights(size: float, reach: int) -> Reals:
    """Return the density [1/m²] that one person adds to the cells around it, [2 reach + 1, 2 reach + 1].

    The cell of the person is in the middle. `size` [m] is the side of a cell.
    """
    away = np.arange(-reach, reach + 1) * size / RADIUS
    weights = np.maximum(1 - away[:, None] ** 2 - away**2, 0) ** 2
    return np.asarray(weights / (weights.sum() * size * size))
