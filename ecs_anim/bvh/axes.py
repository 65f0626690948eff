"""Measurement of a motion's up axis, and rotation of the motion so that +Y is up."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths import quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.axes import AXES, Axis
from ecs_anim.maths.small_matrices import inner, length, unit
from ecs_anim.roles.names import HIPS, SIDES, TRUNK, called, named_leg
from ecs_anim.support.frozen import freeze

# the up axis is clear only if the cosine of its angle to the upright direction of the body is at least this value
CLEAR = 0.75
FRAMES = 200  # number of frames in the measurement
# the movement of the hips shows the horizontal plane only if it is at least this share of the trunk's length
TRAVELS = 0.5
TALLER = 1.5  # without usual names, a body stands along Z if its extent along Z is this many times the extent along Y

Reals = NDArray[np.floating]


class UpAxis(NamedTuple):
    """The measured up axis, and the reason why the measurement is uncertain.

    If the measurement is certain, the reason is an empty text.
    """

    axis: Axis
    doubt: str


def measured_up(rig: Rig) -> UpAxis:
    """Return the up axis of a motion.

    The function averages the direction from the hips to the head over the frames. The up axis is the coordinate axis
    nearest to the mean direction. If a standing rest pose shows another axis, the result is the axis along which the
    hips move less. If the hips hardly move, the result is the axis of the rest pose.
    """
    trunk = _trunk(rig.skeleton)
    if trunk is None:
        return UpAxis("z" if _taller_along_z(rig) else "y", "")
    (clip,) = rig.clips.values()
    poses = clip.sample(np.linspace(clip.start, clip.end, FRAMES), loop=False)
    points = model_matrices(rig.skeleton, poses)[..., 3].astype(np.float64)
    hips, top = (points[:, joint] for joint in trunk)
    seen, resting = _nearest(unit(top - hips).mean(axis=0)), _resting(rig.skeleton, *trunk)
    if seen is None:
        return UpAxis(
            resting or "y",
            "" if resting else "the upright direction of the rest pose and of the frames is not along an axis",
        )
    if resting is None or seen == resting:
        return UpAxis(seen, "")
    along = np.abs(inner(np.ptp(hips, axis=0), np.stack([AXES[seen], AXES[resting]])))
    travels = along.max() > TRAVELS * float(length(top - hips).mean())
    if travels and along.max() > 2 * along.min():
        return UpAxis((seen, resting)[int(np.argmin(along))], "")
    return UpAxis(resting, f"the rest pose is upright along {resting}, and the frames are upright along {seen}")


def stood_up(rig: Rig, axis: Axis) -> Rig:
    """Return the rig, rotated so that the up axis `axis` becomes +Y.

    The function rotates root joints and their motion.
    """
    turn = quaternion.from_to(AXES[axis], UP)
    old, rest = rig.skeleton, rig.skeleton.rest_pose
    roots = old.parents < 0
    translation, rotation = rest.translation.copy(), rest.rotation.copy()
    translation[roots] = quaternion.rotate(turn, translation[roots])
    rotation[roots] = quaternion.multiply(turn, rotation[roots])
    skeleton = replace(old, rest_pose=replace(rest, translation=freeze(translation), rotation=freeze(rotation)))
    clips = {name: stood_up_clip(clip, skeleton, axis) for name, clip in rig.clips.items()}
    return replace(rig, skeleton=skeleton, clips=clips)


def stood_up_clip(clip: Clip, skeleton: Skeleton, axis: Axis) -> Clip:
    """Return the clip for `skeleton`, rotated so that the up axis `axis` becomes +Y."""
    turn = quaternion.from_to(AXES[axis], UP)
    tracks = [_of_root(track, turn) if skeleton.parents[track.joint_index] < 0 else track for track in clip.tracks]
    return replace(clip, skeleton=skeleton, tracks=tuple(tracks))


def _trunk(skeleton: Skeleton) -> tuple[int, int] | None:
    """Return the hips and the highest joint of the trunk by usual joint names, or None if no joint has a usual name."""
    for hips in called(skeleton, range(skeleton.joint_count), HIPS):
        below = skeleton.below(hips)[1:]
        for pattern in TRUNK:
            for top in called(skeleton, below[::-1], pattern):
                return hips, top
    return None


def _nearest(way: Reals) -> Axis | None:
    """Return the coordinate axis nearest to the vector `way`, whose length is at most 1. If no axis is clearly nearest,
    return None.
    """
    axis = max(AXES, key=lambda own: float(inner(AXES[own], way)))
    return axis if inner(AXES[axis], way) > CLEAR else None


def _resting(skeleton: Skeleton, hips: int, top: int) -> Axis | None:
    """Return the up axis of a rest pose. If the legs do not show a standing pose, return None."""
    points = model_matrices(skeleton, skeleton.rest_pose)[..., 3].astype(np.float64)
    up = unit(points[top] - points[hips])
    legs = [leg for side in SIDES if (leg := named_leg(skeleton, side))]
    ways = [unit(points[leg.upper] - points[leg.lower]) for leg in legs]
    return _nearest(up) if ways and all(inner(way, up) > CLEAR for way in ways) else None


def _taller_along_z(rig: Rig) -> bool:
    """Return whether a body without usual names is much taller along Z than along Y, at rest and in the first frame.

    The function ignores joints above the first branching joint, because a root can stay at the origin.
    """
    skeleton = rig.skeleton
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=skeleton.joint_count)
    body = skeleton.below(int(np.argmax(children > 1)))
    poses = [skeleton.rest_pose, *(clip.sample(clip.start) for clip in rig.clips.values())]
    extents = [np.ptp(model_matrices(skeleton, pose)[body, :, 3], axis=0) for pose in poses]
    return all(z > TALLER * y for _, y, z in extents)


def _of_root(track: Track, turn: Reals) -> Track:
    move = quaternion.multiply if track.path == "rotation" else quaternion.rotate
    return replace(track, values=freeze(move(turn, track.values).astype(np.float32)))
