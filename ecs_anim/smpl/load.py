"""Loading of SMPL poses as a rig without a mesh. The rig has a skeleton and one clip with the name of the file.

A frame contains a rotation vector for each joint, relative to the T-pose of its parent, and the position `trans` of the
body. The pelvis is at `trans` plus a constant vector that only the data of the body model define. The reader puts the
pelvis at `trans`. Retargeting finds the floor from the feet, so it does not need this vector.
"""

import os
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.bvh.axes import CLEAR, stood_up_clip
from ecs_anim.maths import quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.axes import AXES, Axis
from ecs_anim.maths.small_matrices import inner
from ecs_anim.smpl.arrays import Motion, read_motion
from ecs_anim.smpl.bodies import skeleton_of
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.frozen import freeze

MOTION = Kind("motion", "motion_bytes", ("motion",))

Reals = NDArray[np.floating]


def load_rig(path: str | os.PathLike[str], *, name: str | None = None, up: Axis | None = None) -> Rig:
    """Return a rig with the skeleton and the clip of a file of SMPL, SMPL-H or SMPL-X poses. Lengths are in metres.

    `up` is the up axis of the file. Default: z for AMASS, y for AIST++ and Motion-X. If the body is clearly upright
    along the other one of these two axes, the reader uses this other axis and prints a warning. The reader rotates the
    motion so that +Y is up. Raises InputError with the name of the file and of the array.
    """
    path = Path(path)
    if up is not None and up not in AXES:
        raise InputError(f"up: the value must be one of {', '.join(AXES)} (got {up!r})")
    try:
        motion = read_motion(read_bytes(path, MOTION))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    turned = quaternion.from_rotation_vector(motion.poses)
    skeleton, name = skeleton_of(motion.width, motion.rest), name or path.stem
    clip = _clip(path, name, skeleton, motion, turned)
    axis = up or _up(path, motion.up, turned[:, 0])
    return Rig(name, skeleton, (), {name: clip if axis == "y" else stood_up_clip(clip, skeleton, axis)})


def _up(path: Path, usual: Axis, pelvis: Reals) -> Axis:
    """Return the up axis of a motion with the pelvis rotations `pelvis` [frame, 4]."""
    way = quaternion.rotate(pelvis, UP).mean(axis=0)
    seen: Axis = "z" if usual == "y" else "y"
    if inner(AXES[seen], way) <= CLEAR:
        return usual
    warnings.warn(
        f"{path}: up axis: the body is upright along {seen}, but such files usually have the up axis {usual}. The"
        f" reader uses {seen}. Set the up axis with --up x, y or z.",
        InputWarning,
        stacklevel=4,
    )
    return seen


def _clip(path: Path, name: str, skeleton: Skeleton, motion: Motion, turned: Reals) -> Clip:
    times = freeze((np.arange(len(turned)) / motion.rate).astype(np.float32))
    if (np.diff(times) <= 0).any():
        raise InputError(
            f"{path}: {len(times):,} frames at {motion.rate:g} Hz are too short for 32-bit times. Split the motion."
        )
    start = np.zeros(3) if motion.rest is None else motion.rest[0]
    moved = freeze((motion.trans + start).astype(np.float32))
    tracks = [Track(0, "translation", "LINEAR", times, moved)]
    for joint in range(turned.shape[1]):
        tracks.append(Track(joint, "rotation", "LINEAR", times, freeze(turned[:, joint].astype(np.float32))))
    return Clip(name, skeleton, tuple(tracks), float(times[0]), float(times[-1]))
