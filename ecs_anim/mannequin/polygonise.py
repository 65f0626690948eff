"""Conversion of a mirror-symmetric distance field to a mesh of its left half. The mesh approximates the surface on
which the distance is 0.

The method is the naive dual form of Gibson, "Constrained Elastic Surface Nets" (1998). If the corners of a grid cell
have different signs, the method creates a vertex in the grid cell. If the ends of a grid edge have different signs, the
method creates a quad that crosses the grid edge.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ecs_anim.mannequin.arrays import Array

Field = Callable[[Array], Array]

_CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
_CELL_EDGES = [(i, j) for i in range(8) for j in range(i) if np.abs(_CORNERS[i] - _CORNERS[j]).sum() == 1]


def polygonise(
    field: Field, low: tuple[float, float], high: tuple[float, float, float], cell: float
) -> tuple[Any, ...]:
    """Return the vertices [n, 3] and triangles [m, 3] of the half x >= 0 of the surface on which `field` is 0.

    `field` maps points [..., 3] to distances.

    `low` (y, z) and `high` (x, y, z) are the limits of the grid in metres. The centres of the first layer of cells have
    x = 0. Because of the symmetry, the vertices of these cells are exactly at x = 0. The mesh is open at x = 0, and
    closed everywhere else.
    """
    axes = [np.arange(-cell / 2, high[0], cell), np.arange(low[0], high[1], cell), np.arange(low[1], high[2], cell)]
    values = field(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1))
    cells, positions = _cell_vertices(values)
    vertices = positions * cell + [a[0] for a in axes]
    index = np.full(np.array(values.shape) - 1, -1)
    index[tuple(cells.T)] = np.arange(len(cells))
    vertices[cells[:, 0] == 0, 0] = 0.0
    quads = np.concatenate([_quads(values < 0, index, axis) for axis in range(3)])
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return _compact(vertices, triangles)


def _cell_vertices(values: Array) -> tuple[Array, Array]:
    """Return the cells [n, 3] that the surface crosses, and one vertex [n, 3] for each cell.

    The vertex is the mean of the points where the surface crosses the edges of the cell. Vertices are in cell units.
    """
    shape = np.array(values.shape) - 1
    at = np.stack([values[tuple(slice(o, o + s) for o, s in zip(c, shape, strict=True))] for c in _CORNERS])
    inside = (at < 0).sum(axis=0)
    cells = np.argwhere((inside > 0) & (inside < 8))
    at = at[:, *cells.T]
    total, count = np.zeros((len(cells), 3)), np.zeros((len(cells), 1))
    for a, b in _CELL_EDGES:
        crossed = (at[a] < 0) != (at[b] < 0)
        t = np.where(crossed, at[a] / np.where(crossed, at[a] - at[b], 1), 0)[:, None]
        total += crossed[:, None] * (_CORNERS[a] + (_CORNERS[b] - _CORNERS[a]) * t)
        count += crossed[:, None]
    return cells, cells + total / count


def _quads(inside: Array, index: Array, axis: int) -> Array:
    """Return the quads [n, 4] that cross grid edges parallel to `axis`, as vertex numbers. All quads are in the half x
    > 0.

    In a view from outside, the corners of each quad are counter-clockwise.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    lead = np.moveaxis(inside, axis, 0)
    starts = np.argwhere(np.moveaxis(lead[:-1] != lead[1:], 0, axis))
    starts = starts[(starts[:, u] > 0) & (starts[:, v] > 0)]
    if axis == 0:
        starts = starts[starts[:, 0] > 0]
    du, dv = np.eye(3, dtype=int)[u], np.eye(3, dtype=int)[v]
    around = [starts - du - dv, starts - dv, starts, starts - du]
    quads = np.stack([index[tuple(c.T)] for c in around], axis=1)
    outward = inside[tuple(starts.T)]
    return np.where(outward[:, None], quads, quads[:, ::-1])


def _compact(vertices: Array, triangles: Array) -> tuple[Array, Array]:
    used, flat = np.unique(triangles, return_inverse=True)
    return vertices[used], flat.reshape(-1, 3)
