"""Keeping clips in step: gaits whose feet touch the ground at different phases, brought to common ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.clip import Clip
from ecs_anim.track import Path, Track

RATE = 120.0  # [Hz], keys of a clip that was brought into step


def contact_phases(clip: Clip) -> NDArray[np.float64]:
    """Phases, rising, at which a foot touches down, from `contacts` in the clip's extras.

    `contacts` is {joint: [[start, end], ...]} in seconds since the clip's start; a contact that goes on over
    the seam is written in two parts. Raises ValueError where there is none.
    """
    contacts = clip.extras.get("contacts")
    if not isinstance(contacts, Mapping) or clip.duration <= 0:
        raise ValueError(f"clip {clip.name!r} has no contacts in its extras")
    starts = []
    for spans in contacts.values():
        over_seam = any(end >= clip.duration - 1e-6 for _, end in spans)
        starts += [start / clip.duration for start, _ in spans if not (start <= 1e-6 and over_seam)]
        if over_seam and len(spans) == 1 and spans[0][0] <= 1e-6:
            raise ValueError(f"clip {clip.name!r}: a foot never leaves the ground")
    if not starts:
        raise ValueError(f"clip {clip.name!r} has no contacts in its extras")
    return np.sort(np.array(starts, np.float64))


def synchronise(clips: Sequence[Clip]) -> list[Clip]:
    """Clips re-timed, each inside its own length, so that their contacts fall at the mean phases.

    Raises ValueError where a clip has no contacts, or not as many as the first.
    """
    marks = [contact_phases(clip) for clip in clips]
    for clip, own in zip(clips, marks, strict=True):
        if len(own) != len(marks[0]):
            raise ValueError(f"clip {clip.name!r} has {len(own)} contacts, clip {clips[0].name!r} {len(marks[0])}")
    common = np.mean(marks, axis=0)
    return [
        clip if np.allclose(own, common, atol=1e-4) else retime(clip, common, own)
        for clip, own in zip(clips, marks, strict=True)
    ]


def retime(clip: Clip, phases: NDArray[np.float64], sources: NDArray[np.float64]) -> Clip:
    """A looping clip of the same length that shows at `phases` what the clip shows at `sources`; linear between."""
    count = max(1, round(clip.duration * RATE))
    phase = np.arange(count + 1) / count
    x = np.concatenate([phases - 1, phases, phases + 1])
    y = np.concatenate([sources - 1, sources, sources + 1])
    source = np.mod(np.interp(phase, x, y), 1.0)
    source[-1] = source[0]
    pose = clip.sample(clip.start + source * clip.duration, loop=False)
    times = (clip.start + phase * clip.duration).astype(np.float32)
    tracks = [_resampled(track.joint_index, track.path, times, getattr(pose, track.path)) for track in clip.tracks]
    return replace(clip, tracks=tuple(tracks))


def _resampled(joint: int, path: Path, times: NDArray[np.float32], values: NDArray) -> Track:
    return Track(joint, path, "LINEAR", times, np.ascontiguousarray(values[:, joint], np.float32))
