"""Rays straight down, in plain numpy: the readable form of `ecs_anim.kernels.ground`, in float64."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.arrays import HEIGHTS, NOWHERE, OFFSET, SLOPE_X, SLOPE_Z, TOUCH, TRIANGLES, GroundArrays

Floats = NDArray[np.float64]


def below(ground: GroundArrays, points: Floats) -> tuple[Floats, Floats]:
    """Heights [...] and unit normals [..., 3] below points [..., 3] [m]."""
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
    """Surfaces above or below each point: heights [point] [m], -inf = none, and slopes [point, 2]."""
    spacing = np.array([ground.spacing_x, ground.spacing_z])
    place = (points[:, [0, 2]] - [ground.origin_x, ground.origin_z]) / spacing
    match ground.kind:
        case k if k == HEIGHTS:
            found = [_in_field(ground, place)]
        case k if k == TRIANGLES:
            found = _in_triangles(ground, place)
        case _:
            found = []
    return [(ground.origin_y + height, slope / spacing) for height, slope in found]


def _in_field(ground: GroundArrays, place: Floats) -> tuple[Floats, Floats]:
    """The height field's triangle at places [point, 2] in cells; the last row and column belong to it."""
    size = np.array([ground.columns, ground.rows])
    inside = np.all((place >= 0) & (place <= size), axis=-1)
    cell = np.where(inside[:, None], np.minimum(np.floor(place), size - 1), 0).astype(np.int64)
    (u, v), (i, k) = np.where(inside[:, None], place - cell, 0).T, cell.T
    tall = ground.heights.astype(np.float64)
    near, right, up, far = tall[k, i], tall[k, i + 1], tall[k + 1, i], tall[k + 1, i + 1]
    first = u >= v
    slope = np.where(first, [right - near, far - right], [far - up, up - near]).T
    height = near + slope[:, 0] * u + slope[:, 1] * v
    return np.where(inside & ~np.isnan(height), height, NOWHERE), slope


def _in_triangles(ground: GroundArrays, place: Floats) -> list[tuple[Floats, Floats]]:
    """Each cell's triangles at places [point, 2] in cells: one candidate for each rank in the fullest cell."""
    inside = np.all((place >= 0) & (place < [ground.columns, ground.rows]), axis=-1)
    cell = np.where(inside[:, None], np.floor(place), 0).astype(np.int64)
    (u, v), number = (place - cell).T, cell[:, 1] * ground.columns + cell[:, 0]
    first, end = ground.starts[number], np.where(inside, ground.starts[number + 1], 0)
    found = []
    for rank in range(int(np.max(end - first, initial=0))):
        there = first + rank < end
        record = ground.records[np.where(there, first + rank, 0)].astype(np.float64)
        for edge in range(0, 9, 3):
            there &= record[:, edge] * u + record[:, edge + 1] * v + record[:, edge + 2] >= 0
        height = record[:, SLOPE_X] * u + record[:, SLOPE_Z] * v + record[:, OFFSET]
        found.append((np.where(there, height, NOWHERE), record[:, [SLOPE_X, SLOPE_Z]]))
    return found
