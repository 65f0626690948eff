"""Quiet channels: channels with so little motion that joints can keep the rest values of these channels.

Exporters write quiet channels for joints without animation.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.track import Track
from ecs_anim.runtime.body_points import BodyPoints

Channel = tuple[str, int]  # path and joint


def quiet_channels(body: BodyPoints, clips: Sequence[Clip], tolerance: float) -> set[Channel]:
    """Return the channels that clips can leave out.

    If clips leave out all returned channels, the position of each point changes by at most `tolerance`.

    Only translations and scales can be left out. `tolerance` is a fraction of the body's size. A scale moves points at
    most by the relative change of the scale times a distance. This distance is the size of the body, or the reach of
    the joint if the reach is larger. The function selects the channels with the smallest movement first.
    """
    size = body.size
    if size <= 0:
        return set()
    reach, stretch = body.reaches(clips)
    loudness: dict[Channel, float] = defaultdict(float)
    for track in (track for clip in clips for track in clip.tracks if track.path != "rotation"):
        channel = track.path, track.joint_index
        loudness[channel] = max(loudness[channel], _loudness(body, track, np.maximum(reach, size), stretch) / size)
    ordered = sorted(loudness, key=loudness.__getitem__)
    total = np.cumsum([loudness[channel] for channel in ordered])
    return set(ordered[: int(np.searchsorted(total, tolerance, side="right"))])


def _loudness(body: BodyPoints, track: Track, reach: NDArray[np.float64], stretch: NDArray[np.float64]) -> float:
    """Return the largest distance [model units] by which a track moves any point from its rest position."""
    rest = getattr(body.skeleton.rest_pose, track.path)[track.joint_index].astype(np.float64)
    if track.is_constant(rest):
        return 0.0
    if track.interpolation == "CUBICSPLINE":  # a cubic spline can exceed its keys
        return np.inf
    change = track.values.astype(np.float64) - rest
    match track.path:
        case "scale":
            with np.errstate(divide="ignore", invalid="ignore"):
                share = np.where(change == 0, 0, np.abs(change / rest))
            return float(share.max() * reach[track.joint_index])
        case "translation":
            parent = int(body.skeleton.parents[track.joint_index])
            return float(np.linalg.norm(change, axis=-1).max() * (stretch[parent] if parent >= 0 else 1))
        case "rotation":  # rotations are never left out
            return np.inf
        case _:
            assert_never(track.path)
