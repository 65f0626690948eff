"""Removal of translation tracks and scale tracks from clips, except in joints that carry the whole body."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skeleton import Skeleton


def rotations_only(clip: Clip) -> Clip:
    """Return the clip without translation tracks and scale tracks. Joints that carry the whole body keep all tracks."""
    carries = carriers(clip.skeleton)
    kept = tuple(track for track in clip.tracks if track.path == "rotation" or carries[track.joint_index])
    return replace(clip, tracks=kept)


def carriers(skeleton: Skeleton) -> NDArray[np.bool_]:
    """Return a mask [joint_count] bool of the joints that carry the whole body.

    A root joint carries the whole body. Any other joint, for example the hips, carries the whole body if all skinned
    joints are in its subtree. The translation of such a joint moves the whole character, and rotations cannot replace
    this translation.
    """
    below, root = np.zeros(skeleton.joint_count, np.int64), np.arange(skeleton.joint_count)
    np.add.at(below, skeleton.skin_joints, 1)
    for joint in range(skeleton.joint_count - 1, 0, -1):
        if skeleton.parents[joint] >= 0:
            below[skeleton.parents[joint]] += below[joint]
    for joint, parent in enumerate(skeleton.parents.tolist()):
        root[joint] = joint if parent < 0 else root[parent]
    whole = (below == below[root]) & (below > 0)
    return np.asarray(whole | (skeleton.parents < 0))
