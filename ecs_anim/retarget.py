"""Clips made for one skeleton, played on another with the same joint names."""

from dataclasses import replace

from ecs_anim.clip import Clip
from ecs_anim.errors import InputError
from ecs_anim.skeleton import Skeleton


def retarget(clip: Clip, skeleton: Skeleton) -> Clip:
    """The clip with its tracks on the joints of `skeleton` that have the same names.

    Key values are kept as they are; joints without a track take the rest pose of `skeleton`.
    Raises InputError naming a joint that the clip animates and the skeleton lacks.
    """
    if skeleton is clip.skeleton:
        return clip
    joints = {name: joint for joint, name in enumerate(skeleton.joint_names)}
    tracks = []
    for track in clip.tracks:
        name = clip.skeleton.joint_names[track.joint_index]
        if name not in joints:
            raise InputError(
                f"clip {clip.name!r} animates joint {name!r}, which the skeleton lacks; "
                f"its {skeleton.joint_count} joints must have the same names"
            )
        tracks.append(replace(track, joint_index=joints[name]))
    return replace(clip, skeleton=skeleton, tracks=tuple(tracks))
