"""Framing: the nearest camera that looks a given way and has all of some points in its picture."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.elementary import tan
from ecs_anim.view.camera import OrbitCamera

MARGIN = 0.12  # of half a picture's width and height, left free on each side
NEAREST = 6.0  # [m] from what is looked at
CLEAR = 2.0  # [m] from the nearest point, which may be the outermost on both sides


def framed(camera: OrbitCamera, points: NDArray[np.float64], aspect: float) -> OrbitCamera:
    """The camera with target and distance that bring points [n, 3] [m] into its picture, tightly; its angles stay.

    `aspect` is width over height. Each side of a picture is a plane through the eye: the points furthest out on two
    opposite sides say how far back the eye is at least, and the farther one of both pairs counts. The target is amid
    the points.
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
    """Where across the picture, and how far back, the eye is between the planes through the outermost points."""
    high, low = float((across + slope * depth).max()), float((slope * depth - across).max())
    return (high - low) / 2, (high + low) / (2 * slope)
