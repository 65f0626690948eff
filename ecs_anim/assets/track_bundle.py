"""Bundles of tracks with equal key times. One call samples all tracks of a bundle.

In most files, all joints have equal key times.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.assets.track import Path, Track


class Bundle(NamedTuple):
    """Tracks of several joints for one path (translation, rotation or scale).

    The tracks are stored as one array of curves.
    """

    path: Path
    joints: NDArray[np.intp]  # [n]
    curves: KeyframeCurve  # curves with shape [n]


def bundled(tracks: Iterable[Track]) -> tuple[Bundle, ...]:
    """Group tracks into bundles. The tracks of a bundle have equal paths, equal interpolation and equal key times.

    Tracks with a `KeyTable` and tracks without a `KeyTable` are in different bundles.
    """
    alike: dict[tuple[object, ...], list[Track]] = defaultdict(list)
    for track in tracks:
        alike[track.path, track.interpolation, track.times.tobytes(), track.lookup is None].append(track)
    return tuple(_bundle(own) for own in alike.values())


def _bundle(tracks: list[Track]) -> Bundle:
    first, joints = tracks[0], np.array([track.joint_index for track in tracks], np.intp)
    values = np.stack([track.curve.values for track in tracks], axis=-2)
    return Bundle(first.path, joints, replace(first.curve, values=values, shape=(len(tracks),)))
