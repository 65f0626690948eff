"""The JSON header of a bake file: the properties of the bake, and the positions of its arrays in the file."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, assert_never

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat, ValidationError

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.bake import Bake, BakedClip
from ecs_anim.bake.formats import DTYPES, is_ranged
from ecs_anim.bake.measure import BakeError
from ecs_anim.bake.options import BakeOptions, FormatName, SpaceName
from ecs_anim.bake.row_span import RowSpan
from ecs_anim.bake.signature import skeleton_signature
from ecs_anim.bake.spaces import LocalSpace, ModelSpace, Space
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.clip_table import PoseLayout

ALIGNMENT = 64  # [byte], alignment of every array in the file
COLUMNS = ("rotation_joints", "translation_joints", "scale_joints")  # arrays that only bakes in local space have

Arrays = Mapping[str, NDArray[Any]]
Whole = Annotated[int, Field(ge=0, lt=2**31)]


class BadHeader(Exception):
    """Error for an invalid value in the header of a bake file. The message contains the name of the field."""


class _Table(BaseModel):
    """A JSON object.

    Each subclass defines the keys. The object must have all keys that the subclass defines, and no other keys.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class Section(_Table):
    """Name, type, shape and position of an array in a bake file."""

    name: str
    dtype: Literal["<i4", "<f4", "<f2", "|u1"]
    shape: Annotated[tuple[Whole, ...], Field(max_length=3)]
    offset: int  # [byte], distance from the end of the header to the array

    @property
    def nbytes(self) -> int:
        """Return the size of the array in bytes. Python integers are exact even for very large shapes."""
        return math.prod(self.shape, start=np.dtype(self.dtype).itemsize)


class _Clip(_Table):
    name: str
    start_s: float
    duration_s: NonNegativeFloat
    loops: bool
    first_row: Whole
    intervals: Whole
    rate_hz: float
    error_position: NonNegativeFloat
    error_angle: NonNegativeFloat
    extras: dict[str, Any]


class Header(_Table):
    """The header of a bake file. The page `docs/reference/bake-format.md` describes each key."""

    name: str
    space: SpaceName
    format: FormatName
    rate_hz: float | None
    error_mm: float
    rotation_only: bool
    size: PositiveFloat
    content: str
    joint_names: tuple[str, ...]
    skeleton: str
    clips: Annotated[tuple[_Clip, ...], Field(min_length=1)]
    sections: tuple[Section, ...]


def arrays_of(bake: Bake) -> Arrays:
    """Return all arrays of a bake in the order of the bake file. The arrays are little-endian."""
    skeleton, rest = bake.skeleton, bake.skeleton.rest_pose
    columns: Arrays = {}
    if isinstance(bake.space, LocalSpace):
        columns = {name: getattr(bake.space.layout, name) for name in COLUMNS}
    named = {
        "parents": (skeleton.parents, "<i4"),
        "rest_translation": (rest.translation, "<f4"),
        "rest_rotation": (rest.rotation, "<f4"),
        "rest_scale": (rest.scale, "<f4"),
        "skin_joints": (skeleton.skin_joints, "<i4"),
        "inverse_bind": (skeleton.inverse_bind, "<f4"),
        **{name: (joints, "<i4") for name, joints in columns.items()},
        "offset": (bake.offset, "<f4"),
        "scale": (bake.scale, "<f4"),
        "rows": (bake.rows, DTYPES[bake.options.number_format].str),
    }
    return {name: np.ascontiguousarray(array, dtype) for name, (array, dtype) in named.items()}


def sections_of(arrays: Arrays) -> tuple[Section, ...]:
    """Return the sections of arrays that follow each other in a bake file."""
    return _laid((name, array.dtype.str, array.shape) for name, array in arrays.items())


def _laid(arrays: Iterable[tuple[str, Any, tuple[int, ...]]]) -> tuple[Section, ...]:
    """Return the sections for arrays with the given names, dtypes and shapes.

    The arrays follow each other in the file.
    """
    at, found = 0, []
    for name, dtype, shape in arrays:
        found.append(Section(name=name, dtype=dtype, shape=shape, offset=at))
        at = aligned(at + found[-1].nbytes)
    return tuple(found)


def aligned(offset: int) -> int:
    """Return the first valid array position at or after the byte position `offset`."""
    return -(-offset // ALIGNMENT) * ALIGNMENT


def describe(bake: Bake, sections: tuple[Section, ...]) -> Header:
    """Return the header for a bake whose arrays are stored in the file sections `sections`."""
    options = bake.options
    return Header(
        name=bake.name,
        space=options.space,
        format=options.number_format,
        rate_hz=None if options.rate is None else float(options.rate),
        error_mm=float(options.error_mm),
        rotation_only=options.rotation_only,
        size=bake.size,
        content=bake.content,
        joint_names=bake.skeleton.joint_names,
        skeleton=skeleton_signature(bake.skeleton),
        clips=tuple(map(_describe_clip, bake.clips)),
        sections=sections,
    )


def to_json(header: Mapping[str, Any]) -> bytes:
    """Return the bytes of a header as canonical JSON.

    Raise ValueError for NaN and infinity. Raise TypeError for other values that JSON does not support.
    """
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def from_json(text: bytes) -> Header:
    """Return the header from the JSON bytes `text`. Raise BadHeader for invalid content."""
    try:
        header = Header.model_validate_json(text)
        canonical = to_json(header.model_dump()) == text
    except ValidationError as error:
        raise BadHeader(_first_fault(error)) from None
    except (ValueError, RecursionError):
        raise BadHeader("the header must be JSON") from None
    if not canonical:
        raise BadHeader("the header must be JSON with sorted keys and without spaces, as ecs-anim writes it")
    if header.sections != _laid((s.name, s.dtype, s.shape) for s in header.sections):
        raise BadHeader("the offset of a section must be the position of its array")
    return header


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = ".".join(map(str, ("header", *fault["loc"])))
    return f"{place}: {fault['msg']} (got {str(fault['input'])[:40]!r})"


def build(header: Header, arrays: Arrays) -> Bake:
    """Return the bake for a header and its arrays. Raise BadHeader if the header and the arrays do not match."""
    options = _options(header)
    skeleton = _skeleton(header.joint_names, arrays)
    if header.skeleton != skeleton_signature(skeleton):
        raise BadHeader("the skeleton must have the signature in the header")
    space = _space(options.space, skeleton, arrays)
    clips = tuple(map(_clip, header.clips))
    for what, names in (("clips", [clip.name for clip in clips]), ("joints", header.joint_names)):
        if len(set(names)) != len(names):
            raise BadHeader(f"two {what} have the same name")
    _check_rows(clips, space, options.number_format, arrays)
    rows, offset, scale = (arrays[key] for key in ("rows", "offset", "scale"))
    return Bake(header.name, options, space, clips, rows, offset, scale, header.size, header.content)


def _describe_clip(clip: BakedClip) -> _Clip:
    return _Clip(
        name=clip.name,
        start_s=float(clip.span.start),
        duration_s=float(clip.span.duration),
        loops=clip.loops,
        first_row=clip.first_row,
        intervals=clip.span.interval_count,
        rate_hz=float(clip.span.rate),
        error_position=float(clip.error.position),
        error_angle=float(clip.error.angle),
        extras=dict(clip.extras),
    )


def _clip(clip: _Clip) -> BakedClip:
    span = RowSpan(clip.start_s, clip.duration_s, clip.intervals)
    if clip.rate_hz != span.rate or (span.interval_count > 0) != (span.duration > 0):
        raise BadHeader(f"clip {clip.name!r}: rate, rows and duration must be consistent")
    error = BakeError(clip.error_position, clip.error_angle)
    return BakedClip(clip.name, span, clip.first_row, clip.loops, error, clip.extras)


def _options(header: Header) -> BakeOptions:
    try:
        return BakeOptions(header.space, header.format, header.rate_hz, header.error_mm, header.rotation_only)
    except ValueError as wrong:
        raise BadHeader(str(wrong)) from None


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
        raise BadHeader("parents must come before their children")
    _require_indices(skin_joints, joints, "skin_joints")
    return Skeleton(names, parents, rest, skin_joints, inverse_bind)


def _space(name: SpaceName, skeleton: Skeleton, arrays: Arrays) -> Space:
    needed = COLUMNS if name == "local" else ()
    if needed != tuple(key for key in COLUMNS if key in arrays):
        raise BadHeader(f"a bake in {name} space must have exactly the arrays of this space")
    match name:
        case "model":
            return ModelSpace(skeleton)
        case "local":
            return _local_space(skeleton, arrays)
        case _:
            assert_never(name)


def _local_space(skeleton: Skeleton, arrays: Arrays) -> LocalSpace:
    joints = [_array(arrays, key, "<i4", None) for key in COLUMNS]
    for key, array in zip(COLUMNS, joints, strict=True):
        _require_indices(array, skeleton.joint_count, key)
        if np.any(np.diff(array) <= 0):
            raise BadHeader(f"{key} must be in ascending order")
    return LocalSpace(PoseLayout(skeleton, *joints))


def _check_rows(clips: tuple[BakedClip, ...], space: Space, number_format: FormatName, arrays: Arrays) -> None:
    row = 0
    for clip in clips:
        if clip.first_row != row:
            raise BadHeader(f"rows of clip {clip.name!r} must begin at the end of the previous clip")
        row = clip.rows.stop
    _array(arrays, "rows", DTYPES[number_format].str, row, space.row_width)
    ranges = len(clips) if is_ranged(number_format) else 0
    _array(arrays, "offset", "<f4", ranges, space.row_width)
    if np.any(_array(arrays, "scale", "<f4", ranges, space.row_width) < 0):
        raise BadHeader("scales must not be below 0")


def _array(arrays: Arrays, name: str, dtype: str, *shape: int | None) -> NDArray[Any]:
    """Return the array `name`. Raise BadHeader for a wrong dtype, a wrong shape, or a number that is not finite."""
    array = arrays.get(name)
    if array is None or array.dtype != np.dtype(dtype) or len(array.shape) != len(shape):
        raise BadHeader(f"array {name!r} must exist, with {len(shape)} dimensions and the dtype {dtype}")
    if any(wanted is not None and wanted != there for wanted, there in zip(shape, array.shape, strict=True)):
        raise BadHeader(f"array {name!r} has the wrong shape {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise BadHeader(f"array {name!r} must contain only finite numbers")
    return array


def _require_indices(array: NDArray[Any], count: int, name: str) -> None:
    if np.any(array < 0) or np.any(array >= count):
        raise BadHeader(f"{name} must be indices of joints")
