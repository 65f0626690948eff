"""The arrays of a file of SMPL poses: AMASS, AIST++ and Motion-X name and order them differently."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.axes import Axis
from ecs_anim.smpl.bodies import NAMES, TABLES
from ecs_anim.support.archives import unpacked
from ecs_anim.support.npy import array_of

Reals = NDArray[np.float64]
LARGEST = 1e6  # largest number in a file
FASTEST = 1e5  # [Hz]
MOTION_X = 322  # numbers in a frame of Motion-X
# Names of arrays by content. The first name in the file applies.
KEYS = {
    "poses": ("poses", "smpl_poses"),
    "trans": ("trans", "smpl_trans", "transl"),
    "rate": ("mocap_framerate", "mocap_frame_rate", "fps", "frame_rate"),
    "scaling": ("smpl_scaling",),  # AIST++ stores positions in units of this number
    "rest": ("rest_joints",),  # positions of the joints in the T-pose; `ecs-anim export` writes them
    "root": ("root_orient", "global_orient"),
    "body": ("pose_body", "body_pose"),
    "jaw": ("pose_jaw",),
    "eyes": ("pose_eye",),
    "hands": ("pose_hand",),
}
CONTENT = {name: content for content, names in KEYS.items() for name in names}
PARTS, OPTIONAL = ("root", "body"), ("jaw", "eyes", "hands")  # parts of the poses in their order


class Motion(NamedTuple):
    """The content of a file of SMPL poses."""

    poses: Reals  # [frame, joint, 3], rotation vectors [rad]
    trans: Reals  # [frame, 3] [m]
    rate: float  # [Hz]
    up: Axis  # up axis of the data set
    rest: Reals | None  # [joint, 3] [m], T-pose

    @property
    def width(self) -> int:
        """Return the number of pose parameters of a frame."""
        return 3 * self.poses.shape[1]


def read_motion(data: bytes) -> Motion:
    """Return the motion in the bytes of an .npz file, or of an .npy file of Motion-X. Raises ValueError."""
    if not data.startswith(b"PK"):
        return _of_motion_x(_numbers("array", array_of(data), 2))
    packed = unpacked(
        data, lambda name: name.removesuffix(".npy") in CONTENT, "motion_bytes", "split the motion into parts"
    )
    found = {}
    for name, content in packed.items():
        try:
            found[name.removesuffix(".npy")] = array_of(content)
        except ValueError as error:
            raise ValueError(f"{name.removesuffix('.npy')}: the array {error}.") from None
    return _of_arrays(found)


def _of_arrays(found: Mapping[str, NDArray[Any]]) -> Motion:
    names = {content: next((own for own in names if own in found), "") for content, names in KEYS.items()}
    known = {content: found[name] for content, name in names.items() if name}
    poses = _poses(names, known)
    if poses.shape[1] == MOTION_X:
        return _of_motion_x(poses)
    if not names["trans"]:
        raise ValueError("the file must contain the array 'trans' with the positions of the body. Add the array.")
    trans = _numbers(names["trans"], known["trans"], 2)
    if trans.shape != (len(poses), 3):
        raise ValueError(
            f"{names['trans']}: the array must have a row of 3 numbers for each of {len(poses):,} frames (got"
            f" {_shape(trans)}). Correct the array."
        )
    is_aist = names["poses"] == "smpl_poses"
    rate = _rate(names["rate"], known.get("rate", np.array(60.0) if is_aist else None))
    scaling = _positive("smpl_scaling", known["scaling"]) if "scaling" in known else 1.0
    return _motion(poses, trans / scaling, rate, "y" if is_aist else "z", known.get("rest"))


def _poses(names: Mapping[str, str], known: Mapping[str, NDArray[Any]]) -> Reals:
    if "poses" in known:
        return _numbers(names["poses"], known["poses"], 2)
    if not {*PARTS} <= known.keys():
        raise ValueError(
            "the file must contain the array 'poses', or 'root_orient' and 'pose_body'. Name a file with poses."
        )
    whole = PARTS + (OPTIONAL if {*OPTIONAL} <= known.keys() else ())
    parts = [_numbers(names[part], known[part], 2) for part in whole]
    if len({*map(len, parts)}) > 1:
        raise ValueError(f"{', '.join(names[part] for part in whole)}: the arrays must have equal numbers of frames.")
    return np.concatenate(parts, axis=1)


def _of_motion_x(rows: Reals) -> Motion:
    """Return the motion in rows of Motion-X: body, hands, jaw, expression, face shape, position and body shape."""
    if rows.shape[1] != MOTION_X:
        raise ValueError(f"the array must have {MOTION_X} columns, as in Motion-X (got {rows.shape[1]}).")
    eyes = np.zeros((len(rows), 6))
    poses = np.concatenate([rows[:, :66], rows[:, 156:159], eyes, rows[:, 66:156]], axis=1)
    return _motion(poses, rows[:, 309:312], 30.0, "y", None)


def _motion(poses: Reals, trans: Reals, rate: float, up: Axis, rest: NDArray[Any] | None) -> Motion:
    if poses.shape[1] not in TABLES:
        known = ", ".join(f"{width} ({name})" for width, name in NAMES.items())
        raise ValueError(
            f"poses: the array must have {known} or {MOTION_X} (Motion-X) columns (got {poses.shape[1]}). Name a file"
            " with the poses of a whole body."
        )
    poses = poses.reshape(len(poses), -1, 3)
    if rest is not None:
        rest = _numbers("rest_joints", rest, 2)
        if rest.shape != poses.shape[1:]:
            wanted = poses.shape[1]
            raise ValueError(f"rest_joints: the array must have {wanted} rows of 3 numbers (got {_shape(rest)}).")
    return Motion(poses, trans, rate, up, rest)


def _rate(name: str, value: NDArray[Any] | None) -> float:
    if value is None:
        raise ValueError("the file must contain 'mocap_framerate', the number of frames per second. Add the number.")
    return _positive(name, value)


def _positive(name: str, value: NDArray[Any]) -> float:
    numbers = _numbers(name, value).ravel()
    if len(numbers) != 1 or not 1 / FASTEST <= numbers[0] <= FASTEST:
        got = f"{numbers[0]:g}" if len(numbers) == 1 else f"{len(numbers)} numbers"
        raise ValueError(f"{name}: the value must be one number above 0 (got {got}). Correct the number.")
    return float(numbers[0])


def _numbers(name: str, array: NDArray[Any], dimensions: int = 0) -> Reals:
    """Return the array as finite numbers. With `dimensions` 2, the result has one row for each frame."""
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{name}: the array must contain numbers (got {array.dtype}). Save it as numbers.")
    if dimensions and (array.ndim < dimensions or not array.size):
        raise ValueError(f"{name}: the array must have at least one row of numbers (got {_shape(array)}).")
    found: Reals = array.astype(np.float64)
    found = found.reshape(len(found), -1) if dimensions else found
    if not (np.abs(found) <= LARGEST).all():
        at = int(np.argmax(~(np.abs(found) <= LARGEST)))
        frame = f"frame {at // found.shape[1]}: " if dimensions else ""
        raise ValueError(
            f"{name}: {frame}each number must be finite and at most {LARGEST:g} (got {found.ravel()[at]:g}). Correct"
            " the number."
        )
    return found


def _shape(array: NDArray[Any]) -> str:
    return " x ".join(map(str, array.shape)) or "one number"
