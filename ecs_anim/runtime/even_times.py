"""Sample times of a clip, in blocks. A block is so short that its poses need little memory."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip

BLOCK = 2**18  # number of joints, palette entries and morph targets in one block
QUARTERS = 4  # parts of an interval for tests of a rate; half-way between two keys, nlerp and slerp are equal
EIGHTHS = 8  # parts of an interval for the measurement of errors

Times = NDArray[np.float64]  # [s], on the time axis of the clip


def even_times(clip: Clip, steps: int, overlap: int = 0) -> Iterator[Times]:
    """Yield `steps` + 1 evenly spaced times [s] from the clip's start to its end, in blocks.

    Each block begins with the last `overlap` times of the block before. The number of steps of a block is a multiple of
    eight, except for the last block.
    """
    size = _block_size(clip)
    for first in range(0, max(steps + 1 - overlap, 1), size):
        step = np.arange(first, min(first + size + overlap, steps + 1))
        yield clip.start + step / max(steps, 1) * clip.duration


def probe_times(clip: Clip, interval_count: int) -> Iterator[Times]:
    """Yield times at which row errors can be largest: eighths between rows, joint keys, and just before joint keys.

    The error of linear interpolation between rows is largest between keys or directly next to a key. Times just before
    a key are included, because stepped keys jump there.
    """
    yield from even_times(clip, EIGHTHS * interval_count)
    keys = np.unique(np.concatenate([np.zeros(0), *(track.times for track in clip.tracks)]).astype(np.float64))
    around = np.clip(np.concatenate([np.nextafter(keys, -np.inf), keys]), clip.start, clip.end)
    size = _block_size(clip)
    yield from (around[first : first + size] for first in range(0, len(around), size))


def _block_size(clip: Clip) -> int:
    """Return the number of times of a block: a power of two, at least eight."""
    skeleton = clip.skeleton
    wanted = BLOCK // (skeleton.joint_count + skeleton.palette_count + len(clip.morph_targets) + 1)
    return 1 << (max(wanted, 8).bit_length() - 1)
