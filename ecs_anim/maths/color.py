"""Conversion of colours between sRGB (the values in files) and linear RGB (the values for lighting)."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray


def srgb_to_linear(value: ArrayLike) -> NDArray[np.float64]:
    """Convert sRGB values to linear values, both 0 to 1 (IEC 61966-2-1)."""
    value = np.asarray(value, np.float64)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


@lru_cache(maxsize=4096)
def hex_to_linear(color: str) -> tuple[float, float, float]:
    """Convert '#rrggbb' to linear RGB."""
    red, green, blue = srgb_to_linear([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return float(red), float(green), float(blue)


def linear_to_srgb(value: ArrayLike) -> NDArray[np.float64]:
    """Convert linear values to sRGB values, both 0 to 1."""
    value = np.asarray(value, np.float64)
    return np.where(value <= 0.0031308, value * 12.92, 1.055 * np.maximum(value, 0.0031308) ** (1 / 2.4) - 0.055)


def linear_to_hex(color: ArrayLike) -> str:
    """Convert linear RGB to '#rrggbb'. Values outside 0 to 1 are clipped."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in linear_to_srgb(np.clip(color, 0, 1)).tolist())
