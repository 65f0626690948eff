"""Bundles of tracks with equal key times, which one call samples. Most files use equal key times for all joints."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.assets.track import Path, Track


class Bundle(NamedTuple):
    """Tracks of several joints for one path (translation, rotation or scale), as one array of curves."""

    path: Path
    joints: NDArray[np.intp]  # [n]
    curves: KeyframeCurve  # curves with shape [n]


def bundled(tracks: Iterable[Track]) -> tuple[Bundle, ...]:
    """Return bundles of tracks with equal path, interpolation and key times.

    Tracks with a key table are not bundled with other tracks.
    """
    alike: dict[tuple[object, ...], list[Track]] = defaultdict(list)
    for track in tracks:
        alike[track.path, track.interpolation, track.times.tobytes(), track.lookup is None].append(track)
    return tuple(_bundle(own) for own in alike.values())


def _bundle(tracks: list[Track]) -> Bundle:
    first, joints = tracks[0], np.array([track.joint_index for track in tracks], np.intp)
    values = np.stack([track.curve.values for track in tracks], axis=-2)
    return Bundle(first.path, joints, replace(first.curve, values=values, shape=(len(tracks),)))
