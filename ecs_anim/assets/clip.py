"""Clips: the tracks that animate a skeleton together."""

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.keyframes import RotationRule
from ecs_anim.assets.morphs import NO_TARGETS, MorphTargets, MorphTrack
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Path, Track
from ecs_anim.assets.track_bundle import Bundle, bundled
from ecs_anim.maths.transform import Pose
from ecs_anim.support.arguments import FLOAT_MAX, numbers
from ecs_anim.support.checked import checked, checked_fields

PATHS = get_args(Path)
AT_ONCE = 1 << 13  # keys that are mixed together, so that what lies between two passes stays in the caches


@checked_fields
@dataclass(frozen=True, eq=False)
class Clip:
    """Tracks over one span of time, with the skeleton that their joint indices belong to."""

    name: str
    skeleton: Skeleton
    tracks: tuple[Track, ...]  # at most one for a joint and path
    start: float  # [s], the first key of any track
    end: float  # [s], the last key of any track
    extras: Mapping[str, object] = field(default_factory=dict)  # the file's `extras`, such as "ground_speed" [m/s]
    morph_targets: MorphTargets = NO_TARGETS  # of the columns of the morph tracks
    morph_tracks: tuple[MorphTrack, ...] = ()

    @cached_property
    def _bundles(self) -> tuple[Bundle, ...]:
        """All tracks, those with the same keys in time together."""
        return bundled(self.tracks)

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return self.end - self.start

    def __repr__(self) -> str:
        tracks = len(self.tracks) + len(self.morph_tracks)
        return f"<Clip {reprlib.repr(self.name)}: {self.duration:.6g} s, {tracks} tracks>"

    @checked
    def sample(self, time: ArrayLike, *, loop: bool = True, rotation: RotationRule = "slerp") -> Pose:
        """The pose [..., joint] at times [...] in seconds, by exact (glTF) interpolation.

        `time` is on the clip's own axis, from `start` to `end`. A looping clip wraps as a whole and each
        track clamps inside it; otherwise time clamps. Joints without a track take the rest pose.
        Raises ValueError for a time that is not finite.
        """
        time = self.wrap(time) if loop else self.clamp(time)
        flat, rest = time.ravel(), self.skeleton.rest_pose
        arrays = {path: np.tile(getattr(rest, path), (len(flat), 1, 1)) for path in PATHS}
        for bundle in self._bundles:
            size = max(1, AT_ONCE // len(bundle.joints))
            for part in (slice(first, first + size) for first in range(0, len(flat), size)):
                arrays[bundle.path][part, bundle.joints] = bundle.curves.sample(flat[part], rotation)
        return Pose(**{path: array.reshape(*time.shape, *array.shape[1:]) for path, array in arrays.items()})

    @checked
    def sample_weights(self, time: ArrayLike, *, loop: bool = True) -> NDArray[np.float32]:
        """Weights [..., morph target] f32 at times [...] in seconds, as `sample` does it; else their defaults."""
        time = self.wrap(time) if loop else self.clamp(time)
        weights = np.broadcast_to(self.morph_targets.defaults, (*time.shape, len(self.morph_targets))).copy()
        for track in self.morph_tracks:
            weights[..., track.columns] = track.curve.sample(time)
        return weights

    def wrap(self, time: ArrayLike) -> NDArray[np.float64]:
        """Times [...] brought into [start, end) by whole durations, exact for negative and huge times.

        The end of a loop is its start.
        """
        time = _finite(time)
        if self.duration <= 0:
            return np.full(time.shape, self.start)
        wrapped = np.mod(time - self.start, self.duration)
        return self.start + np.where(wrapped < self.duration, wrapped, 0.0)

    def clamp(self, time: ArrayLike) -> NDArray[np.float64]:
        """Times [...] limited to [start, end]."""
        return np.clip(_finite(time), self.start, self.end)


def _finite(time: ArrayLike) -> NDArray[np.float64]:
    return numbers("clip time", time, most=FLOAT_MAX)
