"""Number formats for the rows of a bake: 32-bit floats, 16-bit floats or bytes."""

from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bake.options import FormatName

STEPS = 255  # steps of a byte over the range of its channel
DTYPES: dict[FormatName, np.dtype] = {"f32": np.dtype("<f4"), "f16": np.dtype("<f2"), "u8": np.dtype("u1")}

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Encoded:
    """The encoded rows of one clip. The decoded value of a number is offset + scale x code.

    A byte has a code from 0 to 1, as in a texture of normalised bytes. A 16-bit float has a code from -1 to 1. If the
    values of a channel are far from 0 but close to each other, such a code is more precise than the value as a 16-bit
    float.
    """

    codes: NDArray[Any]  # [row_count, row_width] in the format's dtype
    offset: Floats  # [row_width] f32; 32-bit floats have offset 0 and scale 1
    scale: Floats  # [row_width] f32

    def decode(self) -> Floats:
        """Return the decoded values [row_count, row_width] f32."""
        return decode(self.codes, self.offset, self.scale)


def encode(rows: Floats, number_format: FormatName) -> Encoded:
    """Encode the rows [row_count, row_width] of one clip in the number format `number_format`.

    A looping clip can end with the negative of its first quaternion, for example after a rotation by 360 degrees. In
    this case, the ranges of the quaternion's four channels are symmetric about 0. Therefore, the decoded last pose
    equals the decoded first pose except for the last bit.
    """
    match number_format:
        case "f32":
            return Encoded(rows.astype("<f4"), np.zeros(rows.shape[1], np.float32), np.ones(rows.shape[1], np.float32))
        case "f16":
            return _halves(rows, *_range(rows)[:2])
        case "u8":
            return _bytes(rows, *_range(rows))
        case _:
            assert_never(number_format)


def is_ranged(number_format: FormatName) -> bool:
    """Return whether a number format stores codes relative to the range of each channel.

    A format with relative codes also stores the ranges.
    """
    match number_format:
        case "f32":
            return False
        case "f16" | "u8":
            return True
        case _:
            assert_never(number_format)


def _range(rows: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return the minimum, the maximum and a flag of each channel.

    The flag is True if the last value of the channel is the negative of the first value. A channel with a true flag has
    a symmetric range.
    """
    low, high = rows.min(axis=0), rows.max(axis=0)
    turned = (rows[-1] == -rows[0]) & (rows[-1] != 0)
    high = np.where(turned, np.maximum(high, -low), high)
    return np.where(turned, -high, low), high, turned


def decode(codes: NDArray[Any], offset: Floats, scale: Floats) -> Floats:
    """Return the decoded values [..., row_width] f32 of `codes`. A value is offset + scale x code.

    `offset` and `scale` broadcast against `codes`. 32-bit floats are already values, so `offset` and `scale` have no
    effect.
    """
    if codes.dtype == np.float32:
        return codes
    numbers = codes.astype(np.float32)
    return offset + scale * (numbers / np.float32(STEPS) if codes.dtype == np.uint8 else numbers)


def _bytes(rows: Floats, low: Floats, high: Floats, turned: NDArray[np.bool_]) -> Encoded:
    """Encode each value as a byte: the nearest of 256 steps from `low` to `high`."""
    scale = high - low
    codes = np.rint((rows - low) / np.where(scale > 0, scale, 1) * STEPS).astype(np.uint8)
    codes[-1, turned] = STEPS - codes[0, turned]
    return Encoded(codes, low.astype(np.float32), scale.astype(np.float32))


def _halves(rows: Floats, low: Floats, high: Floats) -> Encoded:
    """Encode values as 16-bit floats relative to the middle of `low` and `high`. Constant channels have no error."""
    offset = np.where(low == high, low, (low + high) / 2).astype(np.float32)
    scale = (high - offset).astype(np.float32)
    codes = ((rows - offset) / np.where(scale > 0, scale, 1)).astype("<f2")
    return Encoded(codes, offset, scale)
