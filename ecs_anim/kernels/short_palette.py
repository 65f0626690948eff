"""Conversion of palettes to 16-bit numbers: compiled functions for `ecs_anim.runtime.short_palette`."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.kernels import kernel
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, OUT, OUT_SHORTS_2D, void
from ecs_anim.runtime.short_palette import STEPS, Lanes, Shares

HALF = np.float32(0.5)
MOST = np.float32(STEPS)
LEAST = np.float32(1e-30)  # least span, used as a divisor


def encode(palettes: NDArray[np.float32]) -> tuple[Shares, Lanes, Lanes]:
    """Return the numbers of `palettes` [actor, entry, row, 4] (C-contiguous) as 16-bit integers, and the minima and the
    ranges [row, 4] of the original numbers.
    """
    shares, lanes = np.empty(palettes.shape, np.uint16), palettes.shape[2:]
    if not palettes.size:
        return shares, *np.zeros((2, *lanes), np.float32)
    flat = palettes.reshape(len(palettes), -1)  # one row for each actor, because LLVM vectorises loops over long rows
    entry_count = palettes.shape[1]
    low, high = _bounds(flat, entry_count)
    span = high - low
    steps = MOST / np.maximum(span, LEAST)
    write_shares(flat, np.tile(low, entry_count), np.tile(steps, entry_count), shares.reshape(flat.shape))
    return shares, low.reshape(lanes), span.reshape(lanes)


def _bounds(flat: NDArray[np.float32], entry_count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the least and the greatest value of each number of a palette entry, over all entries in `flat`."""
    low, high = flat[0].copy(), flat[0].copy()
    widen(flat, low, high)
    return low.reshape(entry_count, -1).min(axis=0), high.reshape(entry_count, -1).max(axis=0)


@kernel(void(FLOATS_2D, OUT, OUT))
def widen(rows, out_low, out_high):
    """Extend the range `out_low` to `out_high` of each column by all numbers of `rows`."""
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            value = rows[row, column]
            out_low[column] = min(out_low[column], value)
            out_high[column] = max(out_high[column], value)


@kernel(void(FLOATS_2D, FLOATS, FLOATS, OUT_SHORTS_2D))
def write_shares(rows, low, steps, out):
    """Write `rows` as integers: the rounded number of steps above `low` [column]. A unit has `steps` [column]."""
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            share = (rows[row, column] - low[column]) * steps[column] + HALF
            out[row, column] = np.uint16(np.int32(min(share, MOST)))
