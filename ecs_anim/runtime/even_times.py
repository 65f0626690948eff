"""Sample times of a clip, divided into blocks. A block has only few times, so that the poses at these times need little
memory.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip

# largest number of values in a block; each time has a value for each joint, palette entry and morph target
BLOCK = 2**18
QUARTERS = 4  # a test of a rate samples the quarters of each interval, because nlerp and slerp are equal at its middle
EIGHTHS = 8  # a measurement of errors divides each interval into this number of parts

Times = NDArray[np.float64]  # [s], in the time of the clip


def even_times(clip: Clip, steps: int, overlap: int = 0) -> Iterator[Times]:
    """Yield `steps` + 1 evenly spaced times [s] from the start to the end of the clip, in blocks.

    Each block begins with the last `overlap` times of the previous block. The number of steps in a block is a multiple
    of eight, except in the last block.
    """
    size = _block_size(clip)
    for first in range(0, max(steps + 1 - overlap, 1), size):
        step = np.arange(first, min(first + size + overlap, steps + 1))
        yield clip.start + step / max(steps, 1) * clip.duration


def probe_times(clip: Clip, interval_count: int) -> Iterator[Times]:
    """Yield the times at which the errors of a clip table can be largest.

    The function yields the times of the joints' keys, times just before the keys, and eight evenly spaced times between
    two rows.

    Linear interpolation between rows has its largest error between two keys, or directly next to a key. The times just
    before keys are necessary, because stepped keys change the pose suddenly.
    """
    yield from even_times(clip, EIGHTHS * interval_count)
    keys = np.unique(np.concatenate([np.zeros(0), *(track.times for track in clip.tracks)]).astype(np.float64))
    around = np.clip(np.concatenate([np.nextafter(keys, -np.inf), keys]), clip.start, clip.end)
    size = _block_size(clip)
    yield from (around[first : first + size] for first in range(0, len(around), size))


def _block_size(clip: Clip) -> int:
    """Return the number of times in a block: a power of two, at least eight."""
    skeleton = clip.skeleton
    wanted = BLOCK // (skeleton.joint_count + skeleton.palette_count + len(clip.morph_targets) + 1)
    return 1 << (max(wanted, 8).bit_length() - 1)
