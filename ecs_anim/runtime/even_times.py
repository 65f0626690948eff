"""Times at which a clip is looked at, block by block, so that the poses of one block fit into memory."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip

BLOCK = 2**18  # joints, palette entries and morph targets that are sampled together
QUARTERS = 4  # where rows are tried: between two keys nlerp and slerp agree half-way
EIGHTHS = 8  # where their error is measured

Times = NDArray[np.float64]  # [s], on the clip's own axis


def even_times(clip: Clip, steps: int, overlap: int = 0) -> Iterator[Times]:
    """`steps` + 1 evenly spaced times from start to end; each block begins with the last `overlap` of the one before.

    A block has a multiple of eight steps, but for the last.
    """
    size = _block_size(clip)
    for first in range(0, max(steps + 1 - overlap, 1), size):
        step = np.arange(first, min(first + size + overlap, steps + 1))
        yield clip.start + step / max(steps, 1) * clip.duration


def probe_times(clip: Clip, interval_count: int) -> Iterator[Times]:
    """Where reading rows is worst: at eighths between them, at every key of the joints, and just before it.

    The error of straight lines between rows is largest between keys or right beside one; just before a key counts,
    because steps jump there.
    """
    yield from even_times(clip, EIGHTHS * interval_count)
    keys = np.unique(np.concatenate([np.zeros(0), *(track.times for track in clip.tracks)]).astype(np.float64))
    around = np.clip(np.concatenate([np.nextafter(keys, -np.inf), keys]), clip.start, clip.end)
    size = _block_size(clip)
    yield from (around[first : first + size] for first in range(0, len(around), size))


def _block_size(clip: Clip) -> int:
    """Times of a block, a power of two, eight or more."""
    skeleton = clip.skeleton
    wanted = BLOCK // (skeleton.joint_count + skeleton.palette_count + len(clip.morph_targets) + 1)
    return 1 << (max(wanted, 8).bit_length() - 1)
