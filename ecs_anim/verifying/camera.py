"""Camera models for verification: projection of points and rays of pixels, from the record of a camera.

The record is the field `view` of a label. The formulas are those of Brown 1971, as in OpenCV. This module is
independent of `ecs_anim.view`.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
View = Mapping[str, Any]
STEPS = 100  # of the fixed-point iteration that removes distortion
COEFFICIENTS = ("k1", "k2", "k3", "p1", "p2")


def project(view: View, points: Reals) -> tuple[Reals, Reals]:
    """Return the pixels [..., 2] and the depths [...] [m] of points [..., 3] in space.

    The pixels of points behind the camera are NaN.
    """
    matrix = np.array(view["world_to_view"])
    seen = points @ matrix[:3, :3].T + matrix[:3, 3]
    depths = -seen[..., 2]
    ahead = np.where(depths > 0, depths, np.nan)
    x, y = _bent(view, seen[..., 0] / ahead, -seen[..., 1] / ahead)
    return np.stack([view["fx"] * x + view["cx"], view["fy"] * y + view["cy"]], axis=-1), depths


def rays(view: View, width: int, height: int) -> tuple[Reals, Reals]:
    """Return the eye [3] [m] and the directions [height, width, 3] in space of the centres of all pixels.

    A direction has the depth 1 m, so that a surface with the depth d is at eye + d * direction.
    """
    matrix = np.array(view["world_to_view"])
    lens = json.dumps({name: view[name] for name in view if name != "world_to_view"}, sort_keys=True)
    return -matrix[:3, 3] @ matrix[:3, :3], _camera_rays(lens, width, height) @ matrix[:3, :3]


@lru_cache(maxsize=16)
def _camera_rays(lens: str, width: int, height: int) -> Reals:
    """Return the directions [height, width, 3] of all pixels in the coordinate frame of the camera."""
    view = json.loads(lens)
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    bent = (u - view["cx"]) / view["fx"], (v - view["cy"]) / view["fy"]
    x, y = bent
    for _ in range(STEPS if any(view["distortion"].values()) else 0):
        again = _bent(view, x, y)
        x, y = x + bent[0] - again[0], y + bent[1] - again[1]
    return np.stack([x, -y, np.full_like(x, -1.0)], axis=-1)


def _bent(view: View, x: Reals, y: Reals) -> tuple[Reals, Reals]:
    """Return directions x / z, y / z with the distortion of a lens."""
    k1, k2, k3, p1, p2 = (view["distortion"][name] for name in COEFFICIENTS)
    square = x * x + y * y
    radial = 1 + k1 * square + k2 * square**2 + k3 * square**3
    return (
        x * radial + 2 * p1 * x * y + p2 * (square + 2 * x * x),
        y * radial + p1 * (square + 2 * y * y) + 2 * p2 * x * y,
    )


def rotation_matrix(quaternion: Reals) -> Reals:
    """Return the rotation matrices [..., 3, 3] of quaternions [..., 4] x, y, z, w."""
    x, y, z, w = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
