"""Tracing of walls. The wall pixels of a picture become polygons on the plan."""

import numpy as np
import shapely
from numpy.typing import NDArray

from ecs_anim.maths import homography
from ecs_anim.support.budgets import excess
from ecs_anim.walls.shapes import Named

STAIR = 1.42  # [pixel], tolerance of smoothing: large enough to turn the pixel stairs of a diagonal wall into a line
# a wall is smoothed only if its area changes by at most this share, so walls with a width of one pixel keep their shape
KEPT = 0.05


def trace(is_wall: NDArray[np.bool_], plan: NDArray[np.float64]) -> list[Named]:
    """Return polygons on the plan around the wall pixels [height, width] of a picture.

    `plan` is a homography from the unit square of the picture (u, v) to the plan. Row 0 of the picture is at v = 0.
    Raises ValueError if the picture has noise instead of walls.
    """
    height, width = is_wall.shape
    steps = np.diff(np.pad(is_wall.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, first = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    if limit_message := excess("wall_runs", len(row), "smooth the picture, or reduce its size"):
        raise ValueError(f"the picture has {limit_message}")
    runs = shapely.box(first, row, end, row + 1)
    outlines = shapely.get_parts(shapely.union_all(runs))
    smooth, area = shapely.simplify(outlines, STAIR), shapely.area(outlines)
    shapes = np.where(np.abs(shapely.area(smooth) - area) <= KEPT * area, smooth, outlines)

    def onto_plan(pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        return homography.applied(plan, pixels / [width, height])

    return [Named(f"outline {number}", shape) for number, shape in enumerate(shapely.transform(shapes, onto_plan), 1)]
