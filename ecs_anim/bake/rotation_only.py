"""Clips that only turn their joints, but for those that carry the whole body."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skeleton import Skeleton


def rotations_only(clip: Clip) -> Clip:
    """The clip without translations and scales of joints that carry less than the whole body; these rest."""
    carries = carriers(clip.skeleton)
    kept = tuple(track for track in clip.tracks if track.path == "rotation" or carries[track.joint_index])
    return replace(clip, tracks=kept)


def carriers(skeleton: Skeleton) -> NDArray[np.bool_]:
    """Which joints [joint_count] are roots, or have all palette entries of their root hanging from them.

    Such as the hips: what moves them moves the whole character, which no turn could replace.
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
