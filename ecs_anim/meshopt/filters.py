"""Filters that convert decoded elements to accessor values (appendix B of KHR_meshopt_compression)."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

STRIDES: Mapping[str, Callable[[int], bool]] = {  # for each filter, a function that returns true if a stride is allowed
    "NONE": lambda stride: True,
    "OCTAHEDRAL": lambda stride: stride in (4, 8),
    "QUATERNION": lambda stride: stride == 8,
    "EXPONENTIAL": lambda stride: stride % 4 == 0,
    "COLOR": lambda stride: stride in (4, 8),
}


def unfiltered(name: str, elements: Bytes) -> Bytes:
    """Return the accessor values for elements [count, stride] u8 after the filter `name`.

    The stride of `elements` must be valid for the filter.
    """
    match name:
        case "OCTAHEDRAL":
            return _octahedral(elements)
        case "QUATERNION":
            return _quaternion(elements)
        case "EXPONENTIAL":
            return _exponential(elements)
        case "COLOR":
            return _color(elements)
    return elements


def _components(elements: Bytes, signed: str) -> NDArray[np.signedinteger]:
    """Return elements as four integers of 8 or 16 bits, [count, 4]."""
    return elements.view(f"<{signed}{elements.shape[1] // 4}")


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round values to the nearest integers. Round halves away from zero, and convert NaN to 0."""
    return np.nan_to_num(np.copysign(np.floor(np.abs(values) + 0.5), values), nan=0.0, posinf=0.0, neginf=0.0)


def _packed(values: NDArray[np.float64], low: int, high: int, like: NDArray[np.signedinteger]) -> NDArray[np.integer]:
    return _rounded(values).clip(low, high).astype(like.dtype)


def _octahedral(elements: Bytes) -> Bytes:
    """Return unit vectors from octahedral coordinates.

    The third stored number is the integer that represents 1. The filter does not change the fourth stored number.
    """
    stored = _components(elements, "i")
    most = np.iinfo(stored.dtype).max
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = (stored[:, :2] / stored[:, 2:3].astype(np.float64)).T
        z = 1 - np.abs(x) - np.abs(y)
        folded = np.minimum(z, 0)
        vectors = np.stack([x - np.copysign(folded, x), y - np.copysign(folded, y), z], axis=1)
        vectors /= np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    found = stored.copy()
    found[:, :3] = _packed(vectors * most, -most, most, stored)
    return found.view(np.uint8)


def _quaternion(elements: Bytes) -> Bytes:
    """Return unit quaternions from their three smaller components.

    The fourth number is the index of the omitted component.
    """
    stored = _components(elements, "i")
    one = (stored[:, 3] | 3).astype(np.float64)
    small = stored[:, :3] / one[:, None] / np.sqrt(2)
    largest = np.sqrt(np.maximum(0, 1 - (small**2).sum(axis=1)))
    values = np.column_stack([largest, small])
    places = ((stored[:, 3] & 3)[:, None] + np.arange(4)) % 4
    found = np.empty_like(stored)
    np.put_along_axis(found, places.astype(np.intp), _packed(values * 32767, -32767, 32767, stored), axis=1)
    return found.view(np.uint8)


def _exponential(elements: Bytes) -> Bytes:
    """Return 32-bit floats from a signed mantissa of 24 bits and a signed exponent of 8 bits."""
    stored = elements.view("<i4")
    mantissa = (stored << 8 >> 8).astype(np.float32)
    with np.errstate(over="ignore"):
        return np.ldexp(mantissa, stored >> 24).astype("<f4").view(np.uint8)


def _color(elements: Bytes) -> Bytes:
    """Return red, green, blue and alpha from luma and two differences.

    The highest bit of alpha defines the bit depth.
    """
    signed, unsigned = _components(elements, "i"), _components(elements, "u")
    most = np.iinfo(unsigned.dtype).max
    alpha = unsigned[:, 3].astype(np.int64)
    luma, orange, green = unsigned[:, 0].astype(np.int64), *signed[:, 1:3].astype(np.int64).T
    scale = (1 << np.frexp(alpha)[1].astype(np.int64)) - 1
    clear = alpha & scale >> 1
    found = np.stack([luma + orange - green, luma + green, luma - orange - green, clear << 1 | clear & 1], axis=1)
    return _packed(found * (most / np.maximum(scale, 1))[:, None], 0, most, unsigned).view(np.uint8)
