"""Outlines of what is wall in a picture."""

import numpy as np
import shapely
from numpy.typing import NDArray

from ecs_anim.maths import homography
from ecs_anim.support.budgets import excess
from ecs_anim.walls.shapes import Named

TOLERANCE = 0.75  # [pixel], by which outlines cut the pixels' corners: slanted walls are no stairs


def trace(is_wall: NDArray[np.bool_], plan: NDArray[np.float64]) -> list[Named]:
    """Polygons round the pixels [height, width] that are wall, on the plan by a homography of the unit square.

    Row 0 of the picture is at v = 0. Raises ValueError for noise in place of walls.
    """
    height, width = is_wall.shape
    steps = np.diff(np.pad(is_wall.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, first = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    if text := excess("wall_runs", len(row), "smooth the picture, or scale it down"):
        raise ValueError(f"it has {text}")
    runs = shapely.box(first, row, end, row + 1)
    outlines = shapely.simplify(shapely.coverage_union_all(runs), TOLERANCE)

    def onto_plan(pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        return homography.applied(plan, pixels / [width, height])

    return [Named("its outline", shapely.transform(outlines, onto_plan))]
