"""Motion during the exposure of a picture: motion blur and rolling shutter.

Each pixel moves with the velocity of its surface. For several times of the exposure, the module moves all pixels to
their positions at this time, from far to near, so that near surfaces cover far surfaces. The picture is the mean. A
pixel that no surface reaches gets the colour of the farther one of its two neighbours in the row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
MOST_TIMES = 33  # number of times of an exposure
SLOWEST = 0.2  # limits the correction for motion along the rows' order


class Motion(NamedTuple):
    """The motion of the visible surfaces."""

    velocities: NDArray[np.floating]  # [height, width, 2] [pixel/s]; NaN = unknown, such as the sky
    depths: NDArray[np.floating]  # [height, width] [m]; 0 = no surface


def exposed(light: Reals, motion: Motion, shutter: float, rolling: float) -> Reals:
    """Return the light [height, width, 3] of an exposure. The given `light` belongs to the middle of the exposure.

    `shutter` [s] is the time for which each row is exposed. The last row is exposed `rolling` [s] after the first row.
    The middle row is exposed at the time of the labels.
    """
    velocities = np.nan_to_num(motion.velocities.astype(np.float64))
    depths = np.where(motion.depths > 0, motion.depths, np.inf).ravel()
    longest = float(np.abs(velocities).max(initial=0)) * shutter
    count = int(np.clip(2 * np.ceil(longest / 2) + 1, 1, MOST_TIMES))
    times = (np.arange(count) + 0.5) / count - 0.5
    return np.asarray(sum(_moved(light, velocities, depths, shutter * time, rolling) for time in times) / count)


def _moved(light: Reals, velocities: Reals, depths: Reals, time: float, rolling: float) -> Reals:
    """Return the light with all pixels at their positions after `time` [s], plus the delay of their new row."""
    height, width = light.shape[:2]
    rows, columns = np.indices((height, width)).reshape(2, -1)
    across, down = velocities.reshape(-1, 2).T
    delay = rolling / height
    at = (time + delay * (rows + 0.5 - height / 2)) / np.maximum(1 - down * delay, SLOWEST)
    column, row = (np.rint(own + speed * at).astype(np.intp) for own, speed in ((columns, across), (rows, down)))
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    order = np.argsort(-depths, kind="stable")
    order = order[inside[order]]
    source = np.full(height * width, -1)
    source[row[order] * width + column[order]] = order
    return np.asarray(light.reshape(-1, 3)[_filled(source.reshape(height, width), depths)])


def _without_cracks(source: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the source pixels [height, width]. A gap of one pixel between two pixels gets the first of both."""
    for axis in (0, 1, 0, 1):
        before, after = np.roll(source, 1, axis), np.roll(source, -1, axis)
        source = np.where((source < 0) & (before >= 0) & (after >= 0), before, source)
    return source


def _filled(source: NDArray[np.int64], depths: Reals) -> NDArray[np.int64]:
    """Return the source pixel of each pixel, [height, width]. -1 = no surface reaches the pixel."""
    source = _without_cracks(source)
    height, width = source.shape
    known, columns = source >= 0, np.arange(width)
    left = np.maximum.accumulate(np.where(known, columns, -1), axis=1)
    right = np.minimum.accumulate(np.where(known, columns, width)[:, ::-1], axis=1)[:, ::-1]
    row, column = np.nonzero(~known)
    pair = [np.where((at >= 0) & (at < width), source[row, at % width], -1) for at in (left[~known], right[~known])]
    far = [np.where(own >= 0, depths[own], -1.0) for own in pair]
    source[row, column] = np.where(far[0] >= far[1], *pair)
    return np.where(source >= 0, source, np.arange(height * width).reshape(height, width))
