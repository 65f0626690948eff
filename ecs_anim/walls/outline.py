"""Outlines of walkable areas, as well-known text for other programs."""

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from ecs_anim.walls.walls import PlanPolygon, Walls

AROUND = 1.0  # [m], margin of the box around the walls


def outline_wkt(walls: Walls, low: NDArray[np.floating], high: NDArray[np.floating]) -> str:
    """Return the walkable area on the plan [m] as WKT. Coordinates are rounded to a micrometre.

    If all walls are obstacles on an endless plane, the result is a box minus the obstacles. The box contains the
    obstacles and all points from `low` [2] to `high` [2], with a margin of one metre.
    """
    if walls.walkable is not None:
        area = shapely.union_all([_polygon(own) for own in walls.walkable])
    else:
        solids = shapely.union_all([_polygon(own) for own in walls.solids])
        x, y, x_end, y_end = solids.bounds
        least, most = np.minimum(low, (x, y)) - AROUND, np.maximum(high, (x_end, y_end)) + AROUND
        area = shapely.box(*least, *most).difference(solids)
    found: str = shapely.to_wkt(area)
    return found


def _polygon(own: PlanPolygon) -> Polygon:
    return Polygon(own.exterior, own.holes)
