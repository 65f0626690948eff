"""Drawn surfaces of walls. A wall is a prism with a bright top and sides that are darker near the ground."""

from collections.abc import Callable, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from ecs_anim.ground.surface import Surface, SurfaceKind, quad_indices
from ecs_anim.maths import small_matrices
from ecs_anim.maths.plan import space_from_plan

Reals = NDArray[np.float64]
# Returns the heights [n] [m] of the ground at the points [n, 2], x and z in the world.
Heights = Callable[[Reals], Reals]
BURIED = 0.05  # [m], depth of the sides below the ground
# Brightness factors of tops, of the upper edges of sides, and of the lower edges of sides.
TOP, EDGE, FOOT = 1.0, 0.70, 0.55


def prism_surface(
    solids: Sequence[Polygon],
    height: float,
    height_at: Heights,
    color: tuple[float, float, float],
    kind: SurfaceKind = "wall",
) -> Surface:
    """Return one surface with the tops and the sides of prisms.

    The top of a prism is `height` metres above the ground at each corner.

    `solids` are polygons with counter-clockwise exteriors and clockwise holes. The prisms have no bottoms. `color` is
    linear RGB.
    """
    sides, side_normals = _sides(solids, height, height_at)
    tops = _tops(solids, height, height_at)
    shades = np.concatenate([np.tile([FOOT, FOOT, EDGE, EDGE], len(sides) // 4), np.full(len(tops), TOP)])
    return Surface(
        np.concatenate([sides, tops]).astype(np.float32),
        np.concatenate([side_normals, np.tile([0.0, 1.0, 0.0], (len(tops), 1))]).astype(np.float32),
        np.concatenate([quad_indices(len(sides) // 4), len(sides) + np.arange(len(tops), dtype=np.uint32)]),
        colors=np.repeat(shades[:, None], 3, axis=1).astype(np.float32),
        color=color,
        kind=kind,
    )


def _sides(solids: Sequence[Polygon], height: float, height_at: Heights) -> tuple[Reals, Reals]:
    """Return the corners [4 * edge_count, 3] and normals of one quad per edge.

    Viewed from outside, the corners of a quad are in counter-clockwise order.
    """
    rings = [shapely.get_coordinates(ring) for solid in solids for ring in (solid.exterior, *solid.interiors)]
    start, end = (np.concatenate(ends) for ends in zip(*((ring[:-1], ring[1:]) for ring in rings), strict=True))
    low, high = -BURIED, height
    corners = [_over(start, low, height_at), _over(end, low, height_at)]
    corners += [_over(end, high, height_at), _over(start, high, height_at)]
    along = small_matrices.unit(end - start)
    outwards = space_from_plan(np.stack([along[:, 1], -along[:, 0]], axis=-1))  # to the right of the edges
    return np.stack(corners, axis=1).reshape(-1, 3), np.repeat(outwards, 4, axis=0)


def _tops(solids: Sequence[Polygon], height: float, height_at: Heights) -> Reals:
    """Return the corners [3 * triangle_count, 3] of the triangles on the tops of prisms.

    Viewed from above, the corners of a triangle are in counter-clockwise order.
    """
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(np.array(solids)))
    corners = shapely.get_coordinates(shapely.orient_polygons(triangles)).reshape(-1, 4, 2)[:, :3]
    return _over(corners.reshape(-1, 2), height, height_at)


def _over(plan: Reals, height: float, height_at: Heights) -> Reals:
    """Return points in space [n, 3], `height` metres above the ground at the points [n, 2] of the plan."""
    ground = height_at(space_from_plan(plan)[:, [0, 2]])
    return space_from_plan(plan, ground + height)
