"""Camera models for verification: projection of points and rays of pixels, from the record of a camera.

The record is the field `view` of a label. The formulas are those of Brown 1971 (pinhole lenses) and of Kannala and
Brandt 2006 (fisheye lenses), as in OpenCV. This module is independent of `ecs_anim.view`.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Table = Mapping[str, Any]
STEPS = 100  # of the fixed-point iteration that removes distortion
ANGLES = 200_001  # of the table that inverts the radius of a fisheye lens
BROWN, FISHEYE = ("k1", "k2", "k3", "p1", "p2"), ("k1", "k2", "k3", "k4")


def project(label: Table, points: Reals) -> tuple[Reals, Reals]:
    """Return the pixels [..., 2] and the depths [...] [m] of points [..., 3] in space.

    The pixels of points without an image are NaN.
    """
    view, size = label["view"], np.array([label["width"], label["height"]])
    matrix = np.array(view["world_to_view"])
    seen = points @ matrix[:3, :3].T + matrix[:3, 3]
    x, y, ahead = seen[..., 0], -seen[..., 1], -seen[..., 2]
    depths = np.linalg.norm(seen, axis=-1) if view["depth_along"] == "ray" else ahead
    shown = np.where(ahead > 0, ahead, np.nan)
    match view["model"]:
        case "pinhole":
            flat = np.stack(_bent(view, x / shown, y / shown), axis=-1)
        case "fisheye":
            aside = np.hypot(x, y)
            angle = np.arctan2(aside, ahead)
            share = np.where(
                angle <= view["field_of_view"] / 2, _radius(view, angle) / np.maximum(aside, 1e-12), np.nan
            )
            flat = np.stack([x, y], axis=-1) * share[..., None]
        case "equirectangular":
            angles = np.stack([np.arctan2(x, ahead) / (2 * np.pi), np.arctan2(y, np.hypot(x, ahead)) / np.pi], axis=-1)
            return (angles + 0.5) % 1 * size, depths
        case _:
            flat = np.stack([x, y], axis=-1) * np.where(ahead > 0, 1, np.nan)[..., None]
            return flat * size[0] / view["view_width"] + size / 2, depths
    return flat * [view["fx"], view["fy"]] + [view["cx"], view["cy"]], depths


def apart_on_picture(label: Table, pixels: Reals, others: Reals) -> Reals:
    """Return the differences [..., 2] [pixel] of two positions in a picture.

    In a panorama, the left and the right edge are one line, and a column near a pole counts as narrow as it is.
    """
    found = pixels - others
    if label["view"]["model"] == "equirectangular":
        width = label["width"]
        across = (found[..., 0] + width / 2) % width - width / 2
        found = np.stack([across * np.sin(np.pi * pixels[..., 1] / label["height"]), found[..., 1]], axis=-1)
    return np.asarray(found)


def footprint(label: Table, depths: Any) -> Any:
    """Return the side [m] of a pixel in the middle of the picture, at given depths [m]."""
    view = label["view"]
    match view["model"]:
        case "orthographic":
            return view["view_width"] / label["width"] + 0 * depths
        case "equirectangular":
            return 2 * np.pi / label["width"] * np.abs(depths)
        case _:
            return np.abs(depths) / view["fx"]


def rays(label: Table) -> tuple[Reals, Reals]:
    """Return the origins and the directions [height, width, 3] in space of the rays through all pixels.

    A surface with the depth d is at origin + d * direction.
    """
    matrix, view = np.array(label["view"]["world_to_view"]), label["view"]
    lens = json.dumps({name: view[name] for name in view if name != "world_to_view"}, sort_keys=True)
    origins, directions = _camera_rays(lens, label["width"], label["height"])
    return (origins - matrix[:3, 3]) @ matrix[:3, :3], directions @ matrix[:3, :3]


@lru_cache(maxsize=16)
def _camera_rays(lens: str, width: int, height: int) -> tuple[Reals, Reals]:
    """Return the origins and the directions [height, width, 3] of all rays in the coordinate frame of the camera."""
    view = json.loads(lens)
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    none, one = np.zeros_like(u), np.ones_like(u)
    match view["model"]:
        case "pinhole":
            x, y = _straight(view, (u - view["cx"]) / view["fx"], (v - view["cy"]) / view["fy"])
            directions = [x, -y, -one]
        case "fisheye":
            x, y = (u - view["cx"]) / view["fx"], (v - view["cy"]) / view["fy"]
            angles, radius = np.linspace(0, view["field_of_view"] / 2, ANGLES), np.hypot(x, y)
            angle = np.interp(radius, _radius(view, angles), angles, right=np.nan)
            share = np.sin(angle) / np.maximum(radius, 1e-12)
            directions = [share * x, -share * y, -np.cos(angle)]
        case "equirectangular":
            across, up = 2 * np.pi * (u / width - 0.5), np.pi * (0.5 - v / height)
            directions = [np.cos(up) * np.sin(across), np.sin(up), -np.cos(up) * np.cos(across)]
        case _:
            side = view["view_width"] / width
            return np.stack([(u - width / 2) * side, (height / 2 - v) * side, none], axis=-1), np.stack(
                [none, none, -one], axis=-1
            )
    return np.zeros((height, width, 3)), np.stack(directions, axis=-1)


def _radius(view: Table, angle: Reals) -> Reals:
    """Return the distances from the principal point [focal lengths] at angles [rad] to the axis of a fisheye."""
    powers = (own * angle ** (2 * k) for k, own in enumerate((view["distortion"][name] for name in FISHEYE), 1))
    return np.asarray(angle * (1 + sum(powers)))


def _straight(view: Table, bent_x: Reals, bent_y: Reals) -> tuple[Reals, Reals]:
    """Return the directions x / z, y / z without distortion."""
    x, y = bent_x, bent_y
    for _ in range(STEPS if any(view["distortion"].values()) else 0):
        again = _bent(view, x, y)
        x, y = x + bent_x - again[0], y + bent_y - again[1]
    return x, y


def _bent(view: Table, x: Reals, y: Reals) -> tuple[Reals, Reals]:
    """Return directions x / z, y / z with the distortion of a lens."""
    k1, k2, k3, p1, p2 = (view["distortion"][name] for name in BROWN)
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
