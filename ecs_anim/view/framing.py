"""Framing of pictures. For given camera angles, the module computes the nearest camera position from which all given
points are in the picture.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.elementary import tan
from ecs_anim.view.camera import OrbitCamera

MARGIN = 0.12  # margin on each side, as a fraction of half the picture's width and height
NEAREST = 6.0  # [m], smallest distance to the target
CLEAR = 2.0  # [m], smallest distance to the nearest point, because a single point would fit at any distance


def framed(
    camera: OrbitCamera, points: NDArray[np.float64], aspect: float, nearest: float = NEAREST, clear: float = CLEAR
) -> OrbitCamera:
    """Return a copy of `camera` at the nearest position from which all points [n, 3] [m] are in the picture.

    The camera angles do not change. `aspect` is the picture's width divided by its height. The camera's target moves to
    the middle of the points. The function computes two distances: the smallest distance at which all points fit into
    the width of the picture, and the smallest distance at which all points fit into the height of the picture. The
    function uses the larger distance.
    """
    right, up, back = camera.axes().astype(np.float64)
    tall = (1 - MARGIN) * float(tan(camera.vertical_fov / 2))
    (aside, far_aside), (above, far_above) = (
        _eye(_along(points, axis), _along(points, back), slope) for axis, slope in ((right, aspect * tall), (up, tall))
    )
    depth = _along(points, back)
    middle = float(depth.min() + depth.max()) / 2
    target = aside * right + above * up + middle * back
    far = max(far_aside, far_above, float(depth.max()) + clear)
    return replace(camera, target=target, distance=max(far - middle, nearest))


def fitting_distance(camera: OrbitCamera, points: NDArray[np.float64], aspect: float) -> float:
    """Return the smallest distance [m] to the target of `camera` at which all points [n, 3] [m] are in the picture.

    The angles and the target of the camera do not change. `aspect` is the picture's width divided by its height.
    """
    right, up, back = camera.axes().astype(np.float64)
    tall = (1 - MARGIN) * float(tan(camera.vertical_fov / 2))
    ways = points - camera.target
    aside, above = np.abs(_along(ways, right)) / (aspect * tall), np.abs(_along(ways, up)) / tall
    return float((np.maximum(aside, above) + _along(ways, back)).max())


def _along(points: NDArray[np.float64], axis: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sum(points * axis, axis=-1)


def _eye(across: NDArray[np.float64], depth: NDArray[np.float64], slope: float) -> tuple[float, float]:
    """Return the lateral position and the distance of the nearest camera for which all points are between two opposite
    sides of the picture. `across` [n] [m] are the lateral coordinates of the points, and `depth` [n] [m] are their
    coordinates towards the camera. `slope` is the tangent of half of the angle between the two sides.
    """
    high, low = float((across + slope * depth).max()), float((slope * depth - across).max())
    return (high - low) / 2, (high + low) / (2 * slope)
