"""Footprints: polygons on the plan that objects on the ground cover."""

import math

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from ecs_anim.maths import elementary
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.walls.shapes import SLIVER_AREA

ROUND_CORNERS = 12  # number of corners of a round footprint
SMOOTH = 0.02  # largest distance between a hull and its simplified outline, as a fraction of the hull's size

Reals = NDArray[np.float64]


def hull(triangles: NDArray[np.floating], top: float) -> Reals:
    """Cut triangles [triangle, 3, 3] at the height `top` [m]. Return the convex hull on the plan of all parts below
    this height.

    The result has the shape [corner, 2]. Raises ValueError if the hull has no area.
    """
    corners = triangles.reshape(-1, 3).astype(np.float64)
    ends = triangles[:, [1, 2, 0]].reshape(-1, 3).astype(np.float64)
    crossing = (corners[:, 1] < top) != (ends[:, 1] < top)
    start, end = corners[crossing], ends[crossing]
    share = (top - start[:, 1:2]) / (end[:, 1:2] - start[:, 1:2])
    points = np.concatenate([corners[corners[:, 1] <= top], start + share * (end - start)])
    whole = shapely.MultiPoint(plan_from_space(points)).convex_hull
    if not isinstance(whole, Polygon) or whole.area < SLIVER_AREA:
        raise ValueError(
            "the model has no parts below 2 m that cover an area on the plan. Set the radius of the obstacle."
        )
    ring: Reals = shapely.get_coordinates(shapely.simplify(whole, SMOOTH * math.sqrt(whole.area)))[:-1]
    return ring


def circle(radius: float) -> Reals:
    """Return the corners [corner, 2] of a regular polygon that contains a circle around the origin."""
    angles = np.arange(ROUND_CORNERS) * (math.tau / ROUND_CORNERS)
    outside = radius / float(elementary.cos(math.pi / ROUND_CORNERS))
    return outside * np.stack([elementary.cos(angles), elementary.sin(angles)], axis=-1)


def placed_footprints(ring: Reals, positions: Reals, yaws: Reals, scales: Reals) -> list[Polygon]:
    """Return a copy of the polygon `ring` [corner, 2] for each plan point of `positions` [copy, 2].

    A copy is scaled by `scales` [copy] and turned counter-clockwise by `yaws` [copy] [rad].
    """
    sine, cosine = (function(yaws)[:, None] for function in (elementary.sin, elementary.cos))
    x, y = np.moveaxis(scales[:, None, None] * ring, -1, 0)
    turned = np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)
    return list(shapely.polygons(turned + positions[:, None]))
