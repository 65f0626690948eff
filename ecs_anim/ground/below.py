"""Vertical rays downwards in plain numpy and float64.

The module is a readable reference for `ecs_anim.kernels.ground`.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.arrays import CORNERS, HEIGHT, HEIGHTS, NOWHERE, SLOPE_X, SLOPE_Z, TOUCH, TRIANGLES, GroundArrays

Floats = NDArray[np.float64]


def below(ground: GroundArrays, points: Floats) -> tuple[Floats, Floats]:
    """Return heights [...] and unit normals [..., 3] of the surfaces below points [..., 3] [m]."""
    flat = points.reshape(-1, 3)
    x, y, z = flat.T
    there = np.isfinite(x) & np.isfinite(z)
    height = np.where(there & (y >= ground.floor - TOUCH), ground.floor, NOWHERE)
    slope = np.zeros((len(flat), 2))
    for found, rise in _candidates(ground, flat):
        better = (found <= y + TOUCH) & (found > height)
        height[better], slope[better] = found[better], rise[better]
    normal = np.stack([-slope[:, 0], np.ones(len(flat)), -slope[:, 1]], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return height.reshape(points.shape[:-1]), normal.reshape(points.shape)


def _candidates(ground: GroundArrays, points: Floats) -> list[tuple[Floats, Floats]]:
    """Return all surfaces above or below the points: a list of pairs of heights [point] [m] and slopes [point, 2].

    If there is no surface at a point, the height is -inf.
    """
    local = points[:, [0, 2]] - [ground.origin_x, ground.origin_z]
    if ground.kind == HEIGHTS:
        found = [_in_field(ground, local)]
    else:
        found = _in_triangles(ground, local) if ground.kind == TRIANGLES else []
    return [(ground.origin_y + height, slope) for height, slope in found]


def _in_field(ground: GroundArrays, local: Floats) -> tuple[Floats, Floats]:
    """Return the height [point] and the slope [point, 2] of a height field at local positions [point, 2] [m].

    Positions on the border of the last row or column are inside.
    """
    size, spacing = np.array([ground.columns, ground.rows]), np.array([ground.spacing_x, ground.spacing_z])
    at = local / spacing
    inside = np.all((at >= 0) & (at <= size), axis=-1)
    cell = np.where(inside[:, None], np.minimum(np.floor(at), size - 1), 0).astype(np.int64)
    (u, v), (i, k) = np.where(inside[:, None], at - cell, 0).T, cell.T
    tall = ground.heights.astype(np.float64)
    near, right, up, far = tall[k, i], tall[k, i + 1], tall[k + 1, i], tall[k + 1, i + 1]
    first = u >= v
    slope = np.where(first, [right - near, far - right], [far - up, up - near]).T
    height = near + slope[:, 0] * u + slope[:, 1] * v
    return np.where(inside & ~np.isnan(height), height, NOWHERE), slope / spacing


def _in_triangles(ground: GroundArrays, local: Floats) -> list[tuple[Floats, Floats]]:
    """Return heights and slopes of the triangles in the cells of local positions [point, 2] [m].

    The result is a list with as many items as the largest number of triangles in a cell. The function rounds positions
    to float32, because the corners of triangles are float32 numbers. Therefore, a position on a corner stays on the
    corner.
    """
    local = np.clip(np.where(np.isnan(local), -1, local), -1e30, 1e30).astype(np.float32)
    cell = local * np.float32(1 / ground.spacing_x)
    inside = np.all((cell >= 0) & (cell < [ground.columns, ground.rows]), axis=-1)
    column, row = np.where(inside[:, None], cell, 0).astype(np.int64).T
    number = row * ground.columns + column
    first, end = ground.starts[number], np.where(inside, ground.starts[number + 1], 0)
    found = []
    for rank in range(int(np.max(end - first, initial=0))):
        there = first + rank < end
        triangle = ground.triangles[ground.entries[np.where(there, first + rank, 0)] >> 1].astype(np.float64)
        corners = triangle[:, CORNERS].reshape(-1, 3, 2) - local[:, None]
        for a, b in ((0, 1), (1, 2), (2, 0)):
            there &= corners[:, a, 1] * corners[:, b, 0] >= corners[:, a, 0] * corners[:, b, 1]
        slope = triangle[:, [SLOPE_X, SLOPE_Z]]
        height = triangle[:, HEIGHT] - np.sum(slope * corners[:, 0], axis=-1)
        found.append((np.where(there, height, NOWHERE), slope))
    return found
