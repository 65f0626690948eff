"""Synchronisation of clips. The module changes the timing of walks and runs, so that feet touch the ground at common
phases.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.assets.morphs import MorphTrack
from ecs_anim.assets.track import Path, Track
from ecs_anim.runtime.row_counts import check_rows

RATE = 120.0  # [Hz], rate of the keys in a re-timed clip
# [s]; if a contact ends within this time of the end of a looping clip, the contact continues at the start of the clip
SEAM = 1e-3

Phases = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class RetimedClip(Clip):
    """A looping clip that plays another clip with changed timing.

    At the phases `phases` [n], this clip has the poses of the original clip at the phases `sources` [n].

    Between two phases in `phases`, the phase of the original clip is interpolated linearly. The values in `phases` and
    in `sources` increase. From the first value to the last value, the increase is less than one cycle.
    """

    phases: Phases
    sources: Phases


def contact_spans(clip: Clip) -> dict[str, list[tuple[float, float]]]:
    """Return the phases (start, end) of each joint's ground contacts, from `contacts` in `Clip.extras`.

    `contacts` is a dictionary from joint to a list of pairs [start, end] in seconds after the clip's start. In the
    dictionary `contacts`, a contact that continues across the end of the loop has two entries. In the result, such a
    contact has one entry, whose end is above 1. The start of each contact is in [0, 1). Raises ValueError if the clip
    has no contacts.
    """
    contacts = clip.extras.get("contacts")
    if not isinstance(contacts, Mapping) or not contacts or clip.duration <= 0:
        raise ValueError(
            f"clip {clip.name!r}: the extras must contain at least one foot contact. Add a contact to"
            " `contacts` in the extras."
        )
    return {str(joint): _spans(written, clip) for joint, written in contacts.items()}


def _spans(written: object, clip: Clip) -> list[tuple[float, float]]:
    try:
        spans = np.array(written, np.float64).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"clip {clip.name!r}: each contact must be an interval [start, end] in seconds. Correct `contacts`"
            " in the extras."
        ) from None
    spans = spans[np.argsort(spans[:, 0])] if len(spans) else spans
    inside = np.all((spans >= -SEAM) & (spans <= clip.duration + SEAM))
    if not inside or np.any(spans[:, 1] < spans[:, 0]):
        raise ValueError(
            f"clip {clip.name!r}: each contact must begin and end within the duration of the clip,"
            f" {clip.duration:g} s. Correct the times of the contacts."
        )
    found = [(float(start), float(end)) for start, end in np.clip(spans / clip.duration, 0, 1)]
    if found and spans[0, 0] <= SEAM and spans[-1, 1] >= clip.duration - SEAM:
        if len(found) == 1:
            raise ValueError(
                f"clip {clip.name!r}: each foot must leave the ground during the clip, but a contact lasts for the"
                " whole clip. Correct `contacts` in the extras."
            )
        found = [*found[1:-1], (found[-1][0], 1 + found[0][1])]
    return found


def synchronise(clips: Sequence[Clip]) -> list[Clip]:
    """Return copies of the clips with changed timing, so that each contact of a foot begins at one common phase in all
    clips.

    The common phase is the mean of the phases at which the contact begins in all clips.

    The lengths of the clips do not change.

    Raises ValueError if a clip has no contacts, or if the order of the touchdowns differs between clips. Raises
    InputError if a clip would need too much memory.
    """
    first = touchdowns(clips[0])
    marks = [_paired(first, clips[0].name, clip) for clip in clips]
    common = np.mean(marks, axis=0)
    return [
        clip if np.allclose(own, common, atol=1e-4) else retime(clip, common, own)
        for clip, own in zip(clips, marks, strict=True)
    ]


def retime(clip: Clip, phases: Phases, sources: Phases) -> RetimedClip:
    """Return a looping clip with changed timing and unchanged length.

    At the phases `phases`, the returned clip has the poses of `clip` at the phases `sources`.

    Between two phases in `phases`, the phase of `clip` is interpolated linearly. Raises InputError if the clip would
    need too much memory.
    """
    count = max(1, round(clip.duration * RATE))
    check_rows(clip, count, 10 * clip.skeleton.joint_count + len(clip.morph_targets), 0, 'use sync = "phase"')
    phase = np.arange(count + 1) / count
    source = _through(phase, phases, sources)
    pose = clip.sample(clip.start + source * clip.duration, loop=False)
    times = (clip.start + phase * clip.duration).astype(np.float32)
    tracks = [_resampled(track.joint_index, track.path, times, getattr(pose, track.path)) for track in clip.tracks]
    own = {field.name: getattr(clip, field.name) for field in fields(Clip)}
    weights = clip.sample_weights(clip.start + source * clip.duration, loop=False)
    morph_tracks = [
        MorphTrack(track.columns, KeyframeCurve("LINEAR", times, np.ascontiguousarray(weights[:, track.columns])))
        for track in clip.morph_tracks
    ]
    own |= {"tracks": tuple(tracks), "morph_tracks": tuple(morph_tracks)}
    own |= {"extras": {**clip.extras, "contacts": _moved_contacts(clip, phases, sources)}}
    return RetimedClip(**own, phases=phases, sources=sources)


def source_phase(clip: Clip, phase: ArrayLike) -> Phases:
    """Convert phases [...] of `clip` to phases of its original clip.

    If `clip` is not re-timed, return the phases unchanged.
    """
    phase = np.asarray(phase, np.float64)
    return _through(phase, clip.phases, clip.sources) if isinstance(clip, RetimedClip) else phase


def phase_shown(clip: Clip, source: ArrayLike) -> Phases:
    """Convert phases [...] of the original clip to phases of `clip`."""
    source = np.asarray(source, np.float64)
    return _through(source, clip.sources, clip.phases) if isinstance(clip, RetimedClip) else source


def touchdowns(clip: Clip) -> list[tuple[float, str]]:
    """Return the phase and the joint of each touchdown, sorted by phase.

    Raises ValueError if the clip has no contacts.
    """
    found = sorted((start, joint) for joint, spans in contact_spans(clip).items() for start, _ in spans)
    if not found:
        raise ValueError(
            f"clip {clip.name!r}: the extras must contain at least one foot contact. Add a contact to"
            " `contacts` in the extras."
        )
    return found


def _paired(first: Sequence[tuple[float, str]], first_name: str, clip: Clip) -> Phases:
    """Return the increasing phases [n] of a clip's touchdowns, in the order of the touchdowns in the clip `first_name`.

    The function shifts all phases by one whole number of cycles, so that the result is as near as possible to the
    phases in `first`.
    """
    own = touchdowns(clip)
    if len(own) != len(first):
        longer = clip.name if len(own) > len(first) else first_name
        raise ValueError(
            f"clip {clip.name!r} must have as many foot contacts as clip {first_name!r}: {len(first)} (got"
            f" {len(own)}). Cut clip {longer!r} in its file to {min(len(own), len(first))} foot contacts, or use"
            ' sync = "phase".'
        )
    best: Phases | None = None
    wanted = np.array([phase for phase, _ in first])
    for turn in range(len(own)):
        turned = own[turn:] + [(phase + 1, joint) for phase, joint in own[:turn]]
        if [joint for _, joint in turned] == [joint for _, joint in first]:
            phases = np.array([phase for phase, _ in turned])
            phases -= np.rint(np.mean(phases - wanted))
            if best is None or np.sum((phases - wanted) ** 2) < np.sum((best - wanted) ** 2):
                best = phases
    if best is None:
        raise ValueError(
            f"the feet in clip {clip.name!r} must touch down in the same order as in clip {first_name!r}. Use"
            " two clips in which the feet touch down in the same order."
        )
    return best


def _through(phase: Phases, knots: Phases, values: Phases) -> Phases:
    """Convert phases [...] in [0, 1]. Each phase in `knots` becomes the corresponding number in `values`.

    Between two knots, the function interpolates linearly. The results are wrapped to [0, 1).
    """
    low = np.floor(knots[0])
    turns = np.arange(-1, 2)[:, None]
    mapped = np.interp(np.mod(phase, 1), (knots - low + turns).ravel(), (values - low + turns).ravel())
    found: Phases = np.mod(mapped, 1)
    return found


def _moved_contacts(clip: Clip, phases: Phases, sources: Phases) -> dict[str, list[list[float]]]:
    """Return the contacts [s] of a clip after the change of its timing.

    If a contact continues across the end of the loop, the result has two entries for this contact.
    """
    moved: dict[str, list[list[float]]] = {}
    for joint, spans in contact_spans(clip).items():
        moved[joint] = []
        for start, end in spans:
            a, b = _through(np.array([start, end]), sources, phases)
            parts = [[0.0, b], [a, 1.0]] if b < a else [[a, b]]
            moved[joint] += [[float(edge * clip.duration) for edge in part] for part in parts]
    return moved


def _resampled(joint: int, path: Path, times: NDArray[np.float32], values: NDArray[Any]) -> Track:
    return Track(joint, path, "LINEAR", times, np.ascontiguousarray(values[:, joint], np.float32))
