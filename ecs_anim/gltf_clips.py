"""Animations as clips (glTF 2.0, section 3.11 and appendix C)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim import quaternion
from ecs_anim.clip import Clip
from ecs_anim.gltf_accessors import floats
from ecs_anim.gltf_document import Document
from ecs_anim.gltf_format import FormatError, brief, check_index, freeze, unique_names
from ecs_anim.gltf_nodes import NodeGraph
from ecs_anim.skeleton import Skeleton
from ecs_anim.track import Track

_WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
_INTERPOLATIONS = ("STEP", "LINEAR", "CUBICSPLINE")
_Times = tuple[NDArray[np.float32], NDArray[np.bool_] | None]  # strictly increasing; which keys of the file were kept


def read_clips(document: Document, graph: NodeGraph, skeleton: Skeleton) -> dict[str, Clip]:
    """All clips by name, in the file's order. Raises FormatError.

    An animation without a name is `clip_<index>`; a repeated name becomes `<name>_2`. Of several keys at the
    same time the last counts. Channels of morph weights, and those without a node, are left out.
    """
    animations = document.gltf.animations
    names = unique_names((animation.name for animation in animations), "clip")
    reader = _Reader(document, graph, skeleton)
    return {name: reader.clip(index, name) for index, name in enumerate(names)}


class _Reader:
    """Reads clips; key times that several tracks share are checked once."""

    def __init__(self, document: Document, graph: NodeGraph, skeleton: Skeleton) -> None:
        self._document = document
        self._graph = graph
        self._skeleton = skeleton
        self._times: dict[int, _Times] = {}

    def clip(self, index: int, name: str) -> Clip:
        animation = self._document.gltf.animations[index]
        tracks: dict[tuple[int, str], Track] = {}
        for number, channel in enumerate(animation.channels):
            place = f"animations[{index}].channels[{number}]"
            track = self._track(animation, channel, place, name)
            if track is None:
                continue
            key = (track.joint_index, track.path)
            if key in tracks:
                joint = self._skeleton.joint_names[track.joint_index]
                raise FormatError(place, f"animates the {track.path} of {joint!r} a second time in clip {name!r}")
            tracks[key] = track
        start = min((float(track.times[0]) for track in tracks.values()), default=0.0)
        end = max((float(track.times[-1]) for track in tracks.values()), default=0.0)
        extras = animation.extras if isinstance(animation.extras, dict) else {}
        return Clip(name, self._skeleton, tuple(tracks.values()), start, end, extras)

    def _track(self, animation: Any, channel: Any, place: str, clip: str) -> Track | None:
        """A channel's track; None where there is nothing that a joint could play."""
        target = channel.target
        if target.node is None or target.path == "weights":
            return None
        node = check_index(target.node, len(self._graph.joint_of_node), "nodes", f"{place}.target.node")
        if target.path not in _WIDTHS:
            raise FormatError(
                f"{place}.target.path", f"must be one of {', '.join(_WIDTHS)}, weights (got {brief(target.path)})"
            )
        number = check_index(channel.sampler, len(animation.samplers), "samplers of the animation", f"{place}.sampler")
        sampler = animation.samplers[number]
        interpolation: Any = sampler.interpolation or "LINEAR"
        place = f"{place.rpartition('.')[0]}.samplers[{number}]"
        if interpolation not in _INTERPOLATIONS:
            raise FormatError(f"{place}.interpolation", f"must be one of {', '.join(_INTERPOLATIONS)}")
        joint = int(self._graph.joint_of_node[node])
        who = f"clip {clip!r}, joint {self._skeleton.joint_names[joint]!r}"
        times, kept = self._key_times(sampler.input, f"{place}.input", who)
        if not len(times):
            return None
        values = self._key_values(sampler.output, target.path, interpolation, f"{place}.output", who, times, kept)
        return Track(joint, target.path, interpolation, times, values)

    def _key_times(self, accessor: int, place: str, who: str) -> _Times:
        if accessor not in self._times:
            self._times[accessor] = _check_times(floats(self._document, accessor, "SCALAR", place), place, who)
        return self._times[accessor]

    def _key_values(
        self,
        accessor: int,
        path: str,
        interpolation: str,
        place: str,
        who: str,
        times: NDArray[np.float32],
        kept: NDArray[np.bool_] | None,
    ) -> NDArray[np.float32]:
        width = _WIDTHS[path]
        values = floats(self._document, accessor, f"VEC{width}", place)
        key_count = len(times) if kept is None else len(kept)
        per_key = 3 if interpolation == "CUBICSPLINE" else 1
        if len(values) != key_count * per_key:
            rule = f"must hold {key_count * per_key} values for {key_count} {interpolation} keys (got {len(values)})"
            raise FormatError(place, f"{who}: {rule}")
        if not np.isfinite(values).all():
            key = int(np.argwhere(~np.isfinite(values))[0, 0]) // per_key
            raise FormatError(place, f"{who}: values must be finite (key {key} is not)")
        if per_key == 3:
            values = values.reshape(key_count, 3, width)
        elif path == "rotation":
            values = quaternion.normalize(values.astype(np.float64)).astype(np.float32)
        return freeze(values if kept is None else values[kept])


def _check_times(times: NDArray[np.float32], place: str, who: str) -> _Times:
    """Key times without repeats; of keys at the same time the last is kept. Raises FormatError."""
    if not np.isfinite(times).all():
        key = int(np.argmin(np.isfinite(times)))
        raise FormatError(place, f"{who}: key times must be finite (key {key} is {times[key]})")
    steps = np.diff(times)
    if (steps > 0).all():
        return freeze(times), None
    if (steps < 0).any():
        key = int(np.argmax(steps < 0)) + 1
        raise FormatError(
            place, f"{who}: key times must increase (key {key} at {times[key]} s follows {times[key - 1]} s)"
        )
    kept = np.append(steps > 0, True)
    return freeze(times[kept]), kept
