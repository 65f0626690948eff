"""Which way is up in a motion, and how one that stands along +Z is made to stand along +Y."""

from dataclasses import replace

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths import quaternion
from ecs_anim.support.frozen import freeze

TALLER = 1.5  # times as far along Z as along Y, at rest and in the first frame: no body that lies is meant
HALF = 0.5**0.5
UPRIGHT = np.array([-HALF, 0.0, 0.0, HALF])  # from +Z to +Y


def stands_along_z(rig: Rig) -> bool:
    """Whether all clips begin, and the joints rest, far taller along Z than along Y."""
    skeleton = rig.skeleton
    poses = [skeleton.rest_pose, *(clip.sample(clip.start) for clip in rig.clips.values())]
    extents = [np.ptp(model_matrices(skeleton, pose)[..., 3], axis=0) for pose in poses]
    return all(z > TALLER * y for _, y, z in extents)


def stood_up(rig: Rig) -> Rig:
    """The rig with its roots, and whatever moves them, turned from +Z to +Y."""
    old, rest = rig.skeleton, rig.skeleton.rest_pose
    roots = old.parents < 0
    translation, rotation = rest.translation.copy(), rest.rotation.copy()
    translation[roots] = quaternion.rotate(UPRIGHT, translation[roots])
    rotation[roots] = quaternion.multiply(UPRIGHT, rotation[roots])
    skeleton = replace(old, rest_pose=replace(rest, translation=freeze(translation), rotation=freeze(rotation)))
    return replace(rig, skeleton=skeleton, clips={name: _turned(clip, skeleton) for name, clip in rig.clips.items()})


def _turned(clip: Clip, skeleton: Skeleton) -> Clip:
    tracks = [_of_root(track) if skeleton.parents[track.joint_index] < 0 else track for track in clip.tracks]
    return replace(clip, skeleton=skeleton, tracks=tuple(tracks))


def _of_root(track: Track) -> Track:
    values = (
        quaternion.multiply(UPRIGHT, track.values)
        if track.path == "rotation"
        else quaternion.rotate(UPRIGHT, track.values)
    )
    return replace(track, values=freeze(values.astype(np.float32)))
