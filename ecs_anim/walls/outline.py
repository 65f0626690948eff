"""Outlines: where people may walk, as well-known text, which other programs read."""

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from ecs_anim.walls.walls import PlanPolygon, Walls

AROUND = 1.0  # [m] beyond what a box is drawn round


def outline_wkt(walls: Walls, low: NDArray[np.floating], high: NDArray[np.floating]) -> str:
    """The walkable area as WKT, on the plan [m], corners to a micrometre.

    Where obstacles alone bound people, and so the plane is walkable, the area is a box round these and round all points
    from `low` [2] to `high` [2], a metre larger, less the obstacles.
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
