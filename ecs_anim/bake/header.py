"""The header of a bake's file: what it holds, as JSON, and where its arrays are: `docs/reference/bake-format.md`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never, cast

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.bake import Bake, BakedClip
from ecs_anim.bake.fields import BadHeader, Fields
from ecs_anim.bake.formats import DTYPES, is_ranged
from ecs_anim.bake.measure import BakeError
from ecs_anim.bake.options import FORMATS, SPACES, BakeOptions, FormatName, SpaceName
from ecs_anim.bake.row_span import RowSpan
from ecs_anim.bake.signature import skeleton_signature
from ecs_anim.bake.spaces import LocalSpace, ModelSpace, Space
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.clip_table import PoseLayout

ALIGNMENT = 64  # [bytes] of every array in the file

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Section:
    """An array in the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int  # [bytes] from the end of the header

    @property
    def nbytes(self) -> int:
        """Exact however large; nothing is allocated for it."""
        count = np.dtype(self.dtype).itemsize
        for length in self.shape:
            count *= length
        return count


def arrays_of(bake: Bake) -> Arrays:
    """All arrays of a bake, in the order of the file, little-endian."""
    skeleton, rest = bake.skeleton, bake.skeleton.rest_pose
    lanes: dict[str, tuple[NDArray[Any], str]] = {}
    if isinstance(bake.space, LocalSpace):
        layout = bake.space.layout
        lanes = {
            "rotation_joints": (layout.rotation_joints, "<i4"),
            "translation_joints": (layout.translation_joints, "<i4"),
            "scale_joints": (layout.scale_joints, "<i4"),
        }
    named = {
        "parents": (skeleton.parents, "<i4"),
        "rest_translation": (rest.translation, "<f4"),
        "rest_rotation": (rest.rotation, "<f4"),
        "rest_scale": (rest.scale, "<f4"),
        "skin_joints": (skeleton.skin_joints, "<i4"),
        "inverse_bind": (skeleton.inverse_bind, "<f4"),
        **lanes,
        "offset": (bake.offset, "<f4"),
        "scale": (bake.scale, "<f4"),
        "rows": (bake.rows, DTYPES[bake.options.number_format].str),
    }
    return {name: np.ascontiguousarray(array, dtype) for name, (array, dtype) in named.items()}


def sections_of(arrays: Arrays) -> tuple[Section, ...]:
    """Where each array goes."""
    at, found = 0, []
    for name, array in arrays.items():
        found.append(Section(name, array.dtype.str, array.shape, at))
        at = aligned(at + array.nbytes)
    return tuple(found)


def aligned(offset: int) -> int:
    """The next offset at or after this one where an array may begin."""
    return -(-offset // ALIGNMENT) * ALIGNMENT


def describe(bake: Bake, sections: tuple[Section, ...]) -> dict[str, Any]:
    """What the header says, as plain data."""
    options = bake.options
    return {
        "name": bake.name,
        "space": options.space,
        "format": options.number_format,
        "rate_hz": None if options.rate is None else float(options.rate),
        "error_mm": float(options.error_mm),
        "rotation_only": options.rotation_only,
        "size": bake.size,
        "content": bake.content,
        "joint_names": list(bake.skeleton.joint_names),
        "skeleton": skeleton_signature(bake.skeleton),
        "clips": [_describe_clip(clip) for clip in bake.clips],
        "sections": [{"name": s.name, "dtype": s.dtype, "shape": list(s.shape), "offset": s.offset} for s in sections],
    }


def to_json(header: Mapping[str, Any]) -> bytes:
    """The one way to write a header. Raises ValueError for NaN and infinity, TypeError for what is no data."""
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def from_json(text: bytes) -> tuple[Fields, tuple[Section, ...]]:
    """A header's fields, and its sections. Raises BadHeader."""
    try:
        value = json.loads(text.decode("ascii"))
        canonical = to_json(value) == text
    except (ValueError, RecursionError):
        raise BadHeader("it is not JSON") from None
    if not canonical:
        raise BadHeader("it is not written as bakes write it")
    fields = Fields(value, "header")
    return fields, _sections(fields.items("sections"))


def build(fields: Fields, arrays: Arrays) -> Bake:
    """The bake that the header and the arrays describe. Raises BadHeader where they do not fit each other."""
    name, size, content = fields.text("name"), fields.number("size", 0.0), fields.text("content")
    options = _options(fields)
    skeleton = _skeleton(fields.texts("joint_names"), arrays)
    if fields.text("skeleton") != skeleton_signature(skeleton):
        raise BadHeader("its skeleton is not the one of its signature")
    space = _space(options.space, skeleton, arrays)
    clips = tuple(_clip(value, k) for k, value in enumerate(fields.items("clips")))
    fields.close()
    if size == 0 or not clips or len({clip.name for clip in clips}) != len(clips):
        raise BadHeader("size or clips cannot be right")
    _check_rows(clips, space, options.number_format, arrays)
    rows, offset, scale = (arrays[key] for key in ("rows", "offset", "scale"))
    return Bake(name, options, space, clips, rows, offset, scale, size, content)


def _describe_clip(clip: BakedClip) -> dict[str, Any]:
    return {
        "name": clip.name,
        "start_s": float(clip.span.start),
        "duration_s": float(clip.span.duration),
        "loops": clip.loops,
        "first_row": clip.first_row,
        "intervals": clip.span.interval_count,
        "rate_hz": float(clip.span.rate),
        "error_position": float(clip.error.position),
        "error_angle": float(clip.error.angle),
        "extras": dict(clip.extras),
    }


def _clip(value: object, number: int) -> BakedClip:
    fields = Fields(value, f"clips[{number}]")
    start, duration = fields.number("start_s"), fields.number("duration_s", 0.0)
    span = RowSpan(start, duration, fields.whole("intervals"))
    error = BakeError(fields.number("error_position", 0.0), fields.number("error_angle", 0.0))
    name, first_row, loops = fields.text("name"), fields.whole("first_row"), fields.flag("loops")
    clip = BakedClip(name, span, first_row, loops, error, fields.mapping("extras"))
    if fields.number("rate_hz", 0.0) != span.rate or (span.interval_count > 0) != (duration > 0):
        raise BadHeader(f"clips[{number}]: rate, rows and duration do not fit each other")
    fields.close()
    return clip


def _options(fields: Fields) -> BakeOptions:
    space, number_format = fields.text("space", SPACES), fields.text("format", FORMATS)
    rate, error, rotation_only = fields.take("rate_hz"), fields.number("error_mm"), fields.flag("rotation_only")
    if rate is not None and type(rate) is not float:
        raise BadHeader(f"header.rate_hz cannot be {str(rate)[:40]!r}")
    try:
        return BakeOptions(cast(SpaceName, space), cast(FormatName, number_format), rate, error, rotation_only)
    except ValueError as wrong:
        raise BadHeader(str(wrong)) from None


def _sections(values: list[Any]) -> tuple[Section, ...]:
    """Sections that lie one after the other as `sections_of` lays them."""
    found, at = [], 0
    for number, value in enumerate(values):
        fields = Fields(value, f"sections[{number}]")
        name, dtype = fields.text("name"), fields.text("dtype", ("<i4", "<f4", "<f2", "|u1"))
        shape, offset = fields.items("shape"), fields.take("offset")
        fields.close()
        if not (len(shape) <= 3 and all(type(n) is int and 0 <= n < 2**31 for n in shape)):
            raise BadHeader(f"sections[{number}].shape cannot be {str(shape)[:40]}")
        if type(offset) is not int or offset != at:
            raise BadHeader(f"sections[{number}].offset is not where the array is")
        found.append(Section(name, dtype, tuple(shape), offset))
        at = aligned(at + found[-1].nbytes)
    return tuple(found)


def _skeleton(names: tuple[str, ...], arrays: Arrays) -> Skeleton:
    joints = len(names)
    parents = _array(arrays, "parents", "<i4", joints)
    skin_joints = _array(arrays, "skin_joints", "<i4", None)
    rest = Pose(
        _array(arrays, "rest_translation", "<f4", joints, 3),
        _array(arrays, "rest_rotation", "<f4", joints, 4),
        _array(arrays, "rest_scale", "<f4", joints, 3),
    )
    inverse_bind = _array(arrays, "inverse_bind", "<f4", len(skin_joints), 3, 4)
    if not joints or np.any(parents < -1) or np.any(parents >= np.arange(joints)):
        raise BadHeader("parents do not come before their children")
    _require_indices(skin_joints, joints, "skin_joints")
    return Skeleton(names, parents, rest, skin_joints, inverse_bind)


def _space(name: SpaceName, skeleton: Skeleton, arrays: Arrays) -> Space:
    lanes = [key for key in ("rotation_joints", "translation_joints", "scale_joints") if key in arrays]
    match name:
        case "model":
            _require_lanes(name, lanes, 0)
            return ModelSpace(skeleton)
        case "local":
            _require_lanes(name, lanes, 3)
            return _local_space(skeleton, arrays, lanes)
        case _:
            assert_never(name)


def _require_lanes(name: SpaceName, lanes: list[str], count: int) -> None:
    if len(lanes) != count:
        raise BadHeader(f"it does not hold what {name} space needs")


def _local_space(skeleton: Skeleton, arrays: Arrays, lanes: list[str]) -> LocalSpace:
    joints = [_array(arrays, key, "<i4", None) for key in lanes]
    for key, array in zip(lanes, joints, strict=True):
        _require_indices(array, skeleton.joint_count, key)
        if np.any(np.diff(array) <= 0):
            raise BadHeader(f"{key} are not in order")
    return LocalSpace(PoseLayout(skeleton, *joints))


def _check_rows(clips: tuple[BakedClip, ...], space: Space, number_format: FormatName, arrays: Arrays) -> None:
    row = 0
    for clip in clips:
        if clip.first_row != row:
            raise BadHeader(f"rows of clip {clip.name!r} do not begin where those before it end")
        row = clip.rows.stop
    _array(arrays, "rows", DTYPES[number_format].str, row, space.row_width)
    ranges = len(clips) if is_ranged(number_format) else 0
    _array(arrays, "offset", "<f4", ranges, space.row_width)
    if np.any(_array(arrays, "scale", "<f4", ranges, space.row_width) < 0):
        raise BadHeader("a scale is below 0")


def _array(arrays: Arrays, name: str, dtype: str, *shape: int | None) -> NDArray[Any]:
    """An array of this kind and shape, its numbers finite; None = any length."""
    array = arrays.get(name)
    if array is None or array.dtype != np.dtype(dtype) or len(array.shape) != len(shape):
        raise BadHeader(f"array {name!r} is not there, or not {len(shape)}-dimensional {dtype}")
    if any(wanted is not None and wanted != there for wanted, there in zip(shape, array.shape, strict=True)):
        raise BadHeader(f"array {name!r} has the shape {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise BadHeader(f"array {name!r} holds numbers that are not finite")
    return array


def _require_indices(array: NDArray[Any], count: int, name: str) -> None:
    if np.any(array < 0) or np.any(array >= count):
        raise BadHeader(f"{name} name joints that are not there")
