"""Pinhole cameras and Brown's distortion in plain numpy, a point at a time, as calibrations are described."""

import numpy as np


def bent(x: float, y: float, k1: float, k2: float, p1: float, p2: float, k3: float) -> tuple[float, float]:
    """Where x / z and y / z, y down, are seen on the plane at z = 1."""
    r = np.sqrt(x**2 + y**2)
    swollen = 1 + k1 * r**2 + k2 * r**4 + k3 * r**6
    return x * swollen + (2 * p1 * x * y + p2 * (r**2 + 2 * x**2)), y * swollen + (
        p1 * (r**2 + 2 * y**2) + 2 * p2 * x * y
    )


def seen_at(
    point: np.ndarray, eye: np.ndarray, look_at: np.ndarray, intrinsics: np.ndarray, distortion: tuple[float, ...]
) -> tuple[np.ndarray, float]:
    """Pixel [2] and depth [m] of a point; `intrinsics` [3, 3] is K, +Y is up."""
    ahead = (look_at - eye) / np.linalg.norm(look_at - eye)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    x, y, z = np.stack([right, np.cross(ahead, right), ahead]) @ (point - eye)
    u, v, w = intrinsics @ [*bent(x / z, y / z, *distortion), 1.0]
    return np.array([u / w, v / w]), z
