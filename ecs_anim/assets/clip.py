"""Clips. A clip is a set of keyframe tracks that animate one skeleton."""

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
AT_ONCE = 1 << 13  # keys in one block, so that intermediate arrays stay in the CPU cache


@checked_fields
@dataclass(frozen=True, eq=False)
class Clip:
    """A set of keyframe tracks that cover one time span, and the skeleton that the tracks animate."""

    name: str
    skeleton: Skeleton
    tracks: tuple[Track, ...]  # at most one track for each pair of a joint and a path (translation, rotation or scale)
    start: float  # [s], first key of all tracks
    end: float  # [s], last key of all tracks
    extras: Mapping[str, object] = field(default_factory=dict)  # `extras` in the file, for example "ground_speed" [m/s]
    morph_targets: MorphTargets = NO_TARGETS  # morph targets in the columns of the morph tracks
    morph_tracks: tuple[MorphTrack, ...] = ()

    @cached_property
    def _bundles(self) -> tuple[Bundle, ...]:
        """Return all tracks of the clip, grouped into bundles. A bundle contains tracks with equal key times."""
        return bundled(self.tracks)

    @property
    def duration(self) -> float:
        """Return the length of the clip in seconds."""
        return self.end - self.start

    def __repr__(self) -> str:
        tracks = len(self.tracks) + len(self.morph_tracks)
        return f"<Clip {reprlib.repr(self.name)}: {self.duration:.6g} s, {tracks} tracks>"

    @checked
    def sample(self, time: ArrayLike, *, loop: bool = True, rotation: RotationRule = "slerp") -> Pose:
        """Return the poses [..., joint] at the times `time` [...] in seconds.

        The interpolation follows the glTF rules exactly. The clip covers the times from `Clip.start` to `Clip.end`.
        With `loop`, times outside of the clip wrap by whole durations. Without `loop`, times outside of the clip are
        clamped. Each track clamps times before its first key and after its last key. Joints without a track have their
        rest pose. Raises ValueError for a time that is not finite.
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
        """Return the morph weights [..., morph target] f32 at the times `time` [...] in seconds.

        The rules of `Clip.sample` for times outside of the clip also apply to this method. Morph targets without a
        track have their default weights.
        """
        time = self.wrap(time) if loop else self.clamp(time)
        weights = np.broadcast_to(self.morph_targets.defaults, (*time.shape, len(self.morph_targets))).copy()
        for track in self.morph_tracks:
            weights[..., track.columns] = track.curve.sample(time)
        return weights

    def wrap(self, time: ArrayLike) -> NDArray[np.float64]:
        """Add a whole multiple of the clip's duration to each time [...], so that all times are between `Clip.start`
        and `Clip.end`.

        The result never equals `Clip.end`: the time `Clip.end` becomes `Clip.start`. The result is also exact for
        negative times and very large times.
        """
        time = _finite(time)
        if self.duration <= 0:
            return np.full(time.shape, self.start)
        wrapped = np.mod(time - self.start, self.duration)
        return self.start + np.where(wrapped < self.duration, wrapped, 0.0)

    def clamp(self, time: ArrayLike) -> NDArray[np.float64]:
        """Clamp times [...] to the range from `Clip.start` to `Clip.end`."""
        return np.clip(_finite(time), self.start, self.end)


def _finite(time: ArrayLike) -> NDArray[np.float64]:
    return numbers("clip time", time, most=FLOAT_MAX)
