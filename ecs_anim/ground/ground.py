"""Grounds: flat, height field, triangles."""

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
    """The ground under actors, and its drawn surfaces. Frozen; all users share one instance."""

    arrays: GroundArrays  # read-only, for kernels: ecs_anim.kernels.ground
    surfaces: tuple[Surface, ...] = ()  # one for each look; none for a flat ground
    seats: NDArray[np.float64] | None = None  # [seat_count, 3]: x, z [m] and yaw [rad], row by row; only in stands

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", sealed(self.arrays))

    @property
    def floor(self) -> float | None:
        """Height [m] of the endless horizontal floor, the plane that is drawn with its grid; None = there is none."""
        return self.arrays.floor if self.arrays.floor > NOWHERE else None

    def below(self, points: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Height [...] [m] and up-facing unit normal [..., 3] of the nearest surface at or below points [..., 3] [m].

        Height -inf and normal (0, 1, 0) where there is none, as below a point that is not finite in x or z.
        A point at y = inf finds the highest surface.
        """
        return below(self.arrays, np.asarray(points, np.float64))

    def height_at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Height [n] [m] of the highest surface at places [n, 2] (x, z) [m], 0 where there is none."""
        if self.arrays.kind == FLAT:
            return np.full(len(places), self.floor or 0.0)
        height, _ = self.below(np.stack([places[:, 0], np.full(len(places), np.inf), places[:, 1]], axis=-1))
        return np.where(np.isfinite(height), height, 0.0)


def flat(height: float = 0.0) -> Ground:
    """An endless horizontal plane."""
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
    """Heights [rows, columns] [m] at places origin + (column, row) * spacing [m] in (x, z).

    Each cell is two triangles that share the diagonal of growing x and z. Triangles with a corner of NaN are holes.
    Raises ValueError for fewer than two rows or columns, or heights that are infinite or all NaN.
    """
    tall = np.asarray(heights, np.float64)
    if tall.ndim != 2 or min(tall.shape) < 2:
        raise ValueError(f"a height field needs at least 2 x 2 heights (got {' x '.join(map(str, tall.shape))})")
    if np.isinf(tall).any() or np.isnan(tall).all():
        raise ValueError("a height field needs finite heights")
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
    """Triangles [triangle_count, 3, 3] [m], counter-clockwise seen from outside, in any order.

    Triangles that face down are ignored unless `double_sided` ([triangle_count] or one for all) is true. Actors cannot
    stand on vertical and degenerate triangles. Raises ValueError if no triangle is left.
    """
    grid = TriangleGrid.of(np.asarray(triangles, np.float64), np.asarray(double_sided, bool))
    x, y, z = grid.origin
    plan = (x, y, z, grid.spacing, grid.spacing, grid.columns, grid.rows)
    lists = (grid.starts, grid.entries, grid.triangles)
    return Ground(GroundArrays(TRIANGLES, float(floor), *plan, no_heights(), *lists), surfaces, seats)
