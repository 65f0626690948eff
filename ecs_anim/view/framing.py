"""Framing: search for the nearest camera position that shows all given points from a given direction."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.elementary import tan
from ecs_anim.view.camera import OrbitCamera

MARGIN = 0.12  # share of half the picture's width and height that stays free on each side
NEAREST = 6.0  # [m], smallest distance to the target
CLEAR = 2.0  # [m], smallest distance to the nearest point, even if one point is outermost on both sides


def framed(camera: OrbitCamera, points: NDArray[np.float64], aspect: float) -> OrbitCamera:
    """Return `camera`, moved so that all points [n, 3] [m] are in the picture and appear as large as possible.

    The camera angles do not change. `aspect` is the picture's width divided by its height. Each side of a picture is a
    plane through the eye. The outermost points at the left and right side give one smallest distance of the eye. The
    outermost points at the top and bottom give another smallest distance. The larger distance is used. The target is
    in the middle of the points.
    """
    right, up, back = camera.axes().astype(np.float64)
    tall = (1 - MARGIN) * float(tan(camera.vertical_fov / 2))
    (aside, far_aside), (above, far_above) = (
        _eye(_along(points, axis), _along(points, back), slope) for axis, slope in ((right, aspect * tall), (up, tall))
    )
    depth = _along(points, back)
    middle = float(depth.min() + depth.max()) / 2
    target = aside * right + above * up + middle * back
    far = max(far_aside, far_above, float(depth.max()) + CLEAR)
    return replace(camera, target=target, distance=max(far - middle, NEAREST))


def _along(points: NDArray[np.float64], axis: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sum(points * axis, axis=-1)


def _eye(across: NDArray[np.float64], depth: NDArray[np.float64], slope: float) -> tuple[float, float]:
    """Return lateral position and distance of the eye for which two picture sides touch the outermost points."""
    high, low = float((across + slope * depth).max()), float((slope * depth - across).max())
    return (high - low) / 2, (high + low) / (2 * slope)
