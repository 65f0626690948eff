"""A pose in which a body stands: the rest pose, or a pose composed from frames of clips.

In the rest pose of many motion files, all bones point along one axis. Such a rest pose does not show how the body
stands. In this case, the module composes a pose. It takes the trunk from the frames in which the trunk is nearest to
the vertical, and each limb from the frames in which this limb is nearest to the vertical. Before the composition, the
module rotates each frame about +Y, so that the body faces +Z.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames, frames_of, local_rotations
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import elementary, quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.small_matrices import inner, unit
from ecs_anim.maths.transform import Pose
from ecs_anim.roles.names import SIDES
from ecs_anim.roles.parts import ARM, LEG

Reals = NDArray[np.floating]
LIMBS = tuple(f"{side}_{parts[0]}" for side in SIDES for parts in (ARM, LEG))
NEEDED = frozenset(f"{side}_{part}" for side in SIDES for part in (*ARM, *LEG))
LEFT = np.array([1.0, 0.0, 0.0])  # left axis of a body that faces +Z
STEEP = 0.7  # smallest cosine of the angle between the vertical and the trunk or a leg of a standing body
NEAR = 0.09  # [rad], 5 degrees; frames whose tilt is at most this angle larger than the smallest tilt are used too
MOST_FRAMES, MOST_JOINTS = 600, 60_000  # largest number of frames, and of joints in all of these frames


def standing_pose(rig: Rig, joints: Mapping[str, int]) -> Pose:
    """Return a pose in which the body stands.

    If the body stands in the rest pose, the result is the rest pose. Otherwise, the function composes the result from
    frames of clips.

    `joints` contains the joints of the limbs, by role. A rig with a skin keeps its rest pose, because the skin shows
    how the body stands. A rig without clips also keeps its rest pose.
    """
    rest = rig.skeleton.rest_pose
    if rig.skeleton.palette_count or not rig.clips or not joints.keys() >= NEEDED:
        return rest
    if _stands(frames_of(rig.skeleton, rest).positions, joints):
        return rest
    return _composed(rig, joints)


def _stands(points: Reals, joints: Mapping[str, int]) -> bool:
    """Return whether the trunk and the legs are nearly vertical, with joints at the positions `points` [joint, 3]."""
    ways = [_trunk(points, joints), *(points[joints[f"{s}_thigh"]] - points[joints[f"{s}_foot"]] for s in SIDES)]
    return all(unit(way)[1] > STEEP for way in ways)


def _composed(rig: Rig, joints: Mapping[str, int]) -> Pose:
    """Return a pose composed from the frames of clips.

    The trunk and each limb come from the frames in which the trunk or this limb is nearest to the vertical.
    """
    skeleton, frames = rig.skeleton, _facing_ahead(_frames(rig), joints)
    tilts: dict[str | None, Reals] = {None: _tilt(_trunk(frames.positions, joints))}
    tilts |= {limb: _limb_tilt(frames.positions, joints, limb) for limb in LIMBS}
    owner = {joint: limb for limb in LIMBS for joint in skeleton.below(joints[limb])}
    turned: dict[int, Reals] = {}
    for limb, tilt in tilts.items():
        own = [joint for joint in range(skeleton.joint_count) if owner.get(joint) == limb]
        turned |= dict(zip(own, _mean(frames.rotations[:, own], tilt), strict=True))
    pose = _posed(skeleton, turned)
    return _posed(skeleton, turned | _levelled(skeleton, frames_of(skeleton, pose), joints))


def _posed(skeleton: Skeleton, turned: Mapping[int, Reals]) -> Pose:
    """Return the rest pose, but with the rotations [4] in `turned` for the joints in `turned`. The rotations are in
    model space.
    """
    rest = skeleton.rest_pose
    return Pose(rest.translation, local_rotations(skeleton, rest.rotation.astype(np.float64), turned), rest.scale)


def _levelled(skeleton: Skeleton, frames: Frames, joints: Mapping[str, int]) -> dict[int, Reals]:
    """Return rotations [4] of hips and chest in model space.

    With these rotations, the left and right thighs and upper arms are on the correct sides of the body.
    """
    found = {}
    for part in ("upper_arm", "thigh"):
        left, right = (joints[f"{side}_{part}"] for side in SIDES)
        shared = {*skeleton.above(left)[1:]} & {*skeleton.above(right)[1:]}
        swing = quaternion.from_to(frames.positions[left] - frames.positions[right], LEFT)
        if shared:
            found[max(shared)] = quaternion.multiply(swing, frames.rotations[max(shared)])
    return found


def _frames(rig: Rig) -> Frames:
    """Return the transforms of all joints [frame, joint] in model space, at evenly spaced times in all clips."""
    most = min(MOST_FRAMES, MOST_JOINTS // rig.skeleton.joint_count) // len(rig.clips)
    times = [np.linspace(clip.start, clip.end, max(most, 2)) for clip in rig.clips.values()]
    poses = [clip.sample(own, loop=False) for clip, own in zip(rig.clips.values(), times, strict=True)]
    parts = zip(*((pose.translation, pose.rotation, pose.scale) for pose in poses), strict=True)
    return frames_of(rig.skeleton, Pose(*map(np.concatenate, parts)))


def _facing_ahead(frames: Frames, joints: Mapping[str, int]) -> Frames:
    """Return the frames in `frames` after a rotation about +Y, so that the body faces +Z in each frame."""
    points = frames.positions
    pairs = [(joints[f"left_{part}"], joints[f"right_{part}"]) for part in ("thigh", "upper_arm")]
    across: Reals = np.sum([points[:, left] - points[:, right] for left, right in pairs], axis=0)
    back = quaternion.from_axis_angle(UP, elementary.arctan2(across[:, 2], across[:, 0]))[:, None]
    return Frames(quaternion.multiply(back, frames.rotations), quaternion.rotate(back, points))


def _trunk(points: Reals, joints: Mapping[str, int]) -> Reals:
    """Return the vector [..., 3] from the middle between the thighs to the middle between the upper arms."""
    shoulders, hips = (
        np.mean([points[..., joints[f"{side}_{part}"], :] for side in SIDES], axis=0) for part in ("upper_arm", "thigh")
    )
    return shoulders - hips


def _limb_tilt(points: Reals, joints: Mapping[str, int], begin: str) -> Reals:
    """Return the sum of the angles between the two bones of a limb and the vertical, [frame] [rad]."""
    side, _, part = begin.partition("_")
    upper, middle, lower = (points[:, joints[f"{side}_{own}"]] for own in (ARM if part == ARM[0] else LEG))
    return _tilt(upper - middle) + _tilt(middle - lower)


def _tilt(ways: Reals) -> Reals:
    """Return the angle between each vector [frame, 3] and +Y, [frame] [rad]."""
    up = inner(unit(ways), UP)
    return elementary.arctan2(np.sqrt(np.maximum(1 - up * up, 0)), up)


def _mean(rotations: Reals, tilt: Reals) -> Reals:
    """Return the mean rotation [joint, 4] over the frames with the smallest tilts.

    `rotations` are [frame, joint, 4], and `tilt` is [frame].
    """
    best = rotations[np.argmin(tilt)]
    near = quaternion.align(rotations[tilt <= tilt.min() + NEAR], best)
    return quaternion.normalize(near.sum(axis=0))
