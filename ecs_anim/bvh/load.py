"""A BVH file as a rig without a mesh: its skeleton, and one clip that is called like the file.

The format has no unit, and no words on three things, which are read as most programs write
them: rotation channels turn in their order, the first outermost (a frame's `Zrotation Xrotation Yrotation` is Z X Y);
a position channel stands in the place of its part of the OFFSET; the rest pose is OFFSETs without rotations.
"""

import os
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.bvh.axes import stands_along_z, stood_up
from ecs_anim.bvh.hierarchy import LARGEST, BvhError, Joint, Words, number, read_hierarchy
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.support.budgets import excess, limit
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import Kind, opened, read_text
from ecs_anim.support.frozen import freeze
from ecs_anim.support.names import unique_names
from ecs_anim.trajectories.options import UNITS

MOTION = Kind("motion", "motion_bytes")
START = b"HIERARCHY"
BRIEFEST_FRAME = 1e-6  # [s]

Reals = NDArray[np.floating]


def is_bvh(path: Path) -> bool:
    """Whether a file is there that begins as BVH does, broken or not."""
    try:
        with opened(path, MOTION) as file:
            return file.first(64).removeprefix(b"\xef\xbb\xbf").lstrip()[: len(START)].upper() == START
    except InputError:
        return False


def load_rig(path: str | os.PathLike[str], *, name: str | None = None, unit: str | None = None) -> Rig:
    """The skeleton and the clip of a BVH file, in metres where its `unit` is said, else in the file's own units.

    End sites are joints without channels, called after what they end. A file that stands along +Z is turned so that +Y
    is up, with a warning. Raises InputError with the file and the line.
    """
    path = Path(path)
    if unit is not None and unit not in UNITS:
        raise InputError(f"unit: units are: {', '.join(UNITS)} (got {unit!r})")
    text = read_text(path, MOTION)
    try:
        rig = _read(text, name or path.stem, 1.0 if unit is None else UNITS[unit])
    except BvhError as error:
        raise InputError(f"{path}: {error}") from None
    if not stands_along_z(rig):
        return rig
    warnings.warn(f"{path}: what it holds stands along +Z, which is taken for up", InputWarning, stacklevel=2)
    return stood_up(rig)


def _read(text: str, name: str, scale: float) -> Rig:
    lines = text.splitlines()
    head = next((at for at, line in enumerate(lines) if line.split()[:1] and line.split()[0].upper() == "MOTION"), -1)
    joints = read_hierarchy(Words(lines[: head + 1] if head >= 0 else lines), limit("joints"))
    times, values = _frames(lines, head + 1, sum(len(joint.channels) for joint in joints))
    skeleton, tracks = _skeleton(joints, scale), _tracks(joints, times, values, scale)
    clip = Clip(name, skeleton, tracks, float(times[0]), float(times[-1]))
    return Rig(name, skeleton, (), {name: clip})


def _skeleton(joints: Sequence[Joint], scale: float) -> Skeleton:
    offsets, still = np.array([joint.offset for joint in joints]) * scale, Pose.identity(len(joints))
    return Skeleton(
        joint_names=tuple(unique_names((joint.name for joint in joints), "joint")),
        parents=freeze(np.array([joint.parent for joint in joints], np.int32)),
        rest_pose=Pose(freeze(offsets.astype(np.float32)), freeze(still.rotation), freeze(still.scale)),
        skin_joints=freeze(np.zeros(0, np.int32)),
        inverse_bind=freeze(np.zeros((0, 3, 4), np.float32)),
    )


def _frames(lines: Sequence[str], start: int, width: int) -> tuple[NDArray[np.float32], Reals]:
    """Times [frame] in seconds, and the numbers [frame, channel] of all frames; `lines` from `start` on."""
    told = ((at, line) for at, line in enumerate(lines[start:], start + 1) if line.strip())
    count = _head(told, "FRAMES:", "the number of frames", len(lines))
    seconds = _head(told, "FRAME TIME:", "the frame time", len(lines))
    if count != int(count) or count < 1:
        raise BvhError(start + 1, f"the number of frames should be 1 or more (got {count:g})")
    if not seconds >= BRIEFEST_FRAME and count > 1:
        raise BvhError(start + 2, f"the frame time should be seconds, such as 0.0333333 (got {seconds:g})")
    if text := excess("row_bytes", 8 * int(count) * max(width, 1), "cut the motion into parts"):
        raise BvhError(start + 1, text)
    rows = list(islice(told, int(count)))
    if len(rows) < count and width:
        raise BvhError(len(lines), f"the file ends after {len(rows)} of {count:.0f} frames; it may be cut short")
    more = next(told, None)
    if more is not None:
        raise BvhError(more[0], f"there are more than the {count:.0f} frames that line {start + 1} says; mend it")
    times = freeze((np.arange(int(count)) * seconds).astype(np.float32))
    if (np.diff(times) <= 0).any():
        raise BvhError(start + 2, f"{count:.0f} frames of {seconds:g} s are too short to be told apart")
    return times, np.array([_numbers(line, at, width) for at, line in rows]).reshape(len(times), width)


def _head(told: Iterator[tuple[int, str]], key: str, what: str, last: int) -> float:
    """The number behind a key such as 'Frames:'."""
    at, line = next(told, (last, ""))
    words = line.replace(":", ": ").split()
    if " ".join(words[:-1]).upper() != key:
        raise BvhError(at, f"should be '{key.title()}' with {what} (got {line.strip()[:40]!r})")
    return number(words[-1], what, at)


def _numbers(line: str, at: int, width: int) -> list[float]:
    """The numbers of one frame."""
    words = line.split()
    if len(words) != width:
        raise BvhError(at, f"a frame has a number for each of {width} channels (got {len(words)}); mend that line")
    try:
        values = list(map(float, words))
    except ValueError:
        values = []
    if "_" in line or len(values) != width or not all(abs(value) <= LARGEST for value in values):
        for word in words:
            number(word, "a channel", at)
    return values


def _tracks(joints: Sequence[Joint], times: NDArray[np.float32], values: Reals, scale: float) -> tuple[Track, ...]:
    """A track for the rotation of each joint that has such channels, and for the translation alike."""
    tracks, column = [], 0
    for number_of, joint in enumerate(joints):
        own = values[:, column : column + len(joint.channels)]
        column += len(joint.channels)
        kinds = [channel.what for channel in joint.channels]
        if "position" in kinds:
            moved = freeze((_translations(joint, own) * scale).astype(np.float32))
            tracks.append(Track(number_of, "translation", "LINEAR", times, moved))
        if "rotation" in kinds:
            turned = freeze(_rotations(joint, own).astype(np.float32))
            tracks.append(Track(number_of, "rotation", "LINEAR", times, turned))
    return tuple(tracks)


def _translations(joint: Joint, values: Reals) -> Reals:
    """Positions [frame, 3]: what no channel gives is the offset's."""
    moved = np.tile(np.array(joint.offset), (len(values), 1))
    for channel, column in zip(joint.channels, values.T, strict=True):
        if channel.what == "position":
            moved[:, channel.axis] = column
    return moved


def _rotations(joint: Joint, values: Reals) -> Reals:
    """Unit quaternions [frame, 4] of the angles [degrees], the first channel outermost."""
    turned: Reals = np.tile(quaternion.IDENTITY.astype(np.float64), (len(values), 1))
    for channel, column in zip(joint.channels, values.T, strict=True):
        if channel.what == "rotation":
            own = quaternion.from_axis_angle(np.eye(3)[channel.axis], np.radians(column))
            turned = quaternion.multiply(turned, own)
    return turned
