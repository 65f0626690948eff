"""Channels that move nothing to speak of: what exporters leave where nobody animated anything."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ecs_anim.clip import Clip
from ecs_anim.hierarchy import model_matrices
from ecs_anim.skeleton import Skeleton
from ecs_anim.track import Track

Channel = tuple[str, int]  # path, joint


def quiet_channels(skeleton: Skeleton, clips: Iterable[Clip], tolerance: float) -> set[Channel]:
    """Translations and scales that, left at the rest pose together, move no point by more than `tolerance`.

    `tolerance` is a share of the skeleton's size. A scale is taken to act over the whole size: skins reach beyond the
    last joint. The quietest channels come first, as many as fit.
    """
    if not skeleton.joint_count:
        return set()
    model = model_matrices(skeleton, skeleton.rest_pose).astype(np.float64)
    size = float(np.max(np.ptp(model[..., 3], axis=0)))
    if size <= 0:
        return set()
    stretch = np.linalg.norm(model[..., :3], axis=-2).max(axis=-1)
    loudness: dict[Channel, float] = defaultdict(float)
    for track in (track for clip in clips for track in clip.tracks if track.path != "rotation"):
        channel = track.path, track.joint_index
        loudness[channel] = max(loudness[channel], _loudness(skeleton, track, stretch, size))
    ordered = sorted(loudness, key=loudness.__getitem__)
    total = np.cumsum([loudness[channel] for channel in ordered])
    return set(ordered[: int(np.searchsorted(total, tolerance, side="right"))])


def _loudness(skeleton: Skeleton, track: Track, stretch: np.ndarray, size: float) -> float:
    """How far a track moves points from where the rest pose has them, at most, as a share of the size."""
    rest = getattr(skeleton.rest_pose, track.path)[track.joint_index].astype(np.float64)
    if track.is_constant(rest):
        return 0.0
    if track.interpolation == "CUBICSPLINE":  # goes beyond its keys
        return np.inf
    change = track.values.astype(np.float64) - rest
    if track.path == "scale":
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(change == 0, 0, np.abs(change / rest))
        return float(share.max())
    parent = int(skeleton.parents[track.joint_index])
    return float(np.linalg.norm(change, axis=-1).max() * (stretch[parent] if parent >= 0 else 1) / size)
