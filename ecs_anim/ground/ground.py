"""The ground under actors.

Functions make a ground that is flat, comes from a height field, or consists of triangles.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.ecs.records import sealed
from ecs_anim.ground.arrays import FLAT, HEIGHTS, NOWHERE, TRIANGLES, GroundArrays, no_heights, no_triangles
from ecs_anim.ground.below import below
from ecs_anim.ground.surface import Surface
from ecs_anim.ground.triangle_grid import TriangleGrid


@dataclass(frozen=True, eq=False)
class Ground:
    """The ground under actors, and its drawn surfaces. The object never changes, so several worlds can share it."""

    arrays: GroundArrays  # read-only, for kernels: ecs_anim.kernels.ground
    surfaces: tuple[Surface, ...] = ()  # one surface for each material; a flat ground has no surface
    # [seat_count, 3]: x, z [m] and yaw [rad] of the seats in stands, row by row; None = no stands
    seats: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", sealed(self.arrays))

    @property
    def floor(self) -> float | None:
        """Return the height [m] of the endless horizontal floor. If the ground has no floor, return None.

        The floor is drawn with grid lines.
        """
        return self.arrays.floor if self.arrays.floor > NOWHERE else None

    def below(self, points: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return height [...] [m] and unit normal [..., 3] of the nearest surface at or below points [..., 3] [m].

        The normal points up.

        If there is no surface below a point, the height is -inf and the normal is (0, 1, 0). A point whose x or z is
        infinite or NaN has no surface. For a point with y = inf, the result is the highest surface.
        """
        return below(self.arrays, np.asarray(points, np.float64))

    def height_at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the height [n] [m] of the highest surface at the points [n, 2] (x, z) [m].

        If there is no surface at a point, the height is 0.
        """
        if self.arrays.kind == FLAT:
            return np.full(len(places), self.floor or 0.0)
        height, _ = self.below(np.stack([places[:, 0], np.full(len(places), np.inf), places[:, 1]], axis=-1))
        return np.where(np.isfinite(height), height, 0.0)


def flat(height: float = 0.0) -> Ground:
    """Return an endless horizontal plane."""
    plan = (0.0, float(height), 0.0, 1.0, 1.0, 0, 0)
    return Ground(GroundArrays(FLAT, float(height), *plan, no_heights(), *no_triangles()))


def height_field(
    heights: ArrayLike,
    origin: tuple[float, float],
    spacing: tuple[float, float],
    *,
    floor: float = NOWHERE,
    surfaces: tuple[Surface, ...] = (),
) -> Ground:
    """Return a ground from heights [rows, columns] [m].

    The height in a row and a column of `heights` is at the point origin + (column, row) * spacing [m] in (x, z). Each
    cell has two triangles. The diagonal of a cell goes from the corner with the least x and z to the corner with the
    greatest x and z. A triangle with a NaN corner is a hole. Raises ValueError for fewer than two rows or columns, for
    infinite heights, and if all heights are NaN.
    """
    tall = np.asarray(heights, np.float64)
    if tall.ndim != 2 or min(tall.shape) < 2:
        raise ValueError(
            f"a height field must have at least 2 x 2 heights (got {' x '.join(map(str, tall.shape))} heights)"
        )
    if np.isinf(tall).any() or np.isnan(tall).all():
        raise ValueError(
            "a height field must have at least one finite height, and no infinite heights. Correct the heights."
        )
    low = float(np.nanmin(tall))
    rows, columns = tall.shape
    relative = np.ascontiguousarray(tall - low, np.float32)
    plan = (float(origin[0]), low, float(origin[1]), float(spacing[0]), float(spacing[1]), columns - 1, rows - 1)
    return Ground(GroundArrays(HEIGHTS, float(floor), *plan, relative, *no_triangles()), surfaces)


def triangle_mesh(
    triangles: ArrayLike,
    double_sided: ArrayLike = False,
    *,
    floor: float = NOWHERE,
    surfaces: tuple[Surface, ...] = (),
    seats: NDArray[np.float64] | None = None,
) -> Ground:
    """Return a ground from triangles [triangle_count, 3, 3] [m] in any order.

    Viewed from outside, the corners of a triangle are in counter-clockwise order.

    `double_sided` is one boolean, or one boolean per triangle. The function ignores a triangle that faces down, except
    if the triangle is double-sided. Actors cannot stand on vertical or degenerate triangles. Raises ValueError if no
    triangle is left.
    """
    grid = TriangleGrid.of(np.asarray(triangles, np.float64), np.asarray(double_sided, bool))
    x, y, z = grid.origin
    plan = (x, y, z, grid.spacing, grid.spacing, grid.columns, grid.rows)
    lists = (grid.starts, grid.entries, grid.triangles)
    return Ground(GroundArrays(TRIANGLES, float(floor), *plan, no_heights(), *lists), surfaces, seats)
