"""Conversion of glTF animations to clips (glTF 2.0, section 3.11 and appendix C)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.extras import said_turn
from ecs_anim.assets.keyframes import Interpolation, KeyframeCurve
from ecs_anim.assets.morphs import MorphTrack
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.gltf.accessors import floats
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief, check_index, invalid
from ecs_anim.gltf.morphs import MorphReader
from ecs_anim.gltf.nodes import NodeGraph
from ecs_anim.maths import quaternion
from ecs_anim.support.frozen import freeze
from ecs_anim.support.names import unique_names

_WIDTHS = {"translation": 3, "rotation": 4, "scale": 3, "weights": 1}  # numbers in each element of an accessor
_INTERPOLATIONS = ("STEP", "LINEAR", "CUBICSPLINE")
# sorted key times; mask of the file's keys that are kept, None = all keys are kept
_Times = tuple[NDArray[np.float32], NDArray[np.bool_] | None]


@dataclass(frozen=True)
class _Keys:
    """Keyframes of one animation channel. A channel animates one property of a node."""

    node: int
    path: str
    interpolation: Interpolation
    times: NDArray[np.float32]  # [key_count]
    values: NDArray[np.float32]  # [key_count, width], or CUBICSPLINE [key_count, 3, width]


def read_clips(document: Document, graph: NodeGraph, skeleton: Skeleton, morphs: MorphReader) -> dict[str, Clip]:
    """Return all clips of the file as a dictionary from clip names to clips, in the order of the file.

    An animation without a name becomes a clip with the name `clip_<index>`. If two animations have equal names, the
    second clip gets the name `<name>_2`. If two keys have equal times, the value jumps at this time. The loader omits
    channels without a node. With a warning, the loader also omits channels without keys, and weight channels of nodes
    without morph targets. Raises FormatError for invalid data.
    """
    animations = document.gltf.animations
    names = unique_names((animation.name for animation in animations), "clip")
    reader = _Reader(document, graph, skeleton, morphs)
    return {name: reader.clip(index, name) for index, name in enumerate(names)}


def _extras(said: object, where: str) -> dict[str, object]:
    """Return the `extras` of an animation. Raise FormatError if the value of `ground_turn` is invalid."""
    extras = said if isinstance(said, dict) else {}
    try:
        said_turn(extras)
    except ValueError as error:
        raise FormatError(f"{where}.ground_turn", str(error)) from None
    return extras


class _Reader:
    """Reader of the animations in a document.

    If several tracks share their key times, the reader checks these times only once.
    """

    def __init__(self, document: Document, graph: NodeGraph, skeleton: Skeleton, morphs: MorphReader) -> None:
        self._document = document
        self._graph = graph
        self._skeleton = skeleton
        self._morphs = morphs
        self._times: dict[int, _Times] = {}

    def clip(self, index: int, name: str) -> Clip:
        animation = self._document.gltf.animations[index]
        found: dict[tuple[int, str], _Keys] = {}
        for number, channel in enumerate(animation.channels):
            where = f"animations[{index}].channels[{number}]"
            keys = self._keys(animation, channel, where, name)
            if keys is None:
                continue
            key = (keys.node, keys.path)
            if key in found:
                joint = self._skeleton.joint_names[self._graph.joint_of_node[keys.node]]
                raise FormatError(
                    where,
                    f"two channels of clip {name!r} animate the {keys.path} of joint {joint!r}. Remove one of the"
                    " two channels.",
                )
            found[key] = keys
        return Clip(
            name=name,
            skeleton=self._skeleton,
            tracks=tuple(self._track(keys) for keys in found.values() if keys.path != "weights"),
            start=min((float(keys.times[0]) for keys in found.values()), default=0.0),
            end=max((float(keys.times[-1]) for keys in found.values()), default=0.0),
            extras=_extras(animation.extras, f"animations[{index}].extras"),
            morph_targets=self._morphs.targets,
            morph_tracks=tuple(self._morph_track(keys) for keys in found.values() if keys.path == "weights"),
        )

    def _track(self, keys: _Keys) -> Track:
        path: Any = keys.path
        return Track(int(self._graph.joint_of_node[keys.node]), path, keys.interpolation, keys.times, keys.values)

    def _morph_track(self, keys: _Keys) -> MorphTrack:
        morphs = self._morphs.nodes[keys.node]
        columns = freeze(np.arange(morphs.first, morphs.first + morphs.own, dtype=np.int32))
        return MorphTrack(columns, KeyframeCurve(keys.interpolation, keys.times, keys.values))

    def _keys(self, animation: Any, channel: Any, where: str, clip: str) -> _Keys | None:
        """Return the keyframes of an animation channel. If the loader omits the channel, return None."""
        target = channel.target
        if target.node is None:
            return None
        node = check_index(target.node, len(self._graph.joint_of_node), "nodes", f"{where}.target.node")
        if target.path not in _WIDTHS:
            raise invalid(
                f"{where}.target.path",
                f"the path of an animation channel must be one of {', '.join(_WIDTHS)} (got {brief(target.path)})",
            )
        if target.path == "weights" and not self._has_morphs(node, where):
            return None
        number = check_index(channel.sampler, len(animation.samplers), "samplers of the animation", f"{where}.sampler")
        sampler = animation.samplers[number]
        interpolation: Any = sampler.interpolation or "LINEAR"
        where = f"{where.rpartition('.')[0]}.samplers[{number}]"
        if interpolation not in _INTERPOLATIONS:
            known = ", ".join(_INTERPOLATIONS)
            raise invalid(
                f"{where}.interpolation",
                f"the interpolation of an animation must be one of {known} (got {brief(interpolation)})",
            )
        subject = f"clip {clip!r}, joint {self._skeleton.joint_names[self._graph.joint_of_node[node]]!r}"
        times, kept = self._key_times(sampler.input, f"{where}.input", subject)
        if not len(times):
            self._document.warn(where, "the sampler has no keys, so its node keeps its rest pose")
            return None
        width = self._morphs.nodes[node].own if target.path == "weights" else _WIDTHS[target.path]
        values = self._key_values(
            sampler.output, target.path, width, interpolation, f"{where}.output", subject, times, kept
        )
        return _Keys(node, target.path, interpolation, times, values)

    def _has_morphs(self, node: int, where: str) -> bool:
        """Return whether a node has morph targets. Without morph targets, a node cannot have animated weights.

        If a drawn node has no morph targets, add a warning.
        """
        has = node in self._morphs.nodes
        if not has and self._graph.levels[self._graph.joint_of_node[node]] is not None:
            self._document.warn(where, "the channel is ignored, because its node has no morph targets")
        return has

    def _key_times(self, accessor: int, where: str, subject: str) -> _Times:
        if accessor not in self._times:
            self._times[accessor] = _check_times(floats(self._document, accessor, "SCALAR", where), where, subject)
            if self._times[accessor][1] is not None:
                self._document.warn(
                    where,
                    "the sampler has more than two keys at one time. The loader uses only the first"
                    " and the last of these keys",
                )
        return self._times[accessor]

    def _key_values(
        self,
        accessor: int,
        path: str,
        width: int,
        interpolation: str,
        where: str,
        subject: str,
        times: NDArray[np.float32],
        kept: NDArray[np.bool_] | None,
    ) -> NDArray[np.float32]:
        """Return the key values [key_count, width]. For CUBICSPLINE, the shape is [key_count, 3, width].

        `width` is the number of elements of a value. For weights, `width` is the number of morph targets.
        """
        values = floats(self._document, accessor, "SCALAR" if path == "weights" else f"VEC{width}", where)
        key_count = len(times) if kept is None else len(kept)
        per_key = 3 if interpolation == "CUBICSPLINE" else 1
        wanted = key_count * per_key * (width if path == "weights" else 1)
        if len(values) != wanted:
            of = f" of {width} morph targets" if path == "weights" else ""
            rule = f"the sampler must have {wanted} values for {key_count} {interpolation} keys{of} (got {len(values)})"
            raise FormatError(where, f"{subject}: {rule}")
        values = values.reshape(-1, width)
        if not np.isfinite(values).all():
            key = int(np.argwhere(~np.isfinite(values))[0, 0]) // per_key
            raise invalid(
                where,
                f"{subject}: the value of each key must be a finite number (the value of key {key} is not finite)",
            )
        if per_key == 3:
            values = values.reshape(key_count, 3, width)
        elif path == "rotation":
            values = quaternion.normalize(values.astype(np.float64)).astype(np.float32)
        return freeze(values if kept is None else values[kept])


def _check_times(times: NDArray[np.float32], where: str, subject: str) -> _Times:
    """Return the checked key times, and a mask of the keys that the loader keeps.

    If more than two keys have equal times, the loader keeps only the first key and the last key with this time. If the
    loader keeps all keys, the mask is None. Raises FormatError for invalid data.
    """
    if not np.isfinite(times).all():
        key = int(np.argmin(np.isfinite(times)))
        raise invalid(where, f"{subject}: key times must be finite numbers (key {key} is {times[key]})")
    steps = np.diff(times)
    if (steps < 0).any():
        key = int(np.argmax(steps < 0)) + 1
        raise invalid(
            where,
            f"{subject}: key times must not decrease (key {key} is at {times[key]} s, but the key before it is at"
            f" {times[key - 1]} s)",
        )
    kept = np.append(True, steps > 0) | np.append(steps > 0, True)
    if kept.all():
        return freeze(times), None
    return freeze(times[kept]), kept
