"""Events and curves that a scene adds to clips. At an event, the program calls user code. A curve sets a parameter of
the actor.
"""

from collections.abc import Iterator
from typing import assert_never

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.components.clip_events import ClipEvents
from ecs_anim.components.curves import CURVE_POINTS, Curves, CurveTable
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.runtime.phase_sync import phase_shown, source_phase
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.parts.playback import ClipModel, CurveModel, PlaybackKeys
from ecs_anim.scenes.scene_key import SceneKey

ROUNDING = 1e-6  # relative tolerance of times in a clip, because clips store times as float32


class EventPart(Part[PlaybackKeys]):
    """Events of clips."""

    keys = PlaybackKeys
    cpu_only = ()
    kernels = ("events",)

    def is_wanted(self, crowd: PlaybackKeys) -> bool:
        """Return whether at least one clip of a crowd has events."""
        return any(clip.event_seconds for clip in crowd.clips)

    def build(self, crowd: PlaybackKeys, making: Making) -> Iterator[object]:
        """Build the events of each clip."""
        yield build_events(crowd, making.motions, making.key)


class CurvePart(Part[PlaybackKeys]):
    """Curves of clips."""

    keys = PlaybackKeys
    cpu_only = ()
    kernels = ("clip_curves", "parameters")

    def is_wanted(self, crowd: PlaybackKeys) -> bool:
        """Return whether at least one clip of a crowd has curves."""
        return any(clip.curves for clip in crowd.clips)

    def parameters(self, crowd: PlaybackKeys) -> Iterator[tuple[str, str]]:
        """Yield the scene key and the name of each parameter that a curve sets."""
        for number, clip in enumerate(crowd.clips):
            yield from ((f".clips[{number}].curves", name) for name in clip.curves)

    def build(self, crowd: PlaybackKeys, making: Making) -> Iterator[object]:
        """Build a curve table for each parameter."""
        yield build_curves(crowd, making.motions, making.names, making.key)


def build_events(crowd: PlaybackKeys, motions: MotionSet, key: SceneKey) -> ClipEvents:
    """Return the events of each clip. The function converts the times of events to phases."""
    by_clip: dict[str, list[tuple[float, str]]] = {}
    for i, entry in enumerate(crowd.clips):
        clip = motions.tables.clips[motions.tables.index[entry.name]]
        for name, times in entry.event_seconds.items():
            event = key / f".clips[{i}].event_seconds.{name}"
            by_clip.setdefault(entry.name, []).extend((within(clip, time, event), name) for time in times)
    events = [
        sorted((float(phase_shown(clip, phase)), name) for phase, name in by_clip.get(clip.name, []))
        for clip in motions.tables.clips
    ]
    flat = [event for group in events for event in group]
    return ClipEvents(
        names=tuple(name for _, name in flat),
        clip_names=tuple(c.name for c, group in zip(motions.tables.clips, events, strict=True) for _ in group),
        first_event=np.cumsum([0, *map(len, events)]).astype(np.int32),
        event_phase=np.array([phase for phase, _ in flat], np.float32),
    )


def build_curves(crowd: PlaybackKeys, motions: MotionSet, names: tuple[str, ...], key: SceneKey) -> Curves:
    """Return a curve table for each parameter that a curve sets.

    While an actor plays a clip without a curve for the parameter, the parameter is 0.
    """
    driven = dict.fromkeys(name for clip in crowd.clips for name in clip.curves)
    for i, entry in enumerate(crowd.clips):
        clip = motions.tables.clips[motions.tables.index[entry.name]]
        for name, curve in entry.curves.items():
            within(clip, curve.seconds[-1], key / f".clips[{i}].curves.{name}.seconds")
    return Curves(tuple(_curve_table(name, crowd.clips, motions, names.index(name)) for name in driven))


def _curve_table(name: str, entries: list[ClipModel], motions: MotionSet, column: int) -> CurveTable:
    curves = {entry.name: entry.curves[name] for entry in entries if name in entry.curves}
    values = np.zeros((len(motions.tables.clips), CURVE_POINTS), np.float32)
    phase = np.linspace(0, 1, CURVE_POINTS)
    for number, clip in enumerate(motions.tables.clips):
        if clip.name in curves:
            values[number] = curve_values(curves[clip.name], source_phase(clip, phase) * clip.duration)
    return CurveTable(column, values)


def curve_values(curve: CurveModel, time: np.ndarray) -> np.ndarray:
    """Return the values [n] of a curve at the times [n] in seconds after the start of the clip."""
    match curve.interpolation:
        case "LINEAR":
            found: np.ndarray = np.interp(time, curve.seconds, curve.values)
            return found
        case "STEP":
            key = np.searchsorted(curve.seconds, time, side="right") - 1
            return np.array(curve.values)[np.maximum(key, 0)]
        case _:
            assert_never(curve.interpolation)


def within(clip: Clip, time: float, key: SceneKey) -> float:
    """Return the phase of a clip, 0 to 1, at `time` [s] after the start of the clip.

    Raises InputError if `time` exceeds the duration of the clip.
    """
    if time > clip.duration * (1 + ROUNDING):
        raise key.fault(
            f"the time must be at most {clip.duration:g} s, the duration of clip {clip.name!r} (got {time:g}"
            " s). Lower the time."
        )
    return min(time / clip.duration, 1.0) if clip.duration > 0 else 0.0
