"""Voronoi densities of people: of each person, and on a grid (Steffen and Seyfried 2010).

The Voronoi cell of a person contains the points that are closer to this person than to all other people. Cells end at
walls and at the distance `CUT_OFF`. The density of a person is 1 / (area of the cell).
"""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from ecs_anim.analysis.samples import RATE, Reals, Samples

CUT_OFF = 2.0  # [m]; a cell ends at this distance from its person
QUARTER = 8  # a quarter of the circle with the radius `CUT_OFF` consists of this number of straight segments
# number of frames between two measurements of densities, so that there are two measurements per second
EVERY = RATE // 2
FINEST, MOST_SQUARES = 0.25, 6000  # [m], smallest side of the squares of a map; largest number of squares


@dataclass(frozen=True)
class Cells:
    """Voronoi cells of people at the measured times. n is the number of cells."""

    samples: NDArray[np.intp]  # [n], rows of `Samples`
    polygons: NDArray[np.object_]  # [n], shapely polygons
    densities: Reals  # [n] [1/m²]
    outside: int  # number of samples outside of the walkable area; the densities leave out these samples


@dataclass(frozen=True)
class Map:
    """A map: a grid of squares on the plan, with one value for each square."""

    west: float  # [m], left side of the first column
    south: float  # [m], lower side of the first row
    side: float  # [m], side of a square
    values: Reals  # [rows, columns], from south to north and from west to east; NaN = not walkable

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """West, east, south and north of the map [m]."""
        rows, columns = self.values.shape
        return self.west, self.west + columns * self.side, self.south, self.south + rows * self.side


def cells_of(people: Samples) -> Cells:
    """Return the Voronoi cells of all people, measured twice per second."""
    found = [(np.zeros(0, np.intp), np.zeros(0, object))]
    shapely.prepare(people.area)
    frames = np.unique(people.frames)
    for frame in frames[frames % EVERY == 0].tolist():
        rows = np.arange(len(people.frames))[people.at(frame)]
        rows = rows[shapely.contains_xy(people.area, people.xy[rows])]
        if len(rows):
            found.append((rows, _cells(people.xy[rows], people.area)))
    samples, polygons = (np.concatenate(column) for column in zip(*found, strict=True))
    measured = int((people.frames % EVERY == 0).sum())
    return Cells(samples, polygons, 1 / shapely.area(polygons), measured - len(samples))


def _cells(points: Reals, area: BaseGeometry) -> NDArray[np.object_]:
    """Return the Voronoi cells [n] of the points [n, 2] within the area.

    Walls can divide a cell. The cell is then the part that contains the point.
    """
    geometry = shapely.points(points)
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(points), extend_to=area, ordered=True))
    cells = shapely.intersection(cells, shapely.buffer(geometry, CUT_OFF, quad_segs=QUARTER))
    cells = shapely.intersection(cells, area)
    for row in np.flatnonzero(shapely.get_type_id(cells) != shapely.GeometryType.POLYGON):
        parts = shapely.get_parts(cells[row])
        cells[row] = parts[np.argmin(shapely.distance(parts, geometry[row]))]
    return cells


@dataclass(frozen=True)
class Maps:
    """Maps of means over all measured times."""

    density: Map  # [1/m²]
    speed: Map  # [m/s]; NaN = no person with a known speed
    flow: Map  # [1/(m s)], density times speed


def maps_of(people: Samples, cells: Cells) -> Maps:
    """Return the mean Voronoi density, speed and flow of each square over all measured times.

    The density of a square at a time is the mean of the cells' densities, weighted by the area of the square that each
    cell covers. Points without a cell have the density 0. PedPy computes density profiles in this way. The flow of a
    square is the mean over time of its density times its speed. The speed of a square is the mean of the speeds of all
    cells at all times, weighted by the area of the square that each cell covers.
    """
    west, south, east, north = people.area.bounds
    side = max(FINEST, float(np.sqrt((east - west) * (north - south) / MOST_SQUARES)))
    rows, columns = (int(np.ceil(length / side)) for length in (north - south, east - west))
    y, x = np.divmod(np.arange(rows * columns), columns)
    squares = shapely.box(west + x * side, south + y * side, west + (x + 1) * side, south + (y + 1) * side)
    walkable = shapely.area(shapely.intersection(squares, people.area))
    cell, square = shapely.STRtree(squares).query(cells.polygons)
    covered = shapely.area(shapely.intersection(cells.polygons[cell], squares[square]))
    times = max(len(np.unique(people.frames[people.frames % EVERY == 0])), 1)
    speeds = people.speeds[cells.samples][cell]
    known = np.where(np.isfinite(speeds), covered, 0.0)

    def sums(amounts: Reals) -> Reals:
        return np.bincount(square, amounts, minlength=rows * columns).astype(np.float64)

    def mean(amounts: Reals, weights: Reals) -> Map:
        """Return the sums of `amounts` in each square, divided by `weights`."""
        total = sums(amounts)
        values = np.divide(total, weights, out=np.full(len(total), np.nan), where=weights > 0)
        return Map(west, south, side, values.reshape(rows, columns))

    return Maps(
        density=mean(covered * cells.densities[cell], float(times) * walkable),
        speed=mean(known * np.nan_to_num(speeds), sums(known)),
        flow=mean(known * cells.densities[cell] * np.nan_to_num(speeds), float(times) * walkable),
    )
