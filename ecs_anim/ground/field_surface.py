"""The drawn surface of a height field: the same triangles that rays hit, with smooth normals."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.surface import Surface


def field_surface(heights: NDArray[np.float64], origin: tuple[float, float], spacing: tuple[float, float]) -> Surface:
    """Return the surface of heights [rows, columns] [m]. A triangle with a NaN height is a hole.

    The height in a row and a column of `heights` is at the point origin + (column, row) * spacing [m] in (x, z).
    """
    rows, columns = heights.shape
    row, column = np.mgrid[:rows, :columns]
    filled = np.where(np.isnan(heights), np.nanmean(heights), heights)
    positions = np.stack([origin[0] + column * spacing[0], filled, origin[1] + row * spacing[1]], axis=-1)
    rise_z, rise_x = np.gradient(filled, spacing[1], spacing[0])
    normals = np.stack([-rise_x, np.ones_like(filled), -rise_z], axis=-1)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    whole = ~np.isnan(heights.ravel()[field_triangles(rows, columns)]).any(axis=-1)
    return Surface(
        positions.reshape(-1, 3).astype(np.float32),
        normals.reshape(-1, 3).astype(np.float32),
        field_triangles(rows, columns)[whole].astype(np.uint32).ravel(),
    )


def field_triangles(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the corner indices [triangle_count, 3] of two triangles per cell.

    The diagonal of a cell goes from the corner with the least x and z to the corner with the greatest x and z.
    """
    number = np.arange(rows * columns).reshape(rows, columns)
    near, right, up, far = number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]
    pairs = np.stack([np.stack([near, up, far], axis=-1), np.stack([near, far, right], axis=-1)], axis=-2)
    return pairs.reshape(-1, 3)
