"""Loading of a BVH file as a rig without a mesh. The rig has a skeleton and one clip with the name of the file.

BVH defines no unit of length. BVH also leaves other details open. For these details, this reader follows the
conventions of most programs. The first rotation channel is the outermost rotation. For example, `Zrotation Xrotation
Yrotation` is the product Z X Y. A position channel replaces the coordinate of OFFSET for its axis. The rest pose uses
the OFFSETs and has no rotations.
"""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.bvh.axes import measured_up, stood_up
from ecs_anim.bvh.frames import read_frames
from ecs_anim.bvh.hierarchy import BvhError, Joint, Words, read_hierarchy
from ecs_anim.bvh.text import clean_lines, decoded, motion_line
from ecs_anim.maths import quaternion
from ecs_anim.maths.axes import AXES, Axis
from ecs_anim.maths.transform import Pose
from ecs_anim.support.budgets import limit
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.frozen import freeze
from ecs_anim.support.names import unique_names
from ecs_anim.trajectories.options import UNITS

MOTION = Kind("motion", "motion_bytes", ("motion",))

Reals = NDArray[np.floating]


def load_rig(
    path: str | os.PathLike[str], *, name: str | None = None, unit: str | None = None, up: Axis | None = None
) -> Rig:
    """Return a rig with the skeleton and the clip of a BVH file.

    `unit` is the unit of length of the file. With `unit`, the rig has lengths in metres. Without `unit`, the rig has
    the lengths of the file. End sites become joints without channels. The name of an end site contains the name of its
    parent. `up` is the up axis of the file. By default, the reader measures the up axis along the line from the hips to
    the head. The reader rotates the motion so that +Y is up. If the measured up axis is not +Y or not clear, the reader
    prints a warning. A second warning lists the errors of the file that the reader has repaired. Raises InputError with
    the file name and the line number.
    """
    path = Path(path)
    for key, given, known in (("unit", unit, UNITS), ("up", up, AXES)):
        if given is not None and given not in known:
            raise InputError(f"{key}: the value must be one of {', '.join(known)} (got {given!r})")
    notes: list[str] = []
    try:
        rig = _read(read_bytes(path, MOTION), name or path.stem, 1.0 if unit is None else UNITS[unit], notes)
    except BvhError as error:
        raise InputError(f"{path}: {error}") from None
    if notes:
        _warn(f"{path}: the file differs from the BVH format: {'; '.join(notes)}")
    axis = up or _measured(path, rig)
    return rig if axis == "y" else stood_up(rig, axis)


def _measured(path: Path, rig: Rig) -> Axis:
    """Return the measured up axis of a rig. Warn if the measured axis is not +Y or is not clear."""
    axis, doubt = measured_up(rig)
    if doubt:
        _warn(f"{path}: up axis: {doubt}; up is assumed to be {axis}. Set the up axis with --up x, y or z.")
    elif axis != "y":
        _warn(
            f"{path}: up axis: the body is upright along {axis} and is turned so that y is up. To prevent the turn,"
            " set --up y."
        )
    return axis


def _warn(message: str) -> None:
    warnings.warn(message, InputWarning, stacklevel=4)


def _read(data: bytes, name: str, scale: float, notes: list[str]) -> Rig:
    """Return the rig in BVH bytes `data`. Each repair adds a text to `notes`."""
    text, encoding = decoded(data)
    lines, changes = clean_lines(text)
    notes += encoding + changes
    head = motion_line(lines)
    joints = read_hierarchy(Words(lines[: head + 1]), limit("joints"))
    channels = [f"{joint.name!r} {channel.name}" for joint in joints for channel in joint.channels]
    times, values = read_frames(lines, head + 1, channels, notes)
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


def _tracks(joints: Sequence[Joint], times: NDArray[np.float32], values: Reals, scale: float) -> tuple[Track, ...]:
    """Return one track for each joint with rotation channels, and one track for each joint with position channels."""
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
    """Return the local positions [frame, 3] of a joint.

    For a coordinate without a channel, the function uses the offset of the joint.
    """
    moved = np.tile(np.array(joint.offset), (len(values), 1))
    for channel, column in zip(joint.channels, values.T, strict=True):
        if channel.what == "position":
            moved[:, channel.axis] = column
    return moved


def _rotations(joint: Joint, values: Reals) -> Reals:
    """Return unit quaternions [frame, 4] of a joint from its rotation channels [degrees].

    The first rotation channel is the outermost rotation.
    """
    turned: Reals = np.tile(quaternion.IDENTITY.astype(np.float64), (len(values), 1))
    for channel, column in zip(joint.channels, values.T, strict=True):
        if channel.what == "rotation":
            own = quaternion.from_axis_angle(np.eye(3)[channel.axis], np.radians(column))
            turned = quaternion.multiply(turned, own)
    return turned
